import type { BoundedCache, CacheOptions } from "../platform/cache.ts";

export type { BoundedCache, CacheOptions };

/**
 * Creates a bounded cache. Its name must be constant and start with the name of the plugin; `inspect()` lists it.
 * @throws PluginError without a name, and unless `max` is a whole number above 0.
 * @example const prices = kernel.createCache<number>("shop/prices", { max: 1000, ttl: 60_000 });
 */
export type CreateCache = <V>(name: string, options: CacheOptions<V>) => BoundedCache<V>;

/** A cache as `inspect()` lists it. */
export interface CacheListing {
  name: string;
  /** Maximum number of entries. */
  max: number;
  /** Lifetime of an entry in milliseconds; absent without a limit. */
  ttl?: number;
  /** Maximum total weight of the entries, in the unit of the cache's `weigh`; absent without a limit. */
  maxWeight?: number;
}
