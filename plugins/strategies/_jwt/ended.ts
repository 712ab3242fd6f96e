import { sha256Base64url } from "../../../src/_kit.ts";
import type { AuthContext, BoundedCache } from "../../../src/kernel.ts";
import { listTokens, type Stored } from "./cookie.ts";

const MAX_TOKENS = 10_000;
/** Milliseconds for which a request that has read a session may be under way: its callbacks may call other services. */
const UNDER_WAY_MS = 60_000;

const remember = <V>({ kernel }: AuthContext, name: string): BoundedCache<V> =>
  kernel.remember(name, (createCache) =>
    createCache<V>(name, { max: MAX_TOKENS, ttl: UNDER_WAY_MS }),
  );

const getEnded = (ctx: AuthContext) => remember<true>(ctx, "strategies/jwt ended sessions");
// The first token of each session that was renewed, by the hashes of all its tokens: requests that are under way may have
// read an earlier one than the sign-out.
const getRenewed = (ctx: AuthContext) => remember<string>(ctx, "strategies/jwt renewed tokens");

async function toSession(ctx: AuthContext, cookie: string): Promise<string> {
  const hash = await sha256Base64url(cookie);
  return getRenewed(ctx).get(hash) ?? hash;
}

/** Notes that a token was renewed: the other one is of the same session. */
export async function noteRenewal(
  ctx: AuthContext,
  { cookie }: Stored,
  renewed: string,
): Promise<void> {
  const known = getRenewed(ctx);
  const before = await sha256Base64url(cookie);
  const session = known.get(before) ?? before;
  // The earlier one again: other requests may have read it until now.
  known.set(before, session);
  known.set(await sha256Base64url(renewed), session);
}

/**
 * Notes the browser's sessions at a sign-out. A request of another tab that began before must not write the cookie again,
 * which would bring the session back (SECURITY.md F21). A sign-in notes nothing: where its response is lost, the session
 * before it goes on.
 */
export async function noteEnded(ctx: AuthContext): Promise<void> {
  for (const { cookie } of await listTokens(ctx)) {
    getEnded(ctx).set(await toSession(ctx, cookie), true);
  }
}

/** Resolves to whether a request of this process has ended the session of a token a moment ago. */
export async function hasEnded(ctx: AuthContext, { cookie }: Stored): Promise<boolean> {
  return getEnded(ctx).get(await toSession(ctx, cookie)) === true;
}
