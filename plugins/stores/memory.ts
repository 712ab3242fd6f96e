import { defineStore, type StoreBackend, type StorePlugin } from "../../src/index.ts";

interface Entry {
  readonly value: string;
  readonly expires: number;
}

const MINUTE = 60_000;
const COUNTER = /^-?\d{1,16}$/;

/** Records in this process: gone when it ends, seen by nobody else. */
export function memoryBackend(entries: Map<string, unknown> = new Map()): StoreBackend {
  // Keys by the minute in which they end, so that a sweep need not look at the living.
  const ends = new Map<number, Set<string>>();

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key) as Entry | undefined;
    return entry && entry.expires > Date.now() ? entry : undefined;
  };

  const set = (key: string, value: string, expires = Infinity): void => {
    entries.set(key, { value, expires } satisfies Entry);
    if (expires === Infinity) return;
    const minute = Math.floor(expires / MINUTE);
    const bucket = ends.get(minute);
    if (bucket) bucket.add(key);
    else ends.set(minute, new Set([key]));
  };

  return {
    name: "memory",
    guarantees: { scope: "process", consistency: "strong", ttl: "sweep", durable: false },
    atomic: true,
    async get(key) {
      return live(key)?.value ?? null;
    },
    async put(key, value, expires) {
      set(key, value, expires);
    },
    async putIfAbsent(key, value, expires) {
      if (live(key)) return false;
      set(key, value, expires);
      return true;
    },
    async take(key) {
      const found = live(key);
      entries.delete(key);
      return found?.value ?? null;
    },
    async compareAndSet(key, expected, value, expires) {
      if (live(key)?.value !== expected) return false;
      set(key, value, expires);
      return true;
    },
    async increment(key, by, expires) {
      const found = live(key);
      if (found && !COUNTER.test(found.value)) throw new Error("The record is no counter.");
      const sum = Number(found?.value ?? 0) + by;
      if (found) entries.set(key, { ...found, value: String(sum) });
      else set(key, String(sum), expires);
      return sum;
    },
    async delete(key) {
      const found = live(key);
      entries.delete(key);
      return found !== undefined;
    },
    async scan(prefix, { limit, cursor = "" }) {
      const keys = [...entries.keys()]
        .filter((key) => key > cursor && key.startsWith(prefix) && live(key))
        .sort();
      const page = keys.slice(0, limit);
      const last = page.at(-1);
      return { keys: page, ...(last !== undefined && keys.length > limit && { cursor: last }) };
    },
    async sweep(limit) {
      const now = Date.now();
      let removed = 0;
      for (const [minute, keys] of ends) {
        if (minute * MINUTE > now) continue;
        for (const key of keys) {
          if (removed >= limit) return removed;
          const entry = entries.get(key) as Entry | undefined;
          const moved = entry && Math.floor(entry.expires / MINUTE) !== minute;
          if (entry && !moved && entry.expires > now) continue;
          keys.delete(key);
          if (entry && !moved && entries.delete(key)) removed++;
        }
        if (!keys.size) ends.delete(minute);
      }
      return removed;
    },
  };
}

/**
 * Keeps records in this process: for tests, and for a single server that may forget.
 * @example createAuth().use(memoryStore())
 */
export default function memoryStore(): StorePlugin {
  return defineStore(memoryBackend());
}
