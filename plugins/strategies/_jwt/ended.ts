import { sha256Base64url } from "../../../src/_kit.ts";
import type { AuthContext, BoundedCache } from "../../../src/kernel.ts";
import { listTokens, type Stored } from "./cookie.ts";

const NAME = "strategies/jwt ended tokens";
const MAX_TOKENS = 10_000;
/** Milliseconds for which a request that has read a session may be under way: its callbacks may call other services. */
const UNDER_WAY_MS = 60_000;

const getEnded = ({ kernel }: AuthContext): BoundedCache<true> =>
  kernel.remember(NAME, (createCache) =>
    createCache<true>(NAME, { max: MAX_TOKENS, ttl: UNDER_WAY_MS }),
  );

const toKey = async ({ json }: Stored): Promise<string> => sha256Base64url(json);

/**
 * Notes the browser's tokens at a sign-out. A request of another tab that began before must not write the cookie again,
 * which would bring the session back (SECURITY.md F21). A sign-in notes nothing: where its response is lost, the session
 * before it goes on.
 */
export async function noteEnded(ctx: AuthContext): Promise<void> {
  for (const one of await listTokens(ctx)) getEnded(ctx).set(await toKey(one), true);
}

/** Resolves to whether a request of this process has ended the session of a token a moment ago. */
export async function hasEnded(ctx: AuthContext, stored: Stored): Promise<boolean> {
  return getEnded(ctx).get(await toKey(stored)) === true;
}
