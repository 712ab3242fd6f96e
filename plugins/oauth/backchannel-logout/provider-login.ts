import { decodeBase64url, decodeText, parseJson } from "../../../src/_kit.ts";
import type { Account, Profile } from "../../../src/kernel.ts";
import type { ProviderLogin } from "./logouts.ts";

// The flow has verified the ID token of the sign-in.
function readClaims(idToken: unknown): Record<string, unknown> {
  const part = typeof idToken === "string" ? idToken.split(".")[1] : undefined;
  const payload = part === undefined ? undefined : decodeBase64url(part);
  try {
    return payload ? (parseJson(decodeText(payload) ?? "") as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns the session at a provider of OpenID Connect that a sign-in began with; `undefined` for any other account. */
export function describeLogin(
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
