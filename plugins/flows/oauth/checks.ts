import { randomBase64url, sha256Base64url } from "../../../src/_kit.ts";
import { hasAttempt, type AttemptKey, type AttemptValues } from "./attempt.ts";
import { getEndpoint, isOidc } from "./endpoint.ts";
import { newState, getRedirectUri } from "./redirect-proxy.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

const KEYS = { pkce: "pkceCodeVerifier", state: "state", nonce: "nonce" } as const;

/**
 * Returns the cookies that an attempt must have set, for attempts whose cookies do not list them.
 */
export function requiredChecks({ checks = [] }: AnyOAuthProvider): AttemptKey[] {
  return checks.flatMap((check) => (check === "none" ? [] : KEYS[check]));
}

/**
 * Creates an attempt's secrets. PKCE alone protects if the server supports it. If its metadata does
 * not list `S256`, `state` and for OpenID Connect `nonce` are added (RFC 9700 section 2.1.1); they
 * replace PKCE if the metadata lists other methods only.
 */
export async function newSecrets(
  ctx: OAuthContext,
  server: Server,
  isDiscovered: boolean,
): Promise<AttemptValues> {
  const { provider } = ctx;
  const checks = new Set(provider.checks);
  const methods = server.code_challenge_methods_supported;
  if (checks.has("pkce") && isDiscovered && !methods?.includes("S256")) {
    checks.add("state");
    if (isOidc(provider)) checks.add("nonce");
    // For a public client nothing else binds the code to the client.
    const isPublic = provider.client?.token_endpoint_auth_method === "none";
    if (methods !== undefined && !isPublic) checks.delete("pkce");
  }
  // The cookies of concurrent attempts in several tabs are distinguished by the state.
  if (hasAttempt(ctx) || getRedirectUri(ctx) !== provider.callbackUrl) checks.add("state");
  return {
    ...(checks.has("state") && { state: await newState(ctx) }),
    ...(checks.has("pkce") && { pkceCodeVerifier: randomBase64url(32) }),
    ...(checks.has("nonce") && { nonce: randomBase64url(32) }),
  };
}

/** Returns the authorization parameters that are derived from the secrets. */
export async function sentParams(
  { provider }: OAuthContext,
  secrets: AttemptValues,
): Promise<Record<string, string>> {
  const { state, nonce, pkceCodeVerifier: verifier } = secrets;
  const { codeChallengeMethod: method = "S256" } = getEndpoint(provider, "authorization");
  return {
    ...(state !== undefined && { state }),
    ...(verifier !== undefined && {
      code_challenge: method === "plain" ? verifier : await sha256Base64url(verifier),
      code_challenge_method: method,
    }),
    ...(nonce !== undefined && { nonce }),
  };
}
