import { isPage } from "./place.ts";

/** Milliseconds to wait for other tabs, one of which may be stopped in a debugger. */
const PATIENCE = 20_000;

/**
 * Does something while no other tab does: one may be told what the other learned, and no answer sets a
 * cookie that an answer to another tab has just cleared. Browsers know this on https and localhost;
 * elsewhere everybody goes at once.
 */
export async function inTurn<T>(name: string, work: (waited: boolean) => Promise<T>): Promise<T> {
  const locks = isPage() ? navigator.locks : undefined;
  if (!locks) return work(false);
  let begun: Promise<T> | undefined;
  const begin = (waited: boolean) => (begun = work(waited));
  try {
    await locks.request(name, { ifAvailable: true }, (lock) => lock && begin(false));
    if (!begun) {
      const signal = AbortSignal.timeout(PATIENCE);
      await locks.request(name, { signal }, () => begin(true));
    }
  } catch {
    // The work's own fault, told below; or there are no turns here, or none came.
  }
  return begun ?? work(true);
}
