import { andThen, sha256Base64url, wrapMethods } from "../../../src/_kit.ts";
import type { Adapter, BoundedCache, CreateCache, CreatedSession } from "../../../src/kernel.ts";

/** What a process remembers of sessions that have ended in it. */
export interface EndedSessions {
  /** Hashes of their tokens. */
  readonly tokens: BoundedCache<true>;
  /** When sessions of a user have ended, in milliseconds since the epoch: what was looked up before says nothing. */
  readonly users: BoundedCache<number>;
}

const MAX_ENDED = 10_000;
/** The longest `session.checkAge`, after which all are looked up again. */
const CHECK_AGE_MS = 3_600_000;

/** Creates an empty memory of the ended sessions of a plugin. */
export function createEnded(createCache: CreateCache, plugin: string): EndedSessions {
  return {
    tokens: createCache(`${plugin} ended sessions`, { max: MAX_ENDED }),
    users: createCache(`${plugin} users`, { max: MAX_ENDED, ttl: CHECK_AGE_MS }),
  };
}

/** The methods that end sessions of the user whose id is their first argument. */
const OF_USER: readonly string[] = [
  "deleteOtherSessions",
  "deleteSessionById",
  "deleteSessionsByUserId",
  "deleteUser",
  "limitSessions",
  "revokeUserAccess",
];

// Some return the number of sessions, or whether there was one.
function findUser(name: string, [first]: unknown[], result: unknown): string | undefined {
  if (name === "createSession") {
    const { endedCount } = (result ?? {}) as Partial<CreatedSession>;
    return endedCount ? (first as CreatedSession).userId : undefined;
  }
  return OF_USER.includes(name) && result !== 0 && result !== false ? String(first) : undefined;
}

/** Returns an adapter that notes which sessions it ends. */
export function noteEnds(adapter: Adapter, { tokens, users }: EndedSessions): Adapter {
  return wrapMethods(adapter, (name, args, call) =>
    andThen(call(), (result) => {
      const user = findUser(name, args, result);
      if (user !== undefined) users.set(user, Date.now());
      if (name !== "deleteSession") return result;
      return andThen(sha256Base64url(args[0] as string), (hash) => {
        tokens.set(hash, true);
        return result;
      });
    }),
  );
}
