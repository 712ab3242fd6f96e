import type { AuthContext, JWT, Kernel } from "../../../src/kernel.ts";
import type { Logouts, ProviderLogin } from "./logouts.ts";
import type { Logins } from "./provider-login.ts";

/** The claim with the sessions at providers that a session began with, which is in its sealed cookie alone. */
const CLAIM = "keyhook.provider_logins";
const NAME = "oauth/backchannel-logout";
/** Sessions at providers that a session has: more than one where the user has linked an account. */
export const MAX_LOGINS = 5;

// Nothing but the tap below writes it.
const readLogins = (token: JWT | undefined): ProviderLogin[] =>
  (token?.[CLAIM] as ProviderLogin[] | undefined) ?? [];

/** Ends sessions in cookies that a provider has ended: looks at every read, at the age that `logouts` allows. */
export function checkTokens(kernel: Kernel, logouts: Logouts, current: Logins): void {
  // What was known of the session before other taps could change its token.
  const known = new WeakMap<AuthContext, readonly ProviderLogin[]>();

  kernel.hooks.login.tap({ name: NAME, stage: "last" }, async ({ outcome }, ctx) => {
    // The session goes on with another account, and still ends with the session that it began with.
    if (outcome === "link") known.set(ctx, readLogins((await ctx.session())?.token));
    else known.delete(ctx);
  });
  kernel.hooks.jwt.tap({ name: NAME, stage: "first" }, async (token, { account, profile }, ctx) => {
    // What is stored ends in the store (`hybrid`).
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
  // The application's callback may return a token of its own, with data of the client in it.
  kernel.hooks.jwt.tap({ name: NAME + ":claim", stage: "last" }, (token, _, ctx) => {
    const logins = known.get(ctx) ?? [];
    if (token[CLAIM] === undefined && !logins.length) return undefined;
    const { [CLAIM]: __, ...rest } = token;
    return { ...rest, ...(logins.length && { [CLAIM]: logins }) };
  });
}
