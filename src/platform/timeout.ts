import type { Awaitable } from "./awaitable.ts";

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
export async function withTimeout<T>(
  value: Awaitable<T>,
  milliseconds: number,
  explain: () => Error = () =>
    new DOMException(`no result within ${milliseconds} ms`, "TimeoutError"),
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(explain()), milliseconds);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
