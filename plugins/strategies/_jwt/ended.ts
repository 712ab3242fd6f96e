import { sha256Base64url } from "../../../src/_kit.ts";
import type { AuthContext, BoundedCache } from "../../../src/kernel.ts";
import { listTokens, type Stored } from "./cookie.ts";

const MAX_TOKENS = 10_000;
/** Milliseconds for which a request that has read a session may still run. Its callbacks may call other services. */
const MAX_REQUEST_MS = 60_000;

const remember = <V>({ kernel }: AuthContext, name: string): BoundedCache<V> =>
  kernel.remember(
    name,
    (createCache) => createCache<V>(name, { max: MAX_TOKENS, ttl: MAX_REQUEST_MS }),
    { perApplication: true },
  );

/** The session of a token, as requests in this process see it. */
export interface TrackedSession {
  /** Returns whether a recent sign-out has ended the session. */
  hasEnded(): boolean;
  /** Records that a sign-out ends the session. */
  noteEnd(): void;
  /** Records that the token was renewed, so that the new token belongs to the same session. */
  noteRenewal(cookie: string): Promise<void>;
}

/** Resolves to the session of a token. */
export async function trackSession(ctx: AuthContext, { cookie }: Stored): Promise<TrackedSession> {
  const ended = remember<true>(ctx, "strategies/jwt ended sessions");
  // The first token of each renewed session, by the hashes of all its tokens. Requests in progress may have read an
  // earlier token than the sign-out.
  const renewed = remember<string>(ctx, "strategies/jwt renewed tokens");
  const hash = await sha256Base64url(cookie);
  const session = renewed.get(hash) ?? hash;
  return {
    hasEnded: () => ended.get(session) === true,
    noteEnd: () => ended.set(session, true),
    async noteRenewal(other) {
      // The same token again, because other requests may have read it until now.
      renewed.set(hash, session);
      renewed.set(await sha256Base64url(other), session);
    },
  };
}

/**
 * Records the browser's sessions at a sign-out. A concurrent request of another tab must not write the cookie again,
 * which would restore the session (SECURITY.md F21). A sign-in records nothing: if its response is lost, the previous
 * session continues.
 */
export async function noteEnded(ctx: AuthContext): Promise<void> {
  for (const one of await listTokens(ctx)) (await trackSession(ctx, one)).noteEnd();
}
