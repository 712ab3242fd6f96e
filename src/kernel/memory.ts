import { PluginError } from "../errors/errors.ts";
import { createCache } from "../platform/cache.ts";
import type { CacheListing, CreateCache } from "../types/cache.ts";

/** Caches with the list of their bounds. */
export interface CacheTable {
  create: CreateCache;
  list(): readonly CacheListing[];
}

/** What a process remembers for an Auth, by key. All its kernels share it. */
export interface Memory {
  /** Returns the value of a key, which the first call creates. */
  remember<T>(key: string, create: (createCache: CreateCache) => T): T;
  /** Lists the caches among them. */
  listCaches(): readonly CacheListing[];
}

/** Creates an empty table of caches. */
export function createCacheTable(): CacheTable {
  const listed: CacheListing[] = [];
  return {
    create(name, options) {
      const { weigh: _, ...bounds } = options;
      if (typeof name !== "string" || !Number.isInteger(bounds.max) || bounds.max < 1) {
        throw new PluginError(
          'A cache needs a name, and a `max` of entries: createCache("shop/prices", { max: 1000 }).',
        );
      }
      listed.push({ name, ...bounds });
      return createCache(options);
    },
    list: () => listed,
  };
}

/** Creates an empty memory. */
export function createMemory(): Memory {
  const values = new Map<string, unknown>();
  const caches = createCacheTable();
  return {
    remember<T>(key: string, create: (createCache: CreateCache) => T): T {
      if (!values.has(key)) values.set(key, create(caches.create));
      return values.get(key) as T;
    },
    listCaches: caches.list,
  };
}
