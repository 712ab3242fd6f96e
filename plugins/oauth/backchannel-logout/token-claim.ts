import type { AuthContext, JWT, Kernel } from "../../../src/kernel.ts";
import type { Logouts, ProviderLogin } from "./logouts.ts";
import type { Logins } from "./provider-login.ts";

/** The claim with the provider sessions with which a session began. It exists only in the sealed cookie. */
const CLAIM = "keyhook.provider_logins";
const NAME = "oauth/backchannel-logout";
/** Maximum number of provider sessions of a session. There are several if the user has linked accounts. */
export const MAX_LOGINS = 5;

/** Returns the provider sessions with which the session of a token began. Only the tap below writes the claim. */
export const readLogins = (token: JWT | undefined): ProviderLogin[] =>
  (token?.[CLAIM] as ProviderLogin[] | undefined) ?? [];

/**
 * Ends sessions in cookies whose provider session has ended. Checks at every read, within the age that `logouts`
 * allows. Returns a function that sets the provider sessions of a session that the request creates.
 */
export function checkTokens(
  kernel: Kernel,
  logouts: Logouts,
  current: Logins,
): (ctx: AuthContext, logins: readonly ProviderLogin[]) => void {
  // The claim before other taps could change the session's token.
  const known = new WeakMap<AuthContext, readonly ProviderLogin[]>();

  kernel.hooks.login.tap({ name: NAME, stage: "last" }, async ({ outcome }, ctx) => {
    // The session continues with another account, and still ends with its original provider session.
    if (outcome === "link") known.set(ctx, readLogins((await ctx.session())?.token));
    else known.delete(ctx);
  });
  kernel.hooks.jwt.tap({ name: NAME, stage: "first" }, async (token, { account, profile }, ctx) => {
    // A stored session ends in the store (`hybrid`).
    if (kernel.strategy.endsWithin) return undefined;
    if (account) {
      const begun = await current.describe(ctx, account, profile);
      known.set(ctx, [...(known.get(ctx) ?? []), ...(begun ? [begun] : [])].slice(-MAX_LOGINS));
      return undefined;
    }
    const logins = readLogins(token);
    known.set(ctx, logins);
    const ended = await Promise.all(logins.map((login) => logouts.isEnded(login)));
    return ended.includes(true) ? null : undefined;
  });
  // The application's callback may return its own token, with client data in it.
  kernel.hooks.jwt.tap({ name: NAME + ":claim", stage: "last" }, (token, _, ctx) => {
    const logins = known.get(ctx) ?? [];
    if (token[CLAIM] === undefined && !logins.length) return undefined;
    const { [CLAIM]: __, ...rest } = token;
    return { ...rest, ...(logins.length && { [CLAIM]: logins }) };
  });
  return (ctx, logins) => void known.set(ctx, logins);
}
