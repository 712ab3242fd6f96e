/**
 * A value, or a promise of it. An application's return value may have only `then`, like the queries of some databases.
 */
export type Awaitable<T> = T | PromiseLike<T>;

/** Returns whether a value is thenable. */
export function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Returns a function that calls `make` on its first call and returns the same promise afterwards. A rejection is not
 * kept.
 */
export function memoizeAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Like `memoizeAsync`, but the function returns the value itself once it is known. */
export function loadOnce<T>(make: () => Promise<T>): () => Awaitable<T> {
  let loaded: { readonly value: T } | undefined;
  const load = memoizeAsync(async () => {
    loaded = { value: await make() };
    return loaded.value;
  });
  return () => (loaded ? loaded.value : load());
}

/** Calls `next` with a value: synchronously, or when the promise resolves. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

/**
 * Calls `run`, and calls `recover` with the error that it throws or rejects with: synchronously, or when the promise
 * rejects.
 */
export function orElse<T, U>(
  run: () => Awaitable<T>,
  recover: (error: unknown) => Awaitable<U>,
): Awaitable<T | U> {
  try {
    const value = run();
    return isPromise(value) ? value.then(undefined, recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/** Returns the values if none of them is a promise; otherwise a promise of all, like `Promise.all`. */
export function all<T extends readonly unknown[]>(
  values: readonly [...T],
): Awaitable<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  type Values = { -readonly [At in keyof T]: Awaited<T[At]> };
  return values.some(isPromise) ? Promise.all(values) : (values as unknown as Values);
}
