import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { redisRecords } from "./records.ts";
import type { RedisStoreOptions } from "./redis.ts";

/** What is used of a client of `@upstash/redis`. */
export interface UpstashClient {
  get(key: string): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(digest: string, keys: string[], args: string[]): Promise<unknown>;
  zscan(key: string, cursor: string, options: { count: number }): Promise<unknown>;
  scan(cursor: string, options: { match: string; count: number }): Promise<unknown>;
}

/** Records in Redis over HTTP, by a client of Upstash. */
export function upstashBackend(
  client: UpstashClient,
  { base = "keyhook:" }: RedisStoreOptions = {},
): StoreBackend {
  return redisRecords(
    {
      name: "upstash",
      get: (key) => client.get(key),
      async run(digest, script, keys, args) {
        try {
          return await client.evalsha(digest, keys, args);
        } catch (error) {
          if (!String((error as Error).message).includes("NOSCRIPT")) throw error;
          return client.eval(script, keys, args);
        }
      },
      zscan: async (key, cursor, count) =>
        (await client.zscan(key, cursor, { count })) as [unknown, unknown[]],
      scan: async (cursor, match, count) =>
        (await client.scan(cursor, { match, count })) as [unknown, unknown[]],
    },
    base,
  );
}

/**
 * Keeps records in Upstash. Read from the primary: of a database with replicas, set the client's
 * `readYourWrites`.
 * @example createAuth().use(upstashStore(Redis.fromEnv()))
 */
export default function upstashStore(
  client: UpstashClient,
  options?: RedisStoreOptions,
): StorePlugin {
  return defineStore(upstashBackend(client, options));
}
