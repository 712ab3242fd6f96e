import type { DirectStore, Store } from "../types/store.ts";

const DIRECT = Symbol("direct");

/** Returns the store of plugins over a direct one: its operations always return promises. */
export function toStore<T>(direct: DirectStore<T>): Store<T> {
  const store: Store<T> & { [DIRECT]: DirectStore<T> } = {
    get: async (key) => direct.get(key),
    read: async (key) => direct.read(key),
    put: async (key, value, options) => direct.put(key, value, options),
    putIfAbsent: async (key, value, options) => direct.putIfAbsent(key, value, options),
    take: async (key) => direct.take(key),
    compareAndSet: async (key, expected, value, options) =>
      direct.compareAndSet(key, expected, value, options),
    increment: async (key, by, options) => direct.increment(key, by, options),
    delete: async (key) => direct.delete(key),
    scan: (group) => direct.scan(group),
    [DIRECT]: direct,
  };
  return store;
}

/** Returns the direct store that a store is made over; one of another package is its own. */
export function toDirect<T>(store: Store<T>): DirectStore<T> {
  return (store as Store<T> & { [DIRECT]?: DirectStore<T> })[DIRECT] ?? store;
}
