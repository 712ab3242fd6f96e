import type { Kernel } from "../types/kernel.ts";
import type { StoreRequirements } from "../types/store.ts";

/** Records that live for minutes, in the store or in this process. */
export interface EphemeralRecords<T> {
  get(key: string): Promise<T | undefined>;
  /** Writes a record over any existing one. `ttl`: the lifetime in the store in milliseconds, if shorter. */
  put(key: string, value: T, ttl?: number): Promise<void>;
  /** Writes a record if there is none, and resolves to whether it did. */
  putIfAbsent(key: string, value: T, ttl?: number): Promise<boolean>;
  /** Reads a record and deletes it. */
  take(key: string): Promise<T | undefined>;
}

/** Where the records are kept, and how many. */
export interface EphemeralRecordsOptions extends Pick<StoreRequirements, "atomic"> {
  /** Namespace of the store. */
  namespace: string;
  /** Name of the cache that keeps the records of this process. */
  cache: string;
  /** Maximum number of records in this process. */
  max: number;
  /** Lifetime of a record in milliseconds. */
  ttl: number;
}

/**
 * Opens records that are kept in the store if one is set, and otherwise in the memory of this process. Use them only
 * for data that may get lost.
 */
export function openEphemeralRecords<T>(
  kernel: Kernel,
  { namespace, cache, max, ttl: lifetime, ...requirements }: EphemeralRecordsOptions,
): EphemeralRecords<T> {
  const store = kernel.store<T>(namespace, { ...requirements, optional: true });
  const local = kernel.remember(
    cache,
    (createCache) => createCache<T>(cache, { max, ttl: lifetime }),
    { perApplication: true },
  );
  return {
    get: async (key) => (store.isAvailable ? store.get(key) : local.get(key)),
    async put(key, value, ttl = lifetime) {
      if (store.isAvailable) await store.put(key, value, { ttl });
      else local.set(key, value);
    },
    async putIfAbsent(key, value, ttl = lifetime) {
      if (store.isAvailable) return store.putIfAbsent(key, value, { ttl });
      if (local.get(key) !== undefined) return false;
      local.set(key, value);
      return true;
    },
    async take(key) {
      if (store.isAvailable) return store.take(key);
      const value = local.get(key);
      local.delete(key);
      return value;
    },
  };
}
