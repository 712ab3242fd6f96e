import { getBegun } from "../../../src/_kit.ts";
import type { Account, AuthContext, Kernel, Profile } from "../../../src/kernel.ts";
import { readClaims } from "../_id-token.ts";
import type { Logouts, ProviderLogin } from "./logouts.ts";

// Returns the session at an OpenID Connect provider with which a sign-in began, or `undefined` for any other account.
// The flow has verified the ID token.
function describeLogin(
  { provider, type, id_token: idToken, providerAccountId }: Account,
  profile: Profile | undefined,
): ProviderLogin | undefined {
  if (type !== "oidc") return undefined;
  const { sub = profile?.sub ?? providerAccountId, sid = profile?.sid } = readClaims(idToken);
  return {
    provider,
    sub: String(sub),
    ...(typeof sid === "string" && sid !== "" && { sid }),
  };
}

/** The provider sessions of sign-ins in progress. */
export interface Logins {
  /**
   * Resolves to the session at an OpenID Connect provider with which a request's sign-in began, and the user's last
   * logout before it. Resolves to `undefined` for any other account.
   */
  describe(
    ctx: AuthContext,
    account: Account,
    profile: Profile | undefined,
  ): Promise<ProviderLogin | undefined>;
}

/** Records the user's last logout as soon as the user is known. A later logout ends the resulting session. */
export function trackLogins(kernel: Kernel, logouts: Logouts): Logins {
  const begun = new WeakMap<AuthContext, ProviderLogin>();

  const describe: Logins["describe"] = async (ctx, account, profile) => {
    const login = describeLogin(account, profile);
    const known = begun.get(ctx);
    if (!login || (known?.provider === login.provider && known.sub === login.sub)) {
      return login && known;
    }
    const notes = getBegun(ctx);
    // A login that has waited began before a logout that was received since.
    const noted = known ? undefined : notes.logout;
    const last = noted ?? (await logouts.findLast(login)) ?? 0;
    notes.logout = last;
    const found = { ...login, ...(last > 0 && { after: last }) };
    begun.set(ctx, found);
    return found;
  };

  // First, because other taps of a sign-in may take long.
  kernel.hooks.signIn.tap(
    { name: "oauth/backchannel-logout", stage: "first" },
    async ({ account, profile }, ctx) => {
      if (account) await describe(ctx, account, profile);
      return undefined;
    },
  );
  return { describe };
}
