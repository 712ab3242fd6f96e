import type { Kernel } from "../../../src/kernel.ts";
import { admitAll, createLimiter } from "../rate-limit.ts";

/** What is tried: a code that an app shows, or a recovery code. */
export type AttemptKind = "code" | "recovery";

/** An attempt at the second factor of a user. */
export interface Attempt {
  /** Whether its code may be accepted. */
  readonly isAdmitted: boolean;
  /** Notes that the code was right. */
  succeed(): Promise<void>;
}

/** The attempts at the second factors of all users. */
export interface Attempts {
  /** Counts an attempt that begins, atomically; `client` is `undefined` where it is not known. */
  begin(kind: AttemptKind, userId: string, client: string | undefined): Promise<Attempt>;
  /** Resets the count of a user's codes from all clients together. The counts of single clients stay. */
  reset(userId: string): Promise<void>;
}

const DAY_S = 24 * 60 * 60;
/** Wrong codes of a user from one client; wrong recovery codes have a counter of their own with the same limit. */
const CLIENT = { max: 5, window: 15 * 60 };
/** Wrong codes of a user from one client in a day, so that one client does not use up `USER_DAY`. */
const CLIENT_DAY = { max: 20, window: DAY_S };
/** Wrong codes of a user from all clients. It limits how many codes an attacker can guess (SECURITY.md R20). */
const USER_DAY = { max: 100, window: DAY_S };

/**
 * Creates the counters. An attacker who knows the password can try codes. They count for the client that sent them, so
 * that the user is not locked out elsewhere, and for the user, because six digits could be guessed from many clients.
 * Recovery codes are counted separately, and only by client: 120 random bits cannot be guessed, and the user can always
 * use one.
 */
export function createAttempts(kernel: Kernel): Attempts {
  const limiter = createLimiter(kernel, "second-factor-attempts");
  const ofUser = (userId: string) => limiter(USER_DAY, "user", userId);

  const listCounters = (kind: AttemptKind, userId: string, client: string | undefined) => {
    const subject = [userId, client ?? ""] as const;
    if (kind === "recovery") return [limiter(CLIENT, "recovery", ...subject)];
    const short = limiter(CLIENT, "client", ...subject);
    // Clients with unknown addresses count as one. They would share a lock of a whole day.
    return client === undefined ? [short] : [short, limiter(CLIENT_DAY, "client-day", ...subject)];
  };

  return {
    async begin(kind, userId, client) {
      const own = listCounters(kind, userId, client);
      const shared = kind === "code" ? [ofUser(userId)] : [];
      const isAdmitted = (await admitAll([...own, ...shared])) === undefined;
      return {
        isAdmitted,
        async succeed() {
          // Attempts of others stay counted, so that a sign-in of the user does not give them more guesses.
          const calls = [...own.map((one) => one.reset()), ...shared.map((one) => one.refund())];
          await Promise.all(calls);
        },
      };
    },
    reset: (userId) => ofUser(userId).reset(),
  };
}
