import { sha256Base64url } from "../crypto/crypto.ts";
import { SessionRequired } from "../errors/errors.ts";
import { checkFreshness } from "../request/fresh-session.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable, User } from "../types/models.ts";

/** Returns whether two users have the same id. Some adapters return numbers as ids. */
export const isSameUser = (one: User | null, other: User | null): boolean =>
  one?.id !== undefined && `${one.id}` === `${other?.id}`;

/** Returns a hash of a user's id. An attempt contains it to recognize the user later without naming them. */
export const getUserFingerprint = (user: User): Awaitable<string> =>
  sha256Base64url(`keyhook link ${user.id}`);

const YES = new Set<unknown>([true, "true", "on", "1"]);

/** Returns whether the request has the field `link`. */
export const isLinkRequest = async (ctx: AuthContext): Promise<boolean> =>
  YES.has((await ctx.body()).link);

/**
 * Returns the fingerprint of the signed-in user if the request has the field `link`, else `undefined`.
 * @throws SessionRequired when there is no session; FreshSessionRequired when the user signed in too long ago.
 */
export async function readLinkRequest(ctx: AuthContext): Promise<string | undefined> {
  if (!(await isLinkRequest(ctx))) return undefined;
  const current = await ctx.kernel.strategy.current(ctx);
  if (!current) {
    throw new SessionRequired(
      "Linking an account requires a session. Sign in before posting `link`.",
    );
  }
  await checkFreshness(ctx);
  return getUserFingerprint(current);
}
