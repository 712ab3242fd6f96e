/** The value that belongs to the asynchronous operation under way. */
export interface Current<T> {
  run<R>(value: T, work: () => R): R;
  get(): T | undefined;
}

/** Creates a `Current`; on a platform without `AsyncLocalStorage` it never has a value. */
export function createCurrent<T>(): Current<T> {
  // Loaded so, since an edge runtime may not have the module.
  const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
  if (!hooks) return { run: (_, work) => work(), get: () => undefined };
  const storage = new hooks.AsyncLocalStorage<T>();
  return { run: (value, work) => storage.run(value, work), get: () => storage.getStore() };
}
