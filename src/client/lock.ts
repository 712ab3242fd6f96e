import { isPage } from "./navigation.ts";

/** Time limit in milliseconds of waiting for other tabs, one of which may be stopped in a debugger. */
const MAX_WAIT_MS = 20_000;

/**
 * Runs `work` while no other tab does (Web Locks API): tabs can share the result of a read, and no response
 * sets a cookie that a response to another tab has just cleared. `waited` is `true` if another tab had the
 * lock. Browsers support locks on https and localhost; elsewhere `work` runs at once.
 */
export async function withLock<T>(name: string, work: (waited: boolean) => Promise<T>): Promise<T> {
  const locks = isPage() ? navigator.locks : undefined;
  if (!locks) return work(false);
  let started: Promise<T> | undefined;
  const start = (waited: boolean) => (started = work(waited));
  try {
    await locks.request(name, { ifAvailable: true }, (lock) => lock && start(false));
    if (!started) {
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      await locks.request(name, { signal }, () => start(true));
    }
  } catch {
    // `work` failed, and its error is thrown below; or locks are not available, or the time limit was
    // exceeded.
  }
  return started ?? work(true);
}
