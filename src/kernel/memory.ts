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
  remember<T>(
    key: string,
    create: (createCache: CreateCache) => T,
    options?: { isData?: boolean },
  ): T;
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

interface Values {
  readonly byKey: Map<string, unknown>;
  readonly caches: CacheTable;
}

const createValues = (): Values => ({ byKey: new Map(), caches: createCacheTable() });

// The copies of a module that a bundler makes have the global object in common, and nothing else.
const SHARED = Symbol.for("keyhook.shared-memory");

function findShared(name: string): Values {
  const scope = globalThis as { [SHARED]?: Map<string, Values> };
  const all = (scope[SHARED] ??= new Map());
  if (!all.has(name)) all.set(name, createValues());
  return all.get(name) as Values;
}

/**
 * Creates an empty memory. With a name, data is in one that all memories of this name in the process share; what has
 * code, such as classes of which another copy of the module has its own, never is.
 */
export function createMemory(name?: string): Memory {
  const own = createValues();
  const shared = name === undefined ? own : findShared(name);
  return {
    remember<T>(
      key: string,
      create: (createCache: CreateCache) => T,
      { isData = false }: { isData?: boolean } = {},
    ): T {
      const { byKey, caches } = isData ? shared : own;
      if (!byKey.has(key)) byKey.set(key, create(caches.create));
      return byKey.get(key) as T;
    },
    listCaches: () => [...new Set([...own.caches.list(), ...shared.caches.list()])],
  };
}
