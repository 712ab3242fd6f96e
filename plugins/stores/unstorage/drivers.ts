import type { StoreBackend } from "../../../src/index.ts";
import { type DenoKv, denoKvBackend } from "../deno-kv.ts";
import { fsBackend } from "../fs/fs.ts";
import { memoryBackend } from "../memory.ts";
import { type MongoCollection, mongodbBackend } from "../mongodb.ts";
import { type RedisClient, redisBackend } from "../redis/redis.ts";
import { type UpstashClient, upstashBackend } from "../redis/upstash.ts";
import { type Db0Database, db0Backend, db0Facts } from "../sql/db0.ts";
import { type BackendFacts, lazily, withBase } from "../wrapped.ts";
import { plainRecords } from "./plain.ts";
import type { Driver, Place } from "./storage.ts";

const GLOBAL = {
  guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
  atomic: true,
} as const;

/** Caches: what was put there may be gone at any time. */
const FORGETFUL = new Set(["lru-cache", "null", "cloudflare-cache", "vercel-runtime-cache"]);

function optionOf(driver: Driver, name: string): string | undefined {
  const value = (driver.options as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function instanceOf<T>(driver: Driver, method: keyof T & string): Promise<T> {
  // A value in one major, mostly a promise in the other.
  const instance = (await driver.getInstance?.()) as T | undefined;
  if (typeof instance?.[method] === "function") return instance;
  throw new Error(`The driver "${driver.name}" does not give the client that was expected.`);
}

const PROBE = "keyhook-probe";

/**
 * Where a driver puts keys, if it does not tell: it is asked something, and what it then asks its client
 * is caught. Questions of others pass meanwhile.
 */
async function caught<T extends object>(
  client: T,
  method: keyof T & string,
  ask: () => unknown,
  answer: unknown,
): Promise<unknown[]> {
  const original = client[method] as (...args: unknown[]) => unknown;
  const own = Object.getOwnPropertyDescriptor(client, method);
  let seen: unknown[] = [];
  const spy = (...args: unknown[]): unknown => {
    if (!JSON.stringify(args)?.includes(PROBE)) return original.apply(client, args);
    seen = args;
    return Promise.resolve(answer);
  };
  Object.defineProperty(client, method, { value: spy, configurable: true, writable: true });
  try {
    await ask();
  } finally {
    if (own) Object.defineProperty(client, method, own);
    else delete client[method];
  }
  return seen;
}

type Room = (place: Place) => StoreBackend;

function lazy(facts: BackendFacts, make: (place: Place) => Promise<StoreBackend>): Room {
  return (place) => lazily(facts, () => make(place));
}

const fs: Room = ({ driver, prefix }) => {
  const base = optionOf(driver, "base");
  if (base === undefined) throw new Error(`The driver "${driver.name}" does not tell its folder.`);
  if ((driver.options as { readOnly?: unknown }).readOnly) {
    throw new Error(`The driver "${driver.name}" can only be read.`);
  }
  const folder = [base, ...prefix.split(":").filter(Boolean)].join("/");
  return { ...fsBackend(folder), name: driver.name ?? "fs" };
};

const denoKv = lazy({ name: "deno-kv", ...GLOBAL }, async ({ driver, prefix }) => {
  const kv = await instanceOf<DenoKv>(driver, "atomic");
  const [key] = await caught(kv, "get", () => driver.hasItem(PROBE, {}), { value: null });
  const words = prefix.split(":").filter(Boolean);
  return denoKvBackend(kv, { base: [...(key as string[]).slice(0, -1), ...words] });
});

/** The native way of each driver that has one. */
const ROOMS: Record<string, Room> = {
  memory: lazy(
    {
      name: "memory",
      guarantees: { scope: "process", consistency: "strong", ttl: "sweep", durable: false },
      atomic: true,
    },
    async ({ driver, prefix }) =>
      withBase(memoryBackend(await instanceOf<Map<string, unknown>>(driver, "entries")), prefix),
  ),
  fs,
  "fs-lite": fs,
  redis: lazy({ name: "redis", ...GLOBAL }, async ({ driver, prefix }) => {
    const base = (optionOf(driver, "base") ?? "").replace(/:$/, "");
    const client = await instanceOf<RedisClient>(driver, "call");
    return redisBackend(client, { base: (base && `${base}:`) + prefix });
  }),
  upstash: lazy({ name: "upstash", ...GLOBAL }, async ({ driver, prefix }) => {
    const client = await instanceOf<UpstashClient>(driver, "evalsha");
    const [, asked] = await caught(client, "scan", () => driver.getKeys(PROBE, {}), ["0", []]);
    const pattern = (asked as { match: string }).match.replace(/\\(.)/g, "$1");
    return upstashBackend(client, { base: pattern.slice(0, pattern.indexOf(PROBE)) + prefix });
  }),
  db0: ({ driver, prefix }) => {
    const { database } = driver.options as { database: Db0Database };
    // Two storages in one database keep apart by their tables.
    const named = optionOf(driver, "tableName")?.replace(/\W/g, "_");
    const own = named !== undefined && named !== "unstorage";
    const make = async () =>
      withBase(db0Backend(database, own ? { table: `${named}_keyhook` } : {}), prefix);
    return lazily(db0Facts(database), make);
  },
  mongodb: lazy({ name: "mongodb", ...GLOBAL }, async ({ driver, prefix }) =>
    withBase(mongodbBackend(await instanceOf<MongoCollection>(driver, "findOneAndDelete")), prefix),
  ),
  "deno-kv": denoKv,
  "deno-kv-node": denoKv,
};

/** The backend for a place in a storage: the driver's native one, or its own methods. */
export function backendOf(place: Place): StoreBackend {
  const name = place.driver.name ?? "unnamed";
  if (FORGETFUL.has(name)) {
    throw new Error(
      `The driver "${name}" may forget a record at any time. Mount one that keeps them (redis, db0, ` +
        "fs, ...) where the records lie, or give another store, or drop what needs one.",
    );
  }
  return (
    (Object.hasOwn(ROOMS, name) ? ROOMS[name] : undefined)?.(place) ?? plainRecords(name, place)
  );
}
