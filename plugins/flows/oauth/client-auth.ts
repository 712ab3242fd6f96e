import type { ClientAuth } from "oauth4webapi";
import { AuthError } from "../../../src/errors.ts";
import { loadOpenId } from "./load-openid.ts";
import type { AnyOAuthProvider, Exchange } from "./types.ts";

/** Returns the client secret, or the result of the function that creates it. */
export async function getClientSecret(provider: AnyOAuthProvider): Promise<string | undefined> {
  const { clientSecret } = provider;
  const secret =
    typeof clientSecret === "function"
      ? await clientSecret(provider as Parameters<typeof clientSecret>[0])
      : clientSecret;
  return secret || undefined;
}

function getAuthMethod({ ctx, server, clientSecret }: Exchange): string {
  const configured = ctx.provider.client?.token_endpoint_auth_method;
  if (configured !== undefined) return configured;
  if (clientSecret === undefined) return "none";
  const offered = server.token_endpoint_auth_methods_supported;
  const isPostOnly =
    offered?.includes("client_secret_post") && !offered.includes("client_secret_basic");
  return isPostOnly ? "client_secret_post" : "client_secret_basic";
}

// RFC 6749 section 2.3.1, as most servers implement it: some do not decode "%2D", although the RFC requires it.
function basic(clientSecret: string): ClientAuth {
  const encode = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
  return (_, client, __, headers) => {
    const credentials = `${encode(client.client_id)}:${encode(clientSecret)}`;
    headers.set("authorization", `Basic ${btoa(credentials)}`);
  };
}

/**
 * Returns the client authentication for the token endpoint.
 * @throws AuthError for an unknown method, or when `token.clientPrivateKey` is missing.
 */
export async function getClientAuth(exchange: Exchange): Promise<ClientAuth> {
  const { clientSecret = "" } = exchange;
  const method = getAuthMethod(exchange);
  switch (method) {
    case "client_secret_basic":
      return basic(clientSecret);
    case "client_secret_post":
    case "none":
      return (_, client, body) => {
        body.set("client_id", client.client_id);
        if (method !== "none") body.set("client_secret", clientSecret);
      };
    case "client_secret_jwt":
    case "private_key_jwt":
      return (await loadOpenId(exchange.ctx.kernel)).signAssertion(method, exchange);
    default:
      throw new AuthError(`The client authentication method "${method}" is unknown.`);
  }
}
