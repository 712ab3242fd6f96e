/** Bounds of a cache. */
export interface CacheOptions<V> {
  /** Maximum number of entries. */
  max: number;
  /** Lifetime of an entry in milliseconds. Default: no limit. */
  ttl?: number;
  /** Returns the weight of an entry, in any unit. Default 0. */
  weigh?(value: V, key: string): number;
  /** Maximum total weight; an entry that is heavier is not kept. Default: no limit. */
  maxWeight?: number;
}

/** A map of limited size that drops the least recently used entries when it is full. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Number of entries; expired ones count until they are read or dropped. */
  readonly size: number;
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  readonly at: number;
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/** Creates a cache that is bounded by count, and optionally by age and weight. */
export function createCache<V>(options: CacheOptions<V>): BoundedCache<V> {
  const { max, ttl = Infinity, weigh, maxWeight = Infinity } = options;
  const entries = new Map<string, Entry<V>>();
  // The order of use. That of the Map would do, but an entry that a Map deletes stays in its bucket for a while: a key
  // that is moved to the end with each use is found more slowly from one to the next.
  let oldest: Entry<V> | undefined;
  let newest: Entry<V> | undefined;
  let total = 0;

  function unlink({ older, newer }: Entry<V>): void {
    if (older) older.newer = newer;
    else oldest = newer;
    if (newer) newer.older = older;
    else newest = older;
  }

  function append(entry: Entry<V>): void {
    entry.older = newest;
    entry.newer = undefined;
    if (newest) newest.newer = entry;
    else oldest = entry;
    newest = entry;
  }

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    unlink(entry);
    total -= entry.weight;
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (!isFresh(entry.at, ttl)) {
        drop(key);
        return undefined;
      }
      if (entry !== newest) {
        unlink(entry);
        append(entry);
      }
      return entry.value;
    },
    set(key, value) {
      drop(key);
      const weight = weigh?.(value, key) ?? 0;
      if (weight > maxWeight) return;
      const entry = { key, value, weight, at: Date.now(), older: undefined, newer: undefined };
      entries.set(key, entry);
      append(entry);
      total += weight;
      while (oldest && (entries.size > max || total > maxWeight)) drop(oldest.key);
    },
    delete: drop,
    clear() {
      entries.clear();
      oldest = undefined;
      newest = undefined;
      total = 0;
    },
    get size() {
      return entries.size;
    },
  };
}

/** A load as a loader keeps it: it is under way until `life`, in milliseconds from `at`, is finite. */
export interface Load<V> {
  value: Promise<V>;
  at: number;
  life: number;
}

/** Bounds of a loader. */
export interface LoaderOptions<V> {
  /** What keeps the loads. */
  loads: BoundedCache<Load<V>>;
  /** Lifetime of a loaded value in milliseconds. */
  ttl: number;
  /** Time in milliseconds during which a failure is returned again without loading. Default 0: none. */
  retryAfter?: number;
}

/** Loads values once and shares them among callers. */
export interface Loader<V> {
  /**
   * Resolves to the value, from memory until it expires; concurrent callers share one load. `load` replaces that of
   * the loader for this key.
   */
  get(key: string, load?: (key: string) => Promise<V>): Promise<V>;
  /** Drops the key, so that the next `get` loads it again. */
  delete(key: string): void;
}

/** Creates a loader of remote documents: one load at a time per key, and no failure is kept permanently. */
export function createLoader<V>(
  options: LoaderOptions<V>,
  loadAll?: (key: string) => Promise<V>,
): Loader<V> {
  const { loads, ttl, retryAfter = 0 } = options;

  return {
    get(key, load = loadAll) {
      const known = loads.get(key);
      if (known && isFresh(known.at, known.life)) return known.value;
      const value = (async () => (load as NonNullable<typeof load>)(key))();
      // `life` starts again when the load settles; a pending load is shared however long it takes.
      const entry: Load<V> = { value, at: Date.now(), life: Infinity };
      loads.set(key, entry);
      const settle = (life: number) => {
        entry.at = Date.now();
        entry.life = life;
      };
      value.then(
        () => settle(ttl),
        () => settle(retryAfter),
      );
      return value;
    },
    delete: loads.delete,
  };
}

/**
 * Returns whether a value is younger than its lifetime. Lower bound: a clock that was set back must not
 * extend it.
 */
function isFresh(at: number, life: number): boolean {
  if (life === Infinity) return true;
  const age = Date.now() - at;
  return age >= 0 && age < life;
}
