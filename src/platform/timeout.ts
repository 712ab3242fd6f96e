import { type Awaitable, isPromise } from "./awaitable.ts";

/**
 * Settles as `promise` does, or rejects with the signal's reason if that aborts first, even if `promise`
 * ignores it.
 */
export function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * Resolves as `value` does within so many milliseconds.
 * @throws after that time what `explain` returns; default: DOMException `TimeoutError`.
 */
export function withTimeout<T>(
  value: Awaitable<T>,
  milliseconds: number,
  explain: () => Error = () =>
    new DOMException(`no result within ${milliseconds} ms`, "TimeoutError"),
): Promise<T> {
  if (!isPromise(value)) return Promise.resolve(value);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(explain()), milliseconds);
    value.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
