import { openEphemeralRecords } from "../storage/ephemeral-records.ts";
import type { Kernel } from "../types/kernel.ts";

/** Records which paused logins ended together with their users' sessions. */
export interface EndedLogins {
  /** Ends the paused logins of a stored user, so that none becomes a session after the user's sessions were ended. */
  end(userId: string): Promise<void>;
  /**
   * Resolves to a mark of the last `end` of the user's logins, which a login keeps when it is paused; 0 if there was
   * none.
   */
  findLast(userId: string): Promise<number>;
  /** Resolves to whether the user's logins were ended since a login kept the mark `last`. */
  hasEnded(userId: string, last: number | undefined): Promise<boolean>;
}

/** Creates the record of ended logins. */
export function createEndedLogins(kernel: Kernel): EndedLogins {
  const records = openEphemeralRecords<number>(kernel, {
    namespace: "ended-logins",
    cache: "ended logins",
    max: 10_000,
    // Longer than a login stays paused.
    ttl: 20 * 60_000,
  });
  const findLast = async (userId: string) => (await records.get(userId)) ?? 0;
  return {
    // Marks are compared for equality, not by time, because the login may be paused in a process with another clock.
    // The fraction distinguishes two calls in the same millisecond.
    end: (userId) => records.put(userId, Date.now() + Math.random()),
    findLast,
    async hasEnded(userId, last) {
      const now = await findLast(userId);
      return now !== 0 && now !== last;
    },
  };
}
