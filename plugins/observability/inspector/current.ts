import { getBuiltin } from "../../../src/_kit.ts";

/** The value that belongs to the current asynchronous operation. */
export interface Current<T> {
  run<R>(value: T, work: () => R): R;
  get(): T | undefined;
}

/** Creates a `Current`. On a platform without `AsyncLocalStorage` it never has a value. */
export function createCurrent<T>(): Current<T> {
  const { AsyncLocalStorage } = getBuiltin("node:async_hooks") ?? {};
  if (!AsyncLocalStorage) return { run: (_, work) => work(), get: () => undefined };
  const storage = new AsyncLocalStorage<T>();
  return { run: (value, work) => storage.run(value, work), get: () => storage.getStore() };
}
