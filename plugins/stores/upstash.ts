import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { createRedisBackend } from "./_redis/backend.ts";
import type { RedisStoreOptions } from "./redis.ts";

/** The part of a client of `@upstash/redis` that the store uses. */
export interface UpstashClient {
  get(key: string): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(digest: string, keys: string[], args: string[]): Promise<unknown>;
  zscan(key: string, cursor: string, options: { count: number }): Promise<unknown>;
  scan(cursor: string, options: { match: string; count: number }): Promise<unknown>;
}

const REQUIREMENT: ClientRequirement = {
  store: "upstashStore",
  fix: "a client of @upstash/redis: upstashStore(Redis.fromEnv())",
};

/** Creates a backend in Upstash Redis, over HTTP. */
export function upstashBackend(
  client: UpstashClient,
  { base = "keyhook:" }: RedisStoreOptions = {},
): StoreBackend {
  return createRedisBackend(
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
 * Stores records in Upstash Redis. Reads must see the last write, so for a database with replicas, set the client's
 * `readYourWrites`.
 * @throws InvalidConfig for a value that is not such a client.
 * @example createAuth().use(upstashStore(Redis.fromEnv()))
 */
export const upstashStore: (client: UpstashClient, options?: RedisStoreOptions) => StorePlugin =
  definePlugin(function upstashStore(client, options): StorePlugin {
    const backend = upstashBackend(expectClient(client, ["evalsha"], REQUIREMENT), options);
    return defineStore(backend);
  });

export default upstashStore;
