import { type Awaitable, isPromise } from "./awaitable.ts";

/**
 * Settles as `promise` does, or rejects with the signal's reason if the signal aborts first, even if `promise` ignores
 * it.
 */
export function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).then(() => signal.removeEventListener("abort", abort));
  });
}

const toTimeout = (milliseconds: number): Error =>
  new DOMException(`no result within ${milliseconds} ms`, "TimeoutError");

/** A signal with a time limit. */
export interface BoundSignal {
  readonly signal: AbortSignal;
  /** Ends the time limit and the connection to the other signals: from then on, nothing aborts the signal. */
  release(): void;
}

/**
 * Creates a signal that is aborted with any of the given signals, and with `explain()` after a time in milliseconds.
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`, whose timers and listeners outlive the work that they belong
 * to.
 */
export function boundSignal(
  signals: readonly (AbortSignal | null | undefined)[],
  milliseconds: number,
  explain: () => Error = () => toTimeout(milliseconds),
): BoundSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(explain()), milliseconds);
  const releases = [() => clearTimeout(timer)];
  for (const signal of signals) {
    if (!signal) continue;
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    releases.push(() => signal.removeEventListener("abort", abort));
  }
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
}

/**
 * Settles as `value` does, within a time in milliseconds.
 * @throws the return value of `explain` after that time. Default: DOMException `TimeoutError`.
 */
export function withTimeout<T>(
  value: Awaitable<T>,
  milliseconds: number,
  explain: () => Error = () => toTimeout(milliseconds),
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
