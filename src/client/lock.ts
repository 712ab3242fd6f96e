import { isPage } from "./navigation.ts";

/** Maximum time in milliseconds to wait for other tabs, one of which may be paused in a debugger. */
const MAX_WAIT_MS = 20_000;

/**
 * Runs `work` while no other tab does (Web Locks API). Tabs can then share the result of a read, and no response sets a
 * cookie that a response to another tab has just cleared. `waited` is `true` if another tab had the lock. Browsers
 * support locks on https and localhost; elsewhere, `work` runs immediately.
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
    // `work` failed, and its error is thrown below. Or locks are not available, or the time limit was exceeded.
  }
  return started ?? work(true);
}
