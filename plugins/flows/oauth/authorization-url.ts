import { isTrusted } from "../../../src/kernel.ts";
import { getEndpoint, isOidc } from "./endpoint.ts";
import { getRedirectUri } from "./redirect-proxy.ts";
import { fillParams, fillUrl } from "./template.ts";
import type { OAuthContext, Server } from "./types.ts";

/**
 * Parameters that a browser may add. They affect how the provider asks the user, but not what is returned or to whom.
 */
const BROWSER_PARAMS = [
  "prompt",
  "login_hint",
  "max_age",
  "ui_locales",
  "claims_locales",
  "acr_values",
  "display",
  "hd",
  "domain_hint",
];

/** Parameters of the protocol, which no caller may set. */
const PROTOCOL_PARAMS = new Set([
  "client_id",
  "client_secret",
  "code",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "grant_type",
  "id_token_hint",
  "nonce",
  "redirect_uri",
  "registration",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "state",
]);
const MAX_VALUE_LENGTH = 1024;

function listCallerParams(ctx: OAuthContext): [name: string, value: string][] {
  const { allow = [] } = getEndpoint(ctx.provider, "authorization");
  const allowed = new Set([...BROWSER_PARAMS, ...allow]);
  return [...ctx.url.searchParams].filter(
    ([name, value]) =>
      // A visitor's browser must not choose scopes. The application's own code may.
      (isTrusted(ctx) || allowed.has(name)) &&
      !PROTOCOL_PARAMS.has(name) &&
      value !== "" &&
      value.length <= MAX_VALUE_LENGTH,
  );
}

/**
 * Returns the authorization URL. `sent` are the parameters that bind the response to the attempt.
 */
export function buildAuthorizationUrl(
  ctx: OAuthContext,
  server: Server,
  sent: Record<string, string>,
): string {
  const { provider } = ctx;
  const { clientId = "", issuer } = provider;
  const { params, clientIdParam = "client_id", fragment } = getEndpoint(provider, "authorization");
  const values = { clientId, issuer };
  const url = fillUrl(server.authorization_endpoint ?? "", values);
  const query = url.searchParams;

  // WeChat requires this order.
  query.set(clientIdParam, clientId);
  query.set("redirect_uri", getRedirectUri(ctx));
  query.set("response_type", "code");
  // An empty scope in the configuration means no scope at all.
  const hasScope = query.has("scope") || params?.scope !== undefined;
  if (isOidc(provider) && !hasScope) query.set("scope", "openid profile email");
  const own = Object.entries(fillParams(params, values)).filter(
    ([name]) => name === "response_type" || name === "response_mode" || !PROTOCOL_PARAMS.has(name),
  );
  for (const [name, value] of [...own, ...listCallerParams(ctx), ...Object.entries(sent)]) {
    query.set(name, value);
  }
  if (query.get("scope") === "") query.delete("scope");
  if (fragment !== undefined) url.hash = fragment;
  return url.href;
}
