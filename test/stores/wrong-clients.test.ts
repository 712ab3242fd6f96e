import { expect, it } from "vitest";
import { db0Store } from "../../plugins/stores/db0.ts";
import { denoKvStore } from "../../plugins/stores/deno-kv.ts";
import { fsStore } from "../../plugins/stores/fs.ts";
import { mongodbStore } from "../../plugins/stores/mongodb.ts";
import { mysqlStore } from "../../plugins/stores/mysql.ts";
import { postgresStore } from "../../plugins/stores/postgres.ts";
import { redisStore } from "../../plugins/stores/redis.ts";
import { sqliteStore } from "../../plugins/stores/sqlite.ts";
import { unstorageStore } from "../../plugins/stores/unstorage.ts";
import { upstashStore } from "../../plugins/stores/upstash.ts";
import { InvalidConfig } from "../../src/errors.ts";

const STORES = {
  db0Store,
  denoKvStore,
  fsStore,
  mongodbStore,
  mysqlStore,
  postgresStore,
  redisStore,
  sqliteStore,
  unstorageStore,
  upstashStore,
} as unknown as Record<string, (client: unknown) => unknown>;

const catchError = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

it.each(Object.entries(STORES))(
  "%s() refuses at once a value that is not a client",
  (name, store) => {
    for (const [value, text] of [
      [undefined, "undefined"],
      [null, "null"],
      [() => ({}), "a function"],
      [Promise.resolve(), "a promise"],
      [{}, "an object"],
      [7, "a number"],
    ] as const) {
      const error = catchError(() => store(value)) as Error;
      expect(error).toBeInstanceOf(InvalidConfig);
      expect(error.message).toContain(`${name}() received ${text}`);
      // The fix.
      expect(error.message).toContain(`${name}(`);
    }
  },
);

it("redisStore() names the required client when it receives a node-redis client or a URL", () => {
  const nodeRedis = { get: () => {}, sendCommand: () => {} };
  const received = (client: unknown) =>
    (catchError(() => STORES.redisStore?.(client)) as Error).message;
  const fix = "Pass a client of ioredis: redisStore(new Redis(url)).";
  expect(received(nodeRedis)).toBe(`redisStore() received an object without \`call\`. ${fix}`);
  expect(received("redis://127.0.0.1")).toBe(`redisStore() received a string. ${fix}`);
});

it("denoKvStore() says to await the promise of a database", () => {
  const error = catchError(() => STORES.denoKvStore?.(Promise.resolve({}))) as Error;
  expect(error.message).toContain("denoKvStore(await Deno.openKv())");
});

it("db0Store() refuses a D1 database without db0, and explains how to wrap it", () => {
  const d1 = { prepare: () => ({ bind() {}, all() {}, run() {} }), batch() {}, exec() {} };
  const error = catchError(() => STORES.db0Store?.(d1)) as Error;
  expect(error).toBeInstanceOf(InvalidConfig);
  expect(error.message).toBe(
    "db0Store() received an object without `dialect`. Pass a database of db0: db0Store(useDatabase()); " +
      'a D1 is wrapped first: createDatabase(cloudflareD1({ bindingName: "DB" })).',
  );
});
