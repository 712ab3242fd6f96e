import { defineStore, type StoreBackend, type StorePlugin } from "../../src/index.ts";
import { counted } from "./packed.ts";

interface Entry {
  readonly value: string;
  readonly expires: number;
}

const MINUTE = 60_000;

/** Sets of keys by what they have in common; an empty set is not kept. */
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

// The groups of a key, without the namespace, which is all there is.
function groupsOf(key: string): string[] {
  const groups: string[] = [];
  let dot = key.indexOf(".");
  while ((dot = key.indexOf(".", dot + 1)) > 0) groups.push(key.slice(0, dot + 1));
  return groups;
}

/**
 * Records in this process: gone when it ends, seen by nobody else.
 * @param shared where others keep theirs, too
 */
export function memoryBackend(shared?: Map<string, unknown>): StoreBackend {
  const entries = shared ?? new Map<string, unknown>();
  const groups = createIndex<string>();
  // By the minute in which they end, so that a sweep need not look at the living.
  const ends = createIndex<number>();

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key) as Entry | undefined;
    return entry && entry.expires > Date.now() ? entry : undefined;
  };

  const minuteOf = ({ expires }: Entry): number => Math.floor(expires / MINUTE);

  const remove = (key: string): void => {
    const entry = entries.get(key) as Entry | undefined;
    if (!entry) return;
    entries.delete(key);
    ends.remove(minuteOf(entry), key);
    for (const group of groupsOf(key)) groups.remove(group, key);
  };

  const set = (key: string, value: string, expires = Infinity): void => {
    const before = entries.get(key) as Entry | undefined;
    const entry: Entry = { value, expires };
    entries.set(key, entry);
    if (before && minuteOf(before) !== minuteOf(entry)) ends.remove(minuteOf(before), key);
    if (expires !== Infinity) ends.add(minuteOf(entry), key);
    if (!before) for (const group of groupsOf(key)) groups.add(group, key);
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
      remove(key);
      return found?.value ?? null;
    },
    async compareAndSet(key, expected, value, expires) {
      if (live(key)?.value !== expected) return false;
      set(key, value, expires);
      return true;
    },
    async increment(key, by, expires) {
      const found = live(key);
      const sum = counted(found?.value ?? null) + by;
      set(key, String(sum), found ? found.expires : expires);
      return sum;
    },
    async delete(key) {
      const found = live(key);
      remove(key);
      return found !== undefined;
    },
    async scan(prefix, { limit, cursor = "" }) {
      // Only what was put here is indexed, so that shared entries are walked through.
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
      for (const [minute, keys] of ends.sets) {
        if (minute * MINUTE > now) continue;
        for (const key of keys) {
          if (removed === limit) return removed;
          const entry = entries.get(key) as Entry | undefined;
          if (entry && entry.expires > now) continue;
          remove(key);
          // Who shares the entries may have removed one before.
          ends.remove(minute, key);
          removed++;
        }
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
