import {
  andThen,
  listAdapterMethods,
  orElse,
  type PerformCall,
  sha256Base64url,
  wrapMethods,
} from "../../../src/_kit.ts";
import type { Adapter, BoundedCache, CreateCache, CreatedSession } from "../../../src/kernel.ts";

/** What a process remembers of sessions that ended in it. */
export interface EndedSessions {
  /** Hashes of the sessions' tokens. */
  readonly tokens: BoundedCache<true>;
  /** When sessions of a user ended, in milliseconds since the epoch. Earlier look-ups of that user are invalid. */
  readonly users: BoundedCache<number>;
}

const MAX_ENDED = 10_000;
/** The maximum of `session.checkAge`, after which all sessions are looked up again. */
const CHECK_AGE_MS = 3_600_000;

/** Creates an empty memory of ended sessions. */
export function createEnded(createCache: CreateCache): EndedSessions {
  return {
    tokens: createCache("strategies/hybrid ended sessions", { max: MAX_ENDED }),
    users: createCache("strategies/hybrid users", { max: MAX_ENDED, ttl: CHECK_AGE_MS }),
  };
}

/** The methods that end sessions of the user whose id is their first argument. */
const ENDING_METHODS: readonly string[] = [
  "deleteOtherSessions",
  "deleteSessionById",
  "deleteSessionsByUserId",
  "deleteUser",
  "limitSessions",
  "revokeUserAccess",
];

/** Returns an adapter that records which sessions it ends. */
export function noteEnds(adapter: Adapter, { tokens, users }: EndedSessions): Adapter {
  const perform: PerformCall = (name, [first], call) => {
    // Also after an error, because the database may have ended them.
    const noteUser = () =>
      void (ENDING_METHODS.includes(name) && users.set(String(first), Date.now()));
    const fail = (error: unknown): never => {
      noteUser();
      throw error;
    };
    return andThen(orElse(call, fail), (result) => {
      // Some methods return the number of sessions, or whether there was one.
      if (result !== 0 && result !== false) noteUser();
      const { endedCount } = (name === "createSession" && result ? result : {}) as CreatedSession;
      if (endedCount) users.set((first as CreatedSession).userId, Date.now());
      if (name !== "deleteSession") return result;
      return andThen(sha256Base64url(first as string), (hash) => {
        tokens.set(hash, true);
        return result;
      });
    });
  };
  return wrapMethods(adapter, perform, listAdapterMethods(adapter));
}
