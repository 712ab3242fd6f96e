import { PluginError } from "../errors/errors.ts";
import { createCache } from "../platform/cache.ts";
import type { BoundedCache, CacheListing, CreateCache } from "../types/cache.ts";

/** Creates caches and lists their bounds. */
export interface CacheTable {
  create: CreateCache;
  list(): readonly CacheListing[];
}

/** The values that a process remembers for an Auth, by key. All kernels of the Auth share them. */
export interface Memory {
  /** Returns the value of a key. The first call creates it. */
  remember<T>(
    key: string,
    create: (createCache: CreateCache) => T,
    options?: { application?: string | undefined },
  ): T;
  /** Lists the caches among the values. */
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

/** The remembered values of applications, by application name. */
type Applications = BoundedCache<Values>;

/** Maximum number of applications in one process. The least recently used are dropped. */
const MAX_APPLICATIONS = 1000;

const createValues = (): Values => ({ byKey: new Map(), caches: createCacheTable() });
const createApplications = (): Applications => createCache({ max: MAX_APPLICATIONS });

// Copies of a module that a bundler makes share only the global object.
const SHARED = Symbol.for("keyhook.shared-memory");

function findShared(name: string): Applications {
  const scope = globalThis as { [SHARED]?: Map<string, Applications> };
  const all = (scope[SHARED] ??= new Map());
  if (!all.has(name)) all.set(name, createApplications());
  return all.get(name) as Applications;
}

/**
 * Creates an empty memory, in which each application's values are kept apart. With a name, all memories of this name in
 * the process share the values of applications.
 */
export function createMemory(name?: string): Memory {
  const own = createValues();
  const applications = name === undefined ? createApplications() : findShared(name);
  let latest = own;

  const find = (application: string | undefined): Values => {
    if (application === undefined) return own;
    const found = applications.get(application) ?? createValues();
    applications.set(application, found);
    return found;
  };

  return {
    remember<T>(
      key: string,
      create: (createCache: CreateCache) => T,
      { application }: { application?: string | undefined } = {},
    ): T {
      const found = find(application);
      latest = application === undefined ? latest : found;
      const { byKey, caches } = found;
      if (!byKey.has(key)) byKey.set(key, create(caches.create));
      return byKey.get(key) as T;
    },
    listCaches: () => [...new Set([own, latest])].flatMap(({ caches }) => caches.list()),
  };
}
