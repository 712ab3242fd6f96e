import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { type RedisCommands, createRedisBackend } from "./_redis/backend.ts";

/** The part of an ioredis client (single server or cluster) that the store uses. */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Returns the nodes of a cluster. */
  nodes?(role: "master"): RedisClient[];
  /** The client's own options, which may have a prefix of all keys. */
  readonly options?: { readonly keyPrefix?: string | undefined };
}

/** Options of the Redis store. */
export interface RedisStoreOptions {
  /** Prefix of all keys. Default `keyhook:`. */
  base?: string;
}

const REQUIREMENT: ClientRequirement = {
  store: "redisStore",
  fix: "a client of ioredis: redisStore(new Redis(url))",
};

function toCommands(client: RedisClient): RedisCommands {
  // ioredis adds its `keyPrefix` to keys but not to patterns, and does not strip it from results.
  const prefix = client.options?.keyPrefix ?? "";

  return {
    name: "redis",
    get: (key) => client.call("GET", key),
    async run(digest, script, keys, args) {
      try {
        return await client.call("EVALSHA", digest, keys.length, ...keys, ...args);
      } catch (error) {
        if (!String((error as Error).message).startsWith("NOSCRIPT")) throw error;
        return client.call("EVAL", script, keys.length, ...keys, ...args);
      }
    },
    async zscan(key, cursor, count) {
      return (await client.call("ZSCAN", key, cursor, "COUNT", count)) as [string, string[]];
    },
    async scan(cursor, match, count) {
      const servers = client.nodes?.("master") ?? [client];
      const [at = "0", place = "0"] = cursor.includes("/") ? cursor.split("/") : ["0", cursor];
      const server = servers[Number(at)];
      if (!server) return ["0", []];
      const pattern = prefix.replace(/[*?[\]\\]/g, "\\$&") + match;
      const [next, keys] = (await server.call(
        ...(["SCAN", place, "MATCH", pattern, "COUNT", count] as const),
      )) as [string, string[]];
      const more = next !== "0" ? `${at}/${next}` : `${Number(at) + 1}/0`;
      const last = next === "0" && Number(at) + 1 >= servers.length;
      return [last ? "0" : more, keys.map((key) => key.slice(prefix.length))];
    },
  };
}

/** Creates a backend in Redis 6 or later, or a compatible server, through an ioredis client. */
export function redisBackend(
  client: RedisClient,
  { base = "keyhook:" }: RedisStoreOptions = {},
): StoreBackend {
  return createRedisBackend(toCommands(client), base);
}

/**
 * Stores records in Redis. The server's settings decide their durability: sessions and accounts need `appendonly yes`
 * and `maxmemory-policy noeviction`.
 * @throws InvalidConfig for a value that is not such a client.
 * @example createAuth().use(redisStore(new Redis(process.env.REDIS_URL)))
 */
export const redisStore: (client: RedisClient, options?: RedisStoreOptions) => StorePlugin =
  definePlugin(function redisStore(client, options): StorePlugin {
    const backend = redisBackend(expectClient(client, ["call"], REQUIREMENT), options);
    return defineStore(backend);
  });

export default redisStore;
