import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { parseCounter } from "./_packed.ts";

interface Entry {
  readonly value: string;
  readonly expires: number;
}

const MINUTE_MS = 60_000;

/** Creates an index: sets of keys by name. Empty sets are deleted. */
function createIndex<Name>() {
  const sets = new Map<Name, Set<string>>();
  return {
    sets,
    add(name: Name, key: string): void {
      const set = sets.get(name);
      if (set) set.add(key);
      else sets.set(name, new Set([key]));
    },
    remove(name: Name, key: string): void {
      const set = sets.get(name);
      if (set?.delete(key) && !set.size) sets.delete(name);
    },
  };
}

// Lists the groups of a key, without the namespace that all keys of a store share.
function listGroups(key: string): string[] {
  const groups: string[] = [];
  let dot = key.indexOf(".");
  while ((dot = key.indexOf(".", dot + 1)) > 0) groups.push(key.slice(0, dot + 1));
  return groups;
}

/**
 * Creates a backend in the memory of this process. Its records end with the process, and no other process sees them.
 * @param shared A map for the records, which other code may use too. Default: a new one.
 */
export function memoryBackend(shared?: Map<string, unknown>): StoreBackend {
  const entries = shared ?? new Map<string, unknown>();
  const groups = createIndex<string>();
  // Records by the minute of their expiry, so that a sweep does not visit live records.
  const expiries = createIndex<number>();

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key) as Entry | undefined;
    return entry && entry.expires > Date.now() ? entry : undefined;
  };

  const toMinute = ({ expires }: Entry): number => Math.floor(expires / MINUTE_MS);

  const remove = (key: string): void => {
    const entry = entries.get(key) as Entry | undefined;
    if (!entry) return;
    entries.delete(key);
    expiries.remove(toMinute(entry), key);
    for (const group of listGroups(key)) groups.remove(group, key);
  };

  const set = (key: string, value: string, expires = Infinity): void => {
    const before = entries.get(key) as Entry | undefined;
    const entry: Entry = { value, expires };
    entries.set(key, entry);
    if (before && toMinute(before) !== toMinute(entry)) expiries.remove(toMinute(before), key);
    if (expires !== Infinity) expiries.add(toMinute(entry), key);
    if (!before) for (const group of listGroups(key)) groups.add(group, key);
  };

  return {
    name: "memory",
    guarantees: { scope: "process", consistency: "strong", ttl: "sweep", durable: false },
    atomic: true,
    get(key) {
      return live(key)?.value ?? null;
    },
    put(key, value, expires) {
      set(key, value, expires);
    },
    putIfAbsent(key, value, expires) {
      if (live(key)) return false;
      set(key, value, expires);
      return true;
    },
    take(key) {
      const found = live(key);
      remove(key);
      return found?.value ?? null;
    },
    compareAndSet(key, expected, value, expires) {
      if (live(key)?.value !== expected) return false;
      set(key, value, expires);
      return true;
    },
    increment(key, by, expires) {
      const found = live(key);
      const sum = parseCounter(found?.value ?? null) + by;
      set(key, String(sum), found ? found.expires : expires);
      return sum;
    },
    delete(key) {
      const found = live(key);
      remove(key);
      return found !== undefined;
    },
    async scan(prefix, { limit, cursor = "" }) {
      // Only records that this backend wrote are indexed, so a shared map is scanned.
      const isGroup = !shared && prefix.indexOf(".") < prefix.length - 1;
      const candidates = isGroup ? (groups.sets.get(prefix) ?? []) : entries.keys();
      const keys = [...candidates].filter(
        (key) => key > cursor && key.startsWith(prefix) && live(key),
      );
      const page = keys.sort().slice(0, limit);
      const last = page.at(-1);
      return { keys: page, ...(last !== undefined && keys.length > limit && { cursor: last }) };
    },
    async sweep(limit) {
      const now = Date.now();
      let removed = 0;
      for (const [minute, keys] of expiries.sets) {
        if (minute * MINUTE_MS > now) continue;
        for (const key of keys) {
          if (removed === limit) return removed;
          const entry = entries.get(key) as Entry | undefined;
          if (entry && entry.expires > now) continue;
          remove(key);
          // Other code may have removed the entry from a shared map.
          expiries.remove(minute, key);
          removed++;
        }
      }
      return removed;
    },
  };
}

/**
 * Stores records in the memory of this process, for tests and for a single server that may lose its records when it
 * restarts.
 * @example createAuth().use(memoryStore())
 */
export const memoryStore: () => StorePlugin = definePlugin(function memoryStore(): StorePlugin {
  return defineStore(memoryBackend());
});

export default memoryStore;
