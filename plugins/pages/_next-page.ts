import { isHere } from "../../src/_kit.ts";
import type { AuthContext } from "../../src/kernel.ts";

/**
 * Errors of a request that has signed in and is sent again while the next page is loading. The CSRF token has then
 * changed, and the attempt, or the code, is used up.
 */
const REPEATED = new Set(["MissingCSRF", "InvalidCheck", "InvalidEmailCode"]);
/** Seconds after a sign-in within which that is the likely cause. */
const REPEAT_S = 60;

/** Returns the URL to which a visitor who has just signed in continues, or `undefined` for other visitors. */
export async function findNextPage(ctx: AuthContext, error = ""): Promise<string | undefined> {
  const current = REPEATED.has(error) && (await ctx.session());
  if (!current) return undefined;
  // A token need not contain the time of the sign-in, so the time of its issue is used.
  const time = current.token ? current.token.iat : await ctx.kernel.strategy.authTime?.(ctx);
  if (time === undefined || Date.now() / 1000 - time >= REPEAT_S) return undefined;
  const target = await ctx.callbackUrl();
  // A link may name this page as its own target.
  return isHere(ctx, target) ? undefined : target;
}
