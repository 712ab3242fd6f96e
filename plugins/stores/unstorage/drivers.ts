import type { StoreBackend } from "../../../src/kernel.ts";
import { type BackendFacts, createLazyBackend, withBase } from "../_lazy.ts";
import { type Db0Database, db0Backend, db0Facts } from "../db0.ts";
import { type DenoKv, denoKvBackend } from "../deno-kv.ts";
import { fsBackend } from "../fs.ts";
import { memoryBackend } from "../memory.ts";
import { type MongoCollection, mongodbBackend } from "../mongodb.ts";
import { type RedisClient, redisBackend } from "../redis.ts";
import { type UpstashClient, upstashBackend } from "../upstash.ts";
import { createPlainBackend } from "./plain.ts";
import type { Driver, StorageMount } from "./storage.ts";

const GLOBAL = {
  guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
  atomic: true,
} as const;

/** Caches, which may evict a record at any time. */
const EVICTING = new Set(["lru-cache", "null", "cloudflare-cache", "vercel-runtime-cache"]);

function getOption(driver: Driver, name: string): string | undefined {
  const value = (driver.options as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

async function getInstance<T>(driver: Driver, method: keyof T & string): Promise<T> {
  // One major version of unstorage returns the instance, the other usually a promise of it.
  const instance = (await driver.getInstance?.()) as T | undefined;
  if (typeof instance?.[method] === "function") return instance;
  throw new Error(
    `The driver "${driver.name}" has no client with the method "${method}": use the driver of ` +
      "unstorage 1.17 or 2.",
  );
}

const PROBE_KEY = "keyhook-probe";

/**
 * Captures the arguments of a driver's call to its client. Some drivers do not expose the prefix of their keys, so it
 * is read from such a call. This replaces `method` of the client, which the application may share, runs `trigger` (a
 * read of `PROBE_KEY`) and restores the method. The captured call is not sent and resolves to `result`. Concurrent
 * calls without the probe key pass through.
 */
async function captureCall<T extends object>(
  client: T,
  method: keyof T & string,
  trigger: () => unknown,
  result: unknown,
): Promise<unknown[]> {
  const original = client[method] as (...args: unknown[]) => unknown;
  const descriptor = Object.getOwnPropertyDescriptor(client, method);
  let captured: unknown[] = [];
  const spy = (...args: unknown[]): unknown => {
    if (!JSON.stringify(args)?.includes(PROBE_KEY)) return original.apply(client, args);
    captured = args;
    return Promise.resolve(result);
  };
  Object.defineProperty(client, method, { value: spy, configurable: true, writable: true });
  try {
    await trigger();
  } finally {
    if (descriptor) Object.defineProperty(client, method, descriptor);
    else delete client[method];
  }
  return captured;
}

type NativeDriver = (mount: StorageMount) => StoreBackend;

function lazy(
  facts: BackendFacts,
  create: (mount: StorageMount) => Promise<StoreBackend>,
): NativeDriver {
  return (mount) => createLazyBackend(facts, () => create(mount));
}

const fs: NativeDriver = ({ driver, prefix }) => {
  const base = getOption(driver, "base");
  if (base === undefined) {
    throw new Error(`The driver "${driver.name}" has no folder: set its option "base".`);
  }
  if ((driver.options as { readOnly?: unknown }).readOnly) {
    throw new Error(`The driver "${driver.name}" can only be read: mount one that can write.`);
  }
  const folder = [base, ...prefix.split(":").filter(Boolean)].join("/");
  return { ...fsBackend(folder), name: driver.name ?? "fs" };
};

const denoKv = lazy({ name: "deno-kv", ...GLOBAL }, async ({ driver, prefix }) => {
  const kv = await getInstance<DenoKv>(driver, "atomic");
  const [key] = await captureCall(kv, "get", () => driver.hasItem(PROBE_KEY, {}), { value: null });
  const parts = prefix.split(":").filter(Boolean);
  return denoKvBackend(kv, { base: [...(key as string[]).slice(0, -1), ...parts] });
});

/** Creates a native backend, by the name of the driver. */
const NATIVE_DRIVERS: Record<string, NativeDriver> = {
  memory: lazy(
    {
      name: "memory",
      guarantees: { scope: "process", consistency: "strong", ttl: "sweep", durable: false },
      atomic: true,
    },
    async ({ driver, prefix }) =>
      withBase(memoryBackend(await getInstance<Map<string, unknown>>(driver, "entries")), prefix),
  ),
  fs,
  "fs-lite": fs,
  redis: lazy({ name: "redis", ...GLOBAL }, async ({ driver, prefix }) => {
    const base = (getOption(driver, "base") ?? "").replace(/:$/, "");
    const client = await getInstance<RedisClient>(driver, "call");
    return redisBackend(client, { base: (base && `${base}:`) + prefix });
  }),
  upstash: lazy({ name: "upstash", ...GLOBAL }, async ({ driver, prefix }) => {
    const client = await getInstance<UpstashClient>(driver, "evalsha");
    const [, options] = await captureCall(client, "scan", () => driver.getKeys(PROBE_KEY, {}), [
      "0",
      [],
    ]);
    const pattern = (options as { match: string }).match.replace(/\\(.)/g, "$1");
    return upstashBackend(client, { base: pattern.slice(0, pattern.indexOf(PROBE_KEY)) + prefix });
  }),
  db0: ({ driver, prefix }) => {
    const { database } = driver.options as { database: Db0Database };
    // Two storages in one database are distinguished by their tables.
    const table = getOption(driver, "tableName")?.replace(/\W/g, "_");
    const hasOwnTable = table !== undefined && table !== "unstorage";
    const create = async () =>
      withBase(db0Backend(database, hasOwnTable ? { table: `${table}_keyhook` } : {}), prefix);
    return createLazyBackend(db0Facts(database), create);
  },
  mongodb: lazy({ name: "mongodb", ...GLOBAL }, async ({ driver, prefix }) =>
    withBase(
      mongodbBackend(await getInstance<MongoCollection>(driver, "findOneAndDelete")),
      prefix,
    ),
  ),
  "deno-kv": denoKv,
  "deno-kv-node": denoKv,
};

/**
 * Creates the backend on a mounted driver: a native one if the driver has atomic operations, else one that uses the
 * driver's own methods.
 * @throws Error when the driver is read-only, or may evict records.
 */
export function createBackend(mount: StorageMount): StoreBackend {
  const name = mount.driver.name ?? "unnamed";
  if (EVICTING.has(name)) {
    throw new Error(
      `The driver "${name}" may evict a record at any time. Mount a durable one (redis, db0, ` +
        "fs, ...) at the store's `base`, use another store, or remove the plugins that need one.",
    );
  }
  return (
    (Object.hasOwn(NATIVE_DRIVERS, name) ? NATIVE_DRIVERS[name] : undefined)?.(mount) ??
    createPlainBackend(name, mount)
  );
}
