import { createKeyedQueue, retryOnConflict } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { type ChangeRecord, createChangeOperations } from "./_change.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { getExpiry, pack, unpack } from "./_packed.ts";

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

/** The part of a `Deno.Kv` that the store uses. The client of `@deno/kv` has it too. */
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
  /** Prefix of all keys. Default `["keyhook"]`. */
  base?: readonly string[];
}

const REQUIREMENT: ClientRequirement = {
  store: "denoKvStore",
  fix: "an open database: denoKvStore(await Deno.openKv())",
};

/** Creates a backend in Deno KV, which limits a value to 64 kB. */
export function denoKvBackend(
  kv: DenoKv,
  { base = ["keyhook"] }: DenoKvStoreOptions = {},
): StoreBackend {
  // Without the queue, concurrent callers in this process would only make each other's commits fail.
  const enqueue = createKeyedQueue();
  const toKey = (key: string): Key => [...base, ...key.split(".")];
  const toOptions = (expires: number | undefined) =>
    expires === undefined ? {} : { expireIn: Math.max(1, expires - Date.now()) };

  const change: ChangeRecord = (key, decide) =>
    enqueue(key, () =>
      retryOnConflict(async () => {
        const entry = await kv.get(toKey(key));
        const text = entry.value as string | null;
        const found = unpack(text);
        const next = decide(found, text === null ? undefined : getExpiry(text));
        if (next === undefined || (next === null && text === null)) return found;
        const step = (kv.atomic() as Atomic).check(entry);
        if (next === null) step.delete(toKey(key));
        else step.set(toKey(key), next, toOptions(getExpiry(next)));
        return (await step.commit()).ok ? found : undefined;
      }),
    );

  return {
    name: "deno-kv",
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
    atomic: true,
    async get(key) {
      return unpack((await kv.get(toKey(key))).value);
    },
    async put(key, value, expires) {
      await kv.set(toKey(key), pack(value, expires), toOptions(expires));
    },
    ...createChangeOperations(change),
    async scan(prefix, { limit, cursor }) {
      const selector = { prefix: toKey(prefix.slice(0, -1)) };
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
 * Stores records in Deno KV, which limits a value to 64 kB.
 * @throws InvalidConfig for a value that is not a database, such as a promise of one.
 * @example createAuth().use(denoKvStore(await Deno.openKv()))
 */
export const denoKvStore: (kv: DenoKv, options?: DenoKvStoreOptions) => StorePlugin = definePlugin(
  function denoKvStore(kv, options): StorePlugin {
    const backend = denoKvBackend(expectClient(kv, ["atomic"], REQUIREMENT), options);
    return defineStore(backend);
  },
);

export default denoKvStore;
