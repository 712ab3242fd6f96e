import { openEphemeralRecords } from "../storage/ephemeral-records.ts";
import type { Kernel } from "../types/kernel.ts";

/** Which paused logins have ended with the sessions of their users. */
export interface EndedLogins {
  /** Ends the logins of a stored user that wait, so that none becomes a session after the others were ended. */
  end(userId: string): Promise<void>;
  /** Resolves to whether a login of the user that waits since a time (milliseconds since the epoch) has ended. */
  hasEnded(userId: string, since: number): Promise<boolean>;
}

/** Creates the memory of the logins that have ended. */
export function createEndedLogins(kernel: Kernel): EndedLogins {
  const records = openEphemeralRecords<number>(kernel, {
    namespace: "ended-logins",
    cache: "ended logins",
    max: 10_000,
    // Longer than a login waits.
    ttl: 20 * 60_000,
  });
  return {
    end: (userId) => records.put(userId, Date.now()),
    async hasEnded(userId, since) {
      const at = await records.get(userId);
      return at !== undefined && since <= at;
    },
  };
}
