import { openEphemeralRecords } from "../storage/ephemeral-records.ts";
import type { Kernel } from "../types/kernel.ts";

/** Which paused logins have ended with the sessions of their users. */
export interface EndedLogins {
  /** Ends the logins of a stored user that wait, so that none becomes a session after the others were ended. */
  end(userId: string): Promise<void>;
  /** Resolves to what a login keeps that begins to wait now: which end of the user's logins was the last; 0 if there was none. */
  findLast(userId: string): Promise<number>;
  /** Resolves to whether a login of the user has ended since it kept that. */
  hasEnded(userId: string, last: number | undefined): Promise<boolean>;
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
  const findLast = async (userId: string) => (await records.get(userId)) ?? 0;
  return {
    // Compared for being another one, and not by time: the login may wait in a process whose clock is another one. The
    // fraction tells two of one millisecond apart.
    end: (userId) => records.put(userId, Date.now() + Math.random()),
    findLast,
    async hasEnded(userId, last) {
      const now = await findLast(userId);
      return now !== 0 && now !== last;
    },
  };
}
