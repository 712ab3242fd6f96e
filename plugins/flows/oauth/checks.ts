import { randomBase64url, sha256Base64url } from "../../../src/_kit.ts";
import { hasAttempt, type AttemptKey, type AttemptValues } from "./attempt.ts";
import { getEndpoint, isOidc } from "./endpoint.ts";
import type { Check } from "./provider.ts";
import { createState } from "./redirect-proxy.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

const KEYS = { pkce: "pkceCodeVerifier", state: "state", nonce: "nonce" } as const;

const DEFAULT: readonly Check[] = ["pkce"];

/** Returns the cookies that an attempt must have, for attempts of Auth.js, whose cookies do not list them. */
export function listRequiredChecks({ checks = DEFAULT }: AnyOAuthProvider): AttemptKey[] {
  return checks.flatMap((check) => (check === "none" ? [] : KEYS[check]));
}

/**
 * Returns the checks of an attempt. PKCE alone is enough if the server supports it (RFC 9700 section 2.1.1). `S256` in
 * the discovered metadata says so, or without discovery the option `checks`. Otherwise `state` and, for OpenID Connect,
 * `nonce` are added. They replace PKCE if the metadata lists only other methods, unless the client is public.
 */
function chooseChecks(
  { provider }: OAuthContext,
  { code_challenge_methods_supported: methods }: Server,
  isDiscovered: boolean,
): Set<Check> {
  const checks = new Set(provider.checks ?? DEFAULT);
  const isStated = provider.checks !== undefined && !isDiscovered;
  if (!checks.has("pkce") || isStated || (isDiscovered && methods?.includes("S256"))) return checks;
  checks.add("state");
  if (isOidc(provider)) checks.add("nonce");
  // For a public client, only PKCE binds the code to the client.
  const isPublic = provider.client?.token_endpoint_auth_method === "none";
  if (isDiscovered && methods !== undefined && !isPublic) checks.delete("pkce");
  return checks;
}

/**
 * Creates an attempt's secrets, according to its checks. Without checks, it creates a secret that is not sent, so that
 * a response is accepted only in a browser with an attempt in progress.
 */
export async function createSecrets(
  ctx: OAuthContext,
  server: Server,
  { isDiscovered, isLinking }: { isDiscovered: boolean; isLinking: boolean },
): Promise<AttemptValues> {
  const { provider } = ctx;
  const checks = chooseChecks(ctx, server, isDiscovered);
  if (checks.size === 0) return { oauthAttempt: randomBase64url(32) };
  // The state tells a redirect proxy the deployment, and distinguishes concurrent attempts in several tabs. Linking
  // always uses it too: a link is permanent, and a server may fail to refuse a verifier for a code without a challenge
  // (RFC 9700 section 4.8.2).
  if (isLinking || provider.redirectProxyUrl !== undefined || hasAttempt(ctx)) checks.add("state");
  return {
    ...(checks.has("state") && { state: await createState(ctx) }),
    ...(checks.has("pkce") && { pkceCodeVerifier: randomBase64url(32) }),
    ...(checks.has("nonce") && { nonce: randomBase64url(32) }),
  };
}

/** Returns the authorization parameters that are derived from the secrets. */
export async function buildSentParams(
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
