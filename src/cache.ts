/** Bounds of a cache. */
export interface CacheOptions<V> {
  /** Most entries it holds. */
  max: number;
  /** Lifetime of an entry in milliseconds. Default: as long as it is not the least used. */
  ttl?: number;
  /** Weight of an entry, in any unit. Default 0. */
  weigh?(value: V, key: string): number;
  /** Most weight it holds altogether; an entry heavier than that is not kept. */
  maxWeight?: number;
}

/** A small map that forgets the least recently used entry when it is full. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Entries held now; expired ones count until they are asked for or pushed out. */
  readonly size: number;
}

/** Makes a cache bounded by count, and if wished by age and weight. */
export function createCache<V>(options: CacheOptions<V>): BoundedCache<V> {
  const { max, ttl = Infinity, weigh, maxWeight = Infinity } = options;
  // A Map iterates in the order of insertion: the first entry is the least recently used.
  const entries = new Map<string, { value: V; weight: number; at: number }>();
  let total = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
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
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      drop(key);
      const weight = weigh?.(value, key) ?? 0;
      if (weight > maxWeight) return;
      entries.set(key, { value, weight, at: Date.now() });
      total += weight;
      for (const oldest of entries.keys()) {
        if (entries.size <= max && total <= maxWeight) break;
        drop(oldest);
      }
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

/** Bounds of a loader. */
export interface LoaderOptions {
  /** Most keys it remembers. */
  max: number;
  /** How long a loaded value is good, in milliseconds. */
  ttl: number;
  /** How long a failure is repeated without loading again, in milliseconds. Default 0: not at all. */
  retryAfter?: number;
}

/** Loads values once and shares them. */
export interface Loader<V> {
  /** The value, from memory while it is good; callers at the same time share one load. */
  get(key: string): Promise<V>;
  /** Forgets the key, so that the next `get` loads it anew. */
  delete(key: string): void;
}

/** Makes a loader of remote documents: one load at a time per key, and never a failure for good. */
export function createLoader<V>(
  options: LoaderOptions,
  load: (key: string) => Promise<V>,
): Loader<V> {
  const { max, ttl, retryAfter = 0 } = options;
  // `life` starts anew when the load settles; a load under way is good however long it takes.
  interface Entry {
    value: Promise<V>;
    at: number;
    life: number;
  }
  const entries = createCache<Entry>({ max });

  return {
    get(key) {
      const known = entries.get(key);
      if (known && isFresh(known.at, known.life)) return known.value;
      const value = (async () => load(key))();
      const entry: Entry = { value, at: Date.now(), life: Infinity };
      entries.set(key, entry);
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
    delete: entries.delete,
  };
}

/** A clock that was set back must not lengthen a life, hence the lower bound. */
function isFresh(at: number, life: number): boolean {
  if (life === Infinity) return true;
  const age = Date.now() - at;
  return age >= 0 && age < life;
}
