import { sha256Base64url } from "../../../src/_kit.ts";
import type { AuthContext, BoundedCache } from "../../../src/kernel.ts";
import { listTokens, type Stored } from "./cookie.ts";

const MAX_TOKENS = 10_000;
/** Milliseconds for which a request that has read a session may be under way: its callbacks may call other services. */
const UNDER_WAY_MS = 60_000;

const remember = <V>({ kernel }: AuthContext, name: string): BoundedCache<V> =>
  kernel.remember(
    name,
    (createCache) => createCache<V>(name, { max: MAX_TOKENS, ttl: UNDER_WAY_MS }),
    { perApplication: true },
  );

/** The session of a token, as far as requests of this process are concerned. */
export interface TrackedSession {
  /** Returns whether a sign-out has ended it a moment ago. */
  hasEnded(): boolean;
  /** Notes that a sign-out ends it. */
  noteEnd(): void;
  /** Notes that the token was renewed: the other one is of the same session. */
  noteRenewal(cookie: string): Promise<void>;
}

/** Resolves to the session of a token. */
export async function trackSession(ctx: AuthContext, { cookie }: Stored): Promise<TrackedSession> {
  const ended = remember<true>(ctx, "strategies/jwt ended sessions");
  // The first token of each session that was renewed, by the hashes of all its tokens: requests that are under way may have
  // read an earlier one than the sign-out.
  const renewed = remember<string>(ctx, "strategies/jwt renewed tokens");
  const hash = await sha256Base64url(cookie);
  const session = renewed.get(hash) ?? hash;
  return {
    hasEnded: () => ended.get(session) === true,
    noteEnd: () => ended.set(session, true),
    async noteRenewal(other) {
      // The token again: other requests may have read it until now.
      renewed.set(hash, session);
      renewed.set(await sha256Base64url(other), session);
    },
  };
}

/**
 * Notes the browser's sessions at a sign-out. A request of another tab that began before must not write the cookie again,
 * which would bring the session back (SECURITY.md F21). A sign-in notes nothing: where its response is lost, the session
 * before it goes on.
 */
export async function noteEnded(ctx: AuthContext): Promise<void> {
  for (const one of await listTokens(ctx)) (await trackSession(ctx, one)).noteEnd();
}
