import { isHere } from "../../src/_kit.ts";
import type { AuthContext } from "../../src/kernel.ts";

/**
 * Errors of a request that has signed in and is sent again while the next page is loading: the CSRF token has changed, and
 * the attempt, or the code, is used up.
 */
const REPEATED = new Set(["MissingCSRF", "InvalidCheck", "InvalidEmailCode"]);
/** Seconds after a sign-in in which that is the likely cause. */
const REPEAT_S = 60;

/** Returns where a visitor is led on to who has just signed in; `undefined` for everyone else. */
export async function findNextPage(ctx: AuthContext, error = ""): Promise<string | undefined> {
  const current = REPEATED.has(error) && (await ctx.session());
  if (!current) return undefined;
  // Tokens need not state when their user signed in.
  const time = current.token ? current.token.iat : await ctx.kernel.strategy.authTime?.(ctx);
  if (time === undefined || Date.now() / 1000 - time >= REPEAT_S) return undefined;
  const target = await ctx.callbackUrl();
  // A link may name this page as the target.
  return isHere(ctx, target) ? undefined : target;
}
