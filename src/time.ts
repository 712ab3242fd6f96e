import type { Awaitable } from "./types/models.ts";

/** Waits for `promise`, but not beyond the signal, even if `promise` never heard of it. */
export function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Waits for `value`, but no longer than so many milliseconds. */
export async function within<T>(value: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `no answer in ${milliseconds} ms`;
    timer = setTimeout(() => reject(new DOMException(text, "TimeoutError")), milliseconds);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
