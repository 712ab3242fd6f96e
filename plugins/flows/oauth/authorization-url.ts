import { isTrusted } from "../../../src/index.ts";
import { endpointOf, isOidc } from "./endpoint.ts";
import { fillParams, fillUrl } from "./fill.ts";
import { redirectUriOf } from "./redirect-proxy.ts";
import type { OAuthContext, Server } from "./types.ts";

/** What a caller may add to the request: how the provider asks, never what it answers to whom. */
const ALLOWED = [
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

/** Parameters that are the protocol's, whoever asks. */
const PROTOCOL = new Set([
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
const LONGEST = 1024;

function callerParams(ctx: OAuthContext): [name: string, value: string][] {
  const { allow = [] } = endpointOf(ctx.provider, "authorization");
  // A visitor's browser is no authority on scopes; the application's own code is.
  const allowed = new Set([...ALLOWED, ...allow, ...(isTrusted(ctx) ? ["scope"] : [])]);
  return [...ctx.url.searchParams].filter(
    ([name, value]) =>
      allowed.has(name) && !PROTOCOL.has(name) && value !== "" && value.length <= LONGEST,
  );
}

/** The URL that the visitor is sent to. `sent` are the parameters that tie the answer to it. */
export function authorizationUrl(
  ctx: OAuthContext,
  server: Server,
  sent: Record<string, string>,
): string {
  const { provider } = ctx;
  const { clientId = "", issuer } = provider;
  const { params, clientIdParam = "client_id", fragment } = endpointOf(provider, "authorization");
  const values = { clientId, issuer };
  const url = fillUrl(server.authorization_endpoint ?? "", values);
  const query = url.searchParams;

  // In the order that WeChat insists on.
  query.set(clientIdParam, clientId);
  query.set("redirect_uri", redirectUriOf(ctx));
  query.set("response_type", "code");
  // An empty scope in the configuration means none at all.
  const hasScope = query.has("scope") || params?.scope !== undefined;
  if (isOidc(provider) && !hasScope) query.set("scope", "openid profile email");
  const own = Object.entries(fillParams(params, values)).filter(
    ([name]) => name === "response_type" || name === "response_mode" || !PROTOCOL.has(name),
  );
  for (const [name, value] of [...own, ...callerParams(ctx), ...Object.entries(sent)]) {
    query.set(name, value);
  }
  if (query.get("scope") === "") query.delete("scope");
  if (fragment !== undefined) url.hash = fragment;
  return url.href;
}
