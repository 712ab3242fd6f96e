import { createCache, type Kernel, PluginError } from "../../../src/index.ts";

/** Uses a challenge up: of many at once exactly one is told `true`. */
export type Burn = (challenge: string) => Promise<boolean>;

/** Milliseconds; a challenge is too old before. */
const KEPT = 20 * 60_000;
/** Challenges that one process remembers. */
const MAX_LOCAL = 100_000;

/**
 * Makes what uses challenges up: in the store if one is set, for all processes, and in this process
 * anyway. Sealed cookies alone would be good again for whoever kept a copy (SECURITY.md R2).
 */
export function createBurn(kernel: Kernel): Burn {
  const shelf = kernel.store<true>("webauthn-challenges", { optional: true });
  const local = createCache<true>({ max: MAX_LOCAL, ttl: KEPT });
  return async (challenge) => {
    if (local.get(challenge)) return false;
    local.set(challenge, true);
    try {
      return await shelf.putIfAbsent(challenge, true, { ttl: KEPT });
    } catch (error) {
      // No store; one that fails lets nobody in.
      if (error instanceof PluginError) return true;
      throw error;
    }
  };
}
