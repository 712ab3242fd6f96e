import { isSecureUrl } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { TokenSet } from "../../../src/kernel.ts";
import { getEndpoint } from "./endpoint.ts";
import { fillUrl } from "./template.ts";
import { postAsClient } from "./tokens.ts";
import type { Exchange } from "./types.ts";

/** The tokens of a grant to revoke. */
export type RevocableTokens = Pick<TokenSet, "access_token" | "refresh_token">;

/** The parameters of a logout request to a provider. */
export interface LogoutRequest {
  /** The ID token of the sign-in. */
  readonly idToken?: string | undefined;
  /** The URL to which the visitor returns. */
  readonly returnTo: string;
  readonly state: string;
}

function expectSecure(url: URL): URL {
  if (isSecureUrl(url)) return url;
  throw new AuthError(`The URL at ${url.host} is not https.`);
}

/** Returns the URL at which a provider ends its own session, or `undefined`. */
export function buildEndSessionUrl(
  { ctx: { provider }, server, values }: Exchange,
  { idToken, returnTo, state }: LogoutRequest,
): URL | undefined {
  const { url: given, returnParam, hint, state: echo } = getEndpoint(provider, "endSession");
  const endpoint = given ?? server.end_session_endpoint;
  if (endpoint === undefined) return undefined;
  const url = expectSecure(fillUrl(endpoint, values));
  const params = {
    client_id: provider.clientId,
    [returnParam ?? "post_logout_redirect_uri"]: returnTo,
    ...(hint !== false && { id_token_hint: idToken }),
    ...(echo !== false && { state }),
  };
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/**
 * Revokes a grant (RFC 7009, or the provider's own method) by its refresh token, or else by its access token. When a
 * refresh token is revoked, the provider revokes the access tokens too. Resolves to `false` if the provider has no URL
 * for it, or the grant has no token.
 * @throws AuthError when the provider does not confirm it.
 */
export async function requestRevocation(
  exchange: Exchange,
  tokens: RevocableTokens,
): Promise<boolean> {
  const { ctx, server, values, clientSecret = "", fetch } = exchange;
  const { provider } = ctx;
  const { url: given, method = "POST", json } = getEndpoint(provider, "revocation");
  const endpoint = given ?? server.revocation_endpoint;
  const kinds = ["refresh_token", "access_token"] as const;
  const kind = kinds.find((one) => tokens[one] && (json === undefined || one === "access_token"));
  if (endpoint === undefined || kind === undefined) return false;
  const value = tokens[kind] ?? "";
  const { href } = expectSecure(fillUrl(endpoint, values));
  let response: Response;
  if (json === undefined) {
    const body = new URLSearchParams({ token: value, token_type_hint: kind });
    response = await postAsClient(exchange, href, body);
  } else {
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      // Some services refuse requests without a user agent.
      "user-agent": "keyhook",
      authorization: `Basic ${btoa(`${provider.clientId ?? ""}:${clientSecret}`)}`,
    };
    response = await fetch(href, { method, headers, body: JSON.stringify({ [json]: value }) });
  }
  if (response.ok) return true;
  throw new AuthError(`The revocation endpoint responded with status ${response.status}.`);
}
