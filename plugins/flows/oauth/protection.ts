import { hasAttempt, randomBase64url, sha256Base64url } from "../../../src/index.ts";
import type { AttemptKey, AttemptValues } from "../../../src/index.ts";
import { endpointOf, isOidc } from "./endpoint.ts";
import { newState, redirectUriOf } from "./redirect-proxy.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

const KEYS = { pkce: "pkceCodeVerifier", state: "state", nonce: "nonce" } as const;

/** The cookies that an attempt must have left, unless it says so itself. */
export function requiredChecks({ checks = [] }: AnyOAuthProvider): AttemptKey[] {
  return checks.flatMap((check) => (check === "none" ? [] : KEYS[check]));
}

/**
 * Makes an attempt's secrets. PKCE alone protects where the server knows it; where its metadata does
 * not say so, `state` and for OpenID Connect `nonce` protect as well (RFC 9700 section 2.1.1), and
 * in place of PKCE where the metadata lists other methods.
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
    // A public client has nothing else that binds the code to it.
    const isPublic = provider.client?.token_endpoint_auth_method === "none";
    if (methods !== undefined && !isPublic) checks.delete("pkce");
  }
  // The cookies of attempts in several tabs are told apart by the state.
  if (hasAttempt(ctx) || redirectUriOf(ctx) !== provider.callbackUrl) checks.add("state");
  return {
    ...(checks.has("state") && { state: await newState(ctx) }),
    ...(checks.has("pkce") && { pkceCodeVerifier: randomBase64url(32) }),
    ...(checks.has("nonce") && { nonce: randomBase64url(32) }),
  };
}

/** What of the secrets is sent along. */
export async function sentParams(
  { provider }: OAuthContext,
  secrets: AttemptValues,
): Promise<Record<string, string>> {
  const { state, nonce, pkceCodeVerifier: verifier } = secrets;
  const { codeChallengeMethod: method = "S256" } = endpointOf(provider, "authorization");
  return {
    ...(state !== undefined && { state }),
    ...(verifier !== undefined && {
      code_challenge: method === "plain" ? verifier : await sha256Base64url(verifier),
      code_challenge_method: method,
    }),
    ...(nonce !== undefined && { nonce }),
  };
}
