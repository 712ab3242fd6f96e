import type { StoreBackend } from "../../../src/kernel.ts";
import { unpack } from "../_packed.ts";
import { SCRIPT } from "./script.ts";

/** The commands that the Redis stores send, independent of the client library. */
export interface RedisCommands {
  readonly name: string;
  get(key: string): Promise<unknown>;
  /** Runs `EVALSHA`, or `EVAL` if the server has not cached the script. */
  run(digest: string, script: string, keys: [string, string], args: string[]): Promise<unknown>;
  /** Runs `ZSCAN`. Resolves to the next cursor, and to alternating members and scores. */
  zscan(key: string, cursor: string, count: number): Promise<[unknown, unknown[]]>;
  /** Runs one step of a `SCAN` of all servers. The cursor is `0` at the beginning and at the end. */
  scan(cursor: string, match: string, count: number): Promise<[unknown, unknown[]]>;
}

async function computeDigest(script: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-1", new TextEncoder().encode(script));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Creates a backend in Redis. The keys of a group share a hash tag, so that a record and the index of its group are on
 * the same cluster node.
 */
export function createRedisBackend(commands: RedisCommands, base: string): StoreBackend {
  let digest: Promise<string> | undefined;

  const toKey = (key: string) => {
    const parts = key.split(".");
    const tag = `${base}{${parts.slice(0, 2).join(".")}}`;
    const rest = parts.slice(2).map((part) => `.${part}`);
    return { record: tag + rest.join(""), index: `${tag}#`, member: rest.join("") };
  };

  const write = async (
    operation: keyof StoreBackend,
    key: string,
    {
      value = "",
      expires,
      other = "",
    }: { value?: string; expires?: number | undefined; other?: string } = {},
  ): Promise<unknown> => {
    const { record, index, member } = toKey(key);
    digest ??= computeDigest(SCRIPT);
    const end = expires === undefined ? "" : String(expires);
    const args = [operation, String(Date.now()), member, end, value, other];
    return commands.run(await digest, SCRIPT, [record, index], args);
  };

  return {
    name: commands.name,
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
    atomic: true,
    async get(key) {
      return unpack(await commands.get(toKey(key).record));
    },
    async put(key, value, expires) {
      await write("put", key, { value, expires });
    },
    async putIfAbsent(key, value, expires) {
      return (await write("putIfAbsent", key, { value, expires })) === 1;
    },
    async take(key) {
      return unpack(await write("take", key));
    },
    async compareAndSet(key, expected, value, expires) {
      return (await write("compareAndSet", key, { value, expires, other: expected })) === 1;
    },
    async increment(key, by, expires) {
      return Number(await write("increment", key, { expires, other: String(by) }));
    },
    async delete(key) {
      return (await write("delete", key)) === 1;
    },
    async scan(prefix, { limit, cursor = "0" }) {
      const { index, member } = toKey(prefix);
      if (prefix.split(".").length < 3) {
        const match = `${base.replace(/[*?[\]\\]/g, "\\$&")}{${prefix}*`;
        const [next, found] = await commands.scan(cursor, match, limit * 10);
        const keys = found
          .map(String)
          .filter((key) => !key.endsWith("#"))
          .map((key) => key.slice(base.length).replace(/[{}]/g, ""));
        return page(await filterLive(keys), next);
      }
      const [next, pairs] = await commands.zscan(index, cursor, limit);
      const keys: string[] = [];
      const [namespace, group] = prefix.split(".");
      for (let at = 0; at < pairs.length; at += 2) {
        const name = String(pairs[at]);
        const end = String(pairs[at + 1]);
        const isLive = end === "inf" || Number(end) > Date.now();
        if (isLive && name.startsWith(member)) keys.push(`${namespace}.${group}${name}`);
      }
      return page(keys, next);
    },
  };

  async function filterLive(keys: readonly string[]): Promise<string[]> {
    const texts = await Promise.all(keys.map((key) => commands.get(toKey(key).record)));
    return keys.filter((_, at) => unpack(texts[at]) !== null);
  }
}

function page(keys: readonly string[], next: unknown) {
  const cursor = String(next);
  return { keys, ...(cursor !== "0" && { cursor }) };
}
