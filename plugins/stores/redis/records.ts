import type { StoreBackend } from "../../../src/index.ts";
import { unpack } from "../packed.ts";
import { SCRIPT } from "./script.ts";

/** What a Redis client is asked, whatever its dialect. */
export interface RedisCommands {
  readonly name: string;
  get(key: string): Promise<unknown>;
  /** `EVALSHA`, or `EVAL` of the script when its digest is not known there. */
  run(digest: string, script: string, keys: [string, string], args: string[]): Promise<unknown>;
  /** Members and scores one after the other. */
  zscan(key: string, cursor: string, count: number): Promise<[unknown, unknown[]]>;
  /** One step of a walk through all keys, over all servers. Cursor `0` at the beginning and end. */
  scan(cursor: string, match: string, count: number): Promise<[unknown, unknown[]]>;
}

async function digestOf(script: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-1", new TextEncoder().encode(script));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Records in Redis. The keys of a group share a hash tag, so that a record and its group's index lie
 * on one server of a cluster.
 */
export function redisRecords(commands: RedisCommands, base: string): StoreBackend {
  let digest: Promise<string> | undefined;

  const placeOf = (key: string) => {
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
    const { record, index, member } = placeOf(key);
    digest ??= digestOf(SCRIPT);
    const end = expires === undefined ? "" : String(expires);
    const args = [operation, String(Date.now()), member, end, value, other];
    return commands.run(await digest, SCRIPT, [record, index], args);
  };

  return {
    name: commands.name,
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
    atomic: true,
    async get(key) {
      return unpack(await commands.get(placeOf(key).record));
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
      const { index, member } = placeOf(prefix);
      if (prefix.split(".").length < 3) {
        const match = `${base.replace(/[*?[\]\\]/g, "\\$&")}{${prefix}*`;
        const [next, found] = await commands.scan(cursor, match, limit * 10);
        const keys = found
          .map(String)
          .filter((key) => !key.endsWith("#"))
          .map((key) => key.slice(base.length).replace(/[{}]/g, ""));
        return page(await living(keys), next);
      }
      const [next, pairs] = await commands.zscan(index, cursor, limit);
      const keys: string[] = [];
      const [namespace, group] = prefix.split(".");
      for (let at = 0; at < pairs.length; at += 2) {
        const name = String(pairs[at]);
        const end = String(pairs[at + 1]);
        const lives = end === "inf" || Number(end) > Date.now();
        if (lives && name.startsWith(member)) keys.push(`${namespace}.${group}${name}`);
      }
      return page(keys, next);
    },
  };

  async function living(keys: readonly string[]): Promise<string[]> {
    const texts = await Promise.all(keys.map((key) => commands.get(placeOf(key).record)));
    return keys.filter((_, at) => unpack(texts[at]) !== null);
  }
}

function page(keys: readonly string[], next: unknown) {
  const cursor = String(next);
  return { keys, ...(cursor !== "0" && { cursor }) };
}
