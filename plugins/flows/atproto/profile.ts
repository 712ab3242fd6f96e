import { isListedOrigin } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { readObject } from "../_response-json.ts";
import type { Network } from "./network.ts";
import type { Granted } from "./oauth.ts";
import type { AtprotoProfile } from "./provider.ts";
import type { Account, AtprotoContext } from "./types.ts";

/** Scopes with which the server returns the address. */
const EMAIL_SCOPES = ["transition:email", "account:email"];

const getText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

async function fetchEmail(
  { did, pds }: Account,
  { scopes, request }: Granted,
): Promise<Pick<AtprotoProfile, "email" | "emailConfirmed">> {
  if (!EMAIL_SCOPES.some((scope) => scopes.includes(scope))) return {};
  const response = await request(`${pds}/xrpc/com.atproto.server.getSession`);
  const what = "The session of the personal data server";
  if (response.status !== 200) throw new AuthError(`${what} has the status ${response.status}.`);
  const session = await readObject(response, what);
  if (session.did !== did) throw new AuthError(`${what} is for another account.`);
  const email = getText(session.email);
  return email === undefined ? {} : { email, emailConfirmed: session.emailConfirmed === true };
}

// The data is public and optional: a service that is down must not prevent a sign-in.
async function fetchPublic(
  ctx: AtprotoContext,
  { did }: Account,
  { own }: Network,
): Promise<Pick<AtprotoProfile, "displayName" | "avatar">> {
  const { userinfo } = ctx.provider;
  if (userinfo === undefined) return {};
  try {
    const response = await own(userinfo.url.replace("{did}", encodeURIComponent(did)), {
      headers: { accept: "application/json" },
    });
    const found = response.status === 200 ? await readObject(response, "The public profile") : {};
    if (found.did !== did) return {};
    const displayName = getText(found.displayName);
    const avatar = getText(found.avatar);
    return { ...(displayName && { displayName }), ...(avatar && { avatar }) };
  } catch (error) {
    ctx.debug?.("the public profile is not known", { reason: (error as Error).name });
    return {};
  }
}

/**
 * Resolves to the profile of an account.
 * @throws AuthError, or an error of oauth4webapi, when the server does not return the address although the scope is
 * granted.
 */
export async function fetchProfile(
  ctx: AtprotoContext,
  account: Account,
  granted: Granted,
  network: Network,
): Promise<AtprotoProfile> {
  const { did, handle, pds } = account;
  const [email, known] = await Promise.all([
    fetchEmail(account, granted),
    fetchPublic(ctx, account, network),
  ]);
  return { did, handle, pds, ...known, ...email };
}

/**
 * Returns whether the address of a profile is verified. Only a server that the configuration trusts can say so: the
 * personal data server that returned the address, not the authorization server. The account's owner chooses both.
 */
export function isEmailVerified({ provider }: AtprotoContext, profile: AtprotoProfile): boolean {
  const { trustedServers = [] } = provider;
  return profile.emailConfirmed === true && isListedOrigin(new URL(profile.pds), trustedServers);
}
