import type { BoundedCache } from "./cache.ts";

/** A value, and since when it is known. */
export interface Recent<V> {
  readonly value: V;
  /** When its load began, in milliseconds since the epoch: what it states was true then, or later. */
  readonly at: number;
}

/** A load as a loader keeps it. */
export interface RecentLoad<V> {
  readonly value: Promise<V>;
  readonly at: number;
}

/** Loads values that are trusted for a time from the start of their load. */
export interface RecentLoader<V> {
  /** Resolves to a value whose load began less than `maxAge` milliseconds ago; callers share it. No failure is kept. */
  get(key: string, maxAge: number, load: () => Promise<V>): Promise<Recent<V>>;
}

/** Creates a loader of values that must not be older than stated: with a `maxAge` of 0 every caller loads. */
export function createRecentLoader<V>(loads: BoundedCache<RecentLoad<V>>): RecentLoader<V> {
  return {
    async get(key, maxAge, load) {
      const known = loads.get(key);
      // Lower bound: a clock that was set back must not make it last longer.
      const age = known ? Date.now() - known.at : -1;
      if (known && age >= 0 && age < maxAge) return { value: await known.value, at: known.at };
      const entry = { value: load(), at: Date.now() };
      loads.set(key, entry);
      entry.value.catch(() => {
        if (loads.get(key) === entry) loads.delete(key);
      });
      return { value: await entry.value, at: entry.at };
    },
  };
}
