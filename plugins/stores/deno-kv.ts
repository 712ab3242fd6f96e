import { defineStore, type StoreBackend, type StorePlugin } from "../../src/index.ts";
import { createLine } from "./line.ts";
import { counted, endOf, pack, unpack } from "./packed.ts";

type Key = readonly string[];

interface Entry {
  readonly key: readonly unknown[];
  readonly value: unknown;
  readonly versionstamp: string | null;
}

interface Atomic {
  check(entry: Entry): Atomic;
  set(key: Key, value: string, options?: { expireIn?: number }): Atomic;
  delete(key: Key): Atomic;
  commit(): Promise<{ ok: boolean }>;
}

/** What is used of a `Deno.Kv`, or of that of `@deno/kv`. */
export interface DenoKv {
  get(key: Key): Promise<Entry>;
  set(key: Key, value: string, options?: { expireIn?: number }): Promise<unknown>;
  atomic(): unknown;
  list(
    selector: { prefix: Key },
    options: { limit: number; cursor?: string },
  ): AsyncIterable<Entry> & { readonly cursor: string };
}

/** Options of the Deno KV store. */
export interface DenoKvStoreOptions {
  /** What keys start with. Default `["keyhook"]`. */
  base?: readonly string[];
}

const ATTEMPTS = 100;

/** Records in Deno KV; a value has at most 64 kB there. */
export function denoKvBackend(
  kv: DenoKv,
  { base = ["keyhook"] }: DenoKvStoreOptions = {},
): StoreBackend {
  // Without it, parallel callers of this process would only get in one another's way.
  const inLine = createLine();
  const keyOf = (key: string): Key => [...base, ...key.split(".")];
  const life = (expires: number | undefined) =>
    expires === undefined ? {} : { expireIn: Math.max(1, expires - Date.now()) };

  // `decide` says what becomes of the record: a packed text, `null` (deleted), `undefined` (nothing).
  const change = (
    key: string,
    decide: (current: string | null, end: number | undefined) => string | null | undefined,
  ): Promise<string | null> =>
    inLine(key, async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const entry = await kv.get(keyOf(key));
        const text = entry.value as string | null;
        const found = unpack(text);
        const next = decide(found, text === null ? undefined : endOf(text));
        if (next === undefined || (next === null && text === null)) return found;
        const step = (kv.atomic() as Atomic).check(entry);
        if (next === null) step.delete(keyOf(key));
        else step.set(keyOf(key), next, life(endOf(next)));
        if ((await step.commit()).ok) return found;
      }
      throw new Error("A record changes too often.");
    });

  return {
    name: "deno-kv",
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
    atomic: true,
    async get(key) {
      return unpack((await kv.get(keyOf(key))).value);
    },
    async put(key, value, expires) {
      await kv.set(keyOf(key), pack(value, expires), life(expires));
    },
    async putIfAbsent(key, value, expires) {
      const found = await change(key, (current) =>
        current === null ? pack(value, expires) : undefined,
      );
      return found === null;
    },
    take: (key) => change(key, () => null),
    async compareAndSet(key, expected, value, expires) {
      const found = await change(key, (current) =>
        current === expected ? pack(value, expires) : undefined,
      );
      return found === expected;
    },
    async increment(key, by, expires) {
      let sum = 0;
      await change(key, (current, end) => {
        sum = counted(current) + by;
        return pack(String(sum), current === null ? expires : end);
      });
      return sum;
    },
    async delete(key) {
      return (await change(key, () => null)) !== null;
    },
    async scan(prefix, { limit, cursor }) {
      const selector = { prefix: keyOf(prefix.slice(0, -1)) };
      const entries = kv.list(selector, { limit, ...(cursor !== undefined && { cursor }) });
      const keys: string[] = [];
      let seen = 0;
      for await (const { key, value } of entries) {
        seen++;
        if (unpack(value) !== null) keys.push(key.slice(base.length).join("."));
      }
      return { keys, ...(seen === limit && { cursor: entries.cursor }) };
    },
  };
}

/**
 * Keeps records in Deno KV.
 * @example createAuth().use(denoKvStore(await Deno.openKv()))
 */
export default function denoKvStore(kv: DenoKv, options?: DenoKvStoreOptions): StorePlugin {
  return defineStore(denoKvBackend(kv, options));
}
