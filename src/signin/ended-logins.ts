import { ifStored } from "../storage/if-stored.ts";
import type { Kernel } from "../types/kernel.ts";

/** Which paused logins have ended with the sessions of their users. */
export interface EndedLogins {
  /** Ends the logins of a stored user that wait, so that none becomes a session after the others were ended. */
  end(userId: string): Promise<void>;
  /** Resolves to whether a login of the user that waits since a time (milliseconds since the epoch) has ended. */
  hasEnded(userId: string, since: number): Promise<boolean>;
}

/** Milliseconds: longer than a login waits. */
const TTL_MS = 20 * 60_000;
/** Users that one process remembers. */
const MAX_USERS = 10_000;

/** Creates the memory of the logins that have ended: in the store, or in this process where there is none. */
export function createEndedLogins(kernel: Kernel): EndedLogins {
  const store = kernel.store<number>("ended-logins", { optional: true });
  const local = kernel.remember(
    "ended logins",
    (createCache) => createCache<number>("ended logins", { max: MAX_USERS, ttl: TTL_MS }),
    { perApplication: true },
  );

  return {
    async end(userId) {
      const at = Date.now();
      await ifStored(
        () => store.put(userId, at, { ttl: TTL_MS }),
        () => local.set(userId, at),
      );
    },
    async hasEnded(userId, since) {
      const at = await ifStored(
        () => store.get(userId),
        () => local.get(userId),
      );
      return at !== undefined && since <= at;
    },
  };
}
