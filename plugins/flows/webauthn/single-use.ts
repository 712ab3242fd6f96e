import { createCache } from "../../../src/_kit.ts";
import { PluginError } from "../../../src/errors.ts";
import { type Kernel } from "../../../src/kernel.ts";

/** Marks a challenge as used; atomic: of N concurrent callers exactly one gets `true`. */
export type SingleUse = (challenge: string) => Promise<boolean>;

/** Milliseconds; a challenge expires earlier. */
const TTL_MS = 20 * 60_000;
/** Challenges that one process remembers. */
const MAX_IN_PROCESS = 100_000;

/**
 * Creates the function that marks challenges as used: in the store if there is one, for all
 * processes, and always in this process. With sealed cookies alone, a copy of them could be
 * replayed (SECURITY.md R2).
 */
export function createSingleUse(kernel: Kernel): SingleUse {
  const store = kernel.store<true>("webauthn-challenges", { optional: true });
  const local = createCache<true>({ max: MAX_IN_PROCESS, ttl: TTL_MS });
  return async (challenge) => {
    if (local.get(challenge)) return false;
    local.set(challenge, true);
    try {
      return await store.putIfAbsent(challenge, true, { ttl: TTL_MS });
    } catch (error) {
      // There is no store. A store that fails refuses the sign-in.
      if (error instanceof PluginError) return true;
      throw error;
    }
  };
}
