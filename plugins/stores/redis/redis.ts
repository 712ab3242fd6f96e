import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { type RedisCommands, redisRecords } from "./records.ts";

/** What is used of an ioredis client, single server or cluster. */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** The servers of a cluster. */
  nodes?(role: "master"): RedisClient[];
  readonly options?: { readonly keyPrefix?: string | undefined };
}

/** Options of the Redis store. */
export interface RedisStoreOptions {
  /** What keys start with. Default `keyhook:`. */
  base?: string;
}

function commandsOf(client: RedisClient): RedisCommands {
  // ioredis puts its prefix before keys by itself, but not into patterns, nor off what it answers.
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

/** Records in Redis 6 or later, or what speaks like it, by a client of ioredis. */
export function redisBackend(
  client: RedisClient,
  { base = "keyhook:" }: RedisStoreOptions = {},
): StoreBackend {
  return redisRecords(commandsOf(client), base);
}

/**
 * Keeps records in Redis. How durable they are is Redis' own setting: sessions and accounts want
 * `appendonly yes`, and no eviction (`maxmemory-policy noeviction`).
 * @example createAuth().use(redisStore(new Redis(process.env.REDIS_URL)))
 */
export default function redisStore(client: RedisClient, options?: RedisStoreOptions): StorePlugin {
  return defineStore(redisBackend(client, options));
}
