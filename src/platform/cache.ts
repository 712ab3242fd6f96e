/** Bounds of a cache. */
export interface CacheOptions<V> {
  /** Maximum number of entries. */
  max: number;
  /** Lifetime of an entry in milliseconds. Default: no limit. */
  ttl?: number;
  /** Returns the weight of an entry, in any unit. Default 0. */
  weigh?(value: V, key: string): number;
  /** Maximum total weight. A heavier entry is not kept. Default: no limit. */
  maxWeight?: number;
}

/** A map of limited size. When it is full, it drops old entries, starting with those that were not read. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Number of entries. Expired ones count until they are read or dropped. */
  readonly size: number;
}

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  readonly at: number;
  /** Whether it was read since the cache last searched for entries to drop. */
  isUsed: boolean;
}

/** Creates a cache that is bounded by count, and optionally by age and weight. */
export function createCache<V>(options: CacheOptions<V>): BoundedCache<V> {
  const { max, ttl = Infinity, weigh, maxWeight = Infinity } = options;
  // A Map iterates in insertion order.
  const entries = new Map<string, Entry<V>>();
  let total = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    total -= entry.weight;
  }

  // The oldest entry is dropped, or moved to the end if it was read (second chance). Ordering by the last read would
  // change the map on each read, and reads are nearly all that a cache does.
  function makeRoom(weight: number): void {
    for (const [key, entry] of entries) {
      if (entries.size < max && total + weight <= maxWeight) return;
      drop(key);
      if (!entry.isUsed) continue;
      entries.set(key, { ...entry, isUsed: false });
      total += entry.weight;
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (!isFresh(entry.at, ttl)) {
        drop(key);
        return undefined;
      }
      entry.isUsed = true;
      return entry.value;
    },
    set(key, value) {
      drop(key);
      const weight = weigh?.(value, key) ?? 0;
      if (max < 1 || weight > maxWeight) return;
      makeRoom(weight);
      entries.set(key, { value, weight, at: Date.now(), isUsed: false });
      total += weight;
    },
    delete: drop,
    clear() {
      entries.clear();
      total = 0;
    },
    get size() {
      return entries.size;
    },
  };
}

/** A load as a loader keeps it. It is pending until `life`, in milliseconds from `at`, is finite. */
export interface Load<V> {
  value: Promise<V>;
  at: number;
  life: number;
  /** The load that is to replace this one. */
  next?: Promise<V>;
}

/** Bounds of a loader. */
export interface LoaderOptions<V> {
  /** The cache that keeps the loads. */
  loads: BoundedCache<Load<V>>;
  /** Lifetime of a loaded value in milliseconds. */
  ttl: number;
  /** Time in milliseconds during which a failure is returned again without loading. Default 0: none. */
  retryAfter?: number;
}

/** Loads values once and shares them among callers. */
export interface Loader<V> {
  /** Resolves to the value, from memory until it expires. Concurrent callers share one load. */
  get(key: string, load: () => Promise<V>): Promise<V>;
  /**
   * Loads the key again and resolves to the new value. Concurrent callers share the load. The known value stays until
   * the load succeeds.
   */
  refresh(key: string, load: () => Promise<V>): Promise<V>;
}

/** Creates a loader of remote documents: one load at a time per key, and no failure is kept permanently. */
export function createLoader<V>(options: LoaderOptions<V>): Loader<V> {
  const { loads, ttl, retryAfter = 0 } = options;
  // Turns an exception of `load` into a rejection.
  const start = async (load: () => Promise<V>) => load();

  const loader: Loader<V> = {
    get(key, load) {
      const known = loads.get(key);
      if (known && isFresh(known.at, known.life)) return known.value;
      const value = start(load);
      // `life` starts again when the load settles. A pending load is shared, however long it takes.
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
    refresh(key, load) {
      const known = loads.get(key);
      // Nothing is known yet, or a load is pending.
      if (!known || known.life === Infinity) return loader.get(key, load);
      if (known.next) return known.next;
      const value = start(load);
      known.next = value;
      value.then(
        () => loads.set(key, { value, at: Date.now(), life: ttl }),
        () => delete known.next,
      );
      return value;
    },
  };
  return loader;
}

/**
 * Returns whether a value is younger than its lifetime. The lower bound prevents a clock that was set back from
 * extending it.
 */
function isFresh(at: number, life: number): boolean {
  if (life === Infinity) return true;
  const age = Date.now() - at;
  return age >= 0 && age < life;
}
