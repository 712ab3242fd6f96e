import type { BoundedCache } from "./cache.ts";

/** A value, and the time since which it is known. */
export interface Recent<V> {
  readonly value: V;
  /** When its load began, in milliseconds since the epoch. The value was true then or later. */
  readonly at: number;
}

/** A load as a loader keeps it. */
export interface RecentLoad<V> {
  readonly value: Promise<V>;
  readonly at: number;
}

/** Loads values that are trusted for a time from the start of their load. */
export interface RecentLoader<V> {
  /**
   * Resolves to a value whose load began less than `maxAge` milliseconds ago. Callers share the load. Failures are not
   * kept.
   */
  get(key: string, maxAge: number, load: () => Promise<V>): Promise<Recent<V>>;
}

/** Creates a loader of values with a maximum age. With a `maxAge` of 0, every caller loads. */
export function createRecentLoader<V>(loads: BoundedCache<RecentLoad<V>>): RecentLoader<V> {
  return {
    async get(key, maxAge, load) {
      const known = loads.get(key);
      // The lower bound prevents a clock that was set back from extending the age.
      const age = known ? Date.now() - known.at : -1;
      if (known && age >= 0 && age < maxAge) return { value: await known.value, at: known.at };
      // Before the load, which may block.
      const at = Date.now();
      const entry = { value: load(), at };
      loads.set(key, entry);
      entry.value.catch(() => {
        if (loads.get(key) === entry) loads.delete(key);
      });
      return { value: await entry.value, at: entry.at };
    },
  };
}
