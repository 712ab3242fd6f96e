import type { Kernel } from "../types/kernel.ts";
import type { Store } from "../types/store.ts";

/**
 * Milliseconds that a value stays marked. A single-use value must expire earlier, even for a process whose clock is
 * behind that of the process that marked it.
 */
const TTL_MS = 40 * 60_000;
/** Maximum number of values that one process remembers. */
const MAX_IN_PROCESS = 100_000;

/**
 * Creates `kernel.useOnce`: marks values in the store if there is one, and always in this process. A sealed cookie
 * alone proves nothing, since a copy of it could be replayed (SECURITY.md R2).
 */
export function createSingleUse(
  store: Store<true>,
  remember: Kernel["remember"],
): Kernel["useOnce"] {
  const local = remember(
    "single-use",
    (createCache) => createCache<true>("single-use", { max: MAX_IN_PROCESS, ttl: TTL_MS }),
    { perApplication: true },
  );
  return async (purpose, value) => {
    const key = `${purpose} ${value}`;
    if (local.get(key)) return false;
    local.set(key, true);
    return !store.isAvailable || store.putIfAbsent(key, true, { ttl: TTL_MS });
  };
}
