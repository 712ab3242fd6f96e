import { type ClientAuth, ClientSecretJwt, PrivateKeyJwt } from "oauth4webapi";
import { AuthError } from "../../../src/errors.ts";
import { getEndpoint } from "./endpoint.ts";
import type { AssertionMethod, Exchange } from "./types.ts";

/**
 * Returns the client authentication by an assertion (RFC 7523): a token that the client signs with its secret or its
 * private key.
 * @throws AuthError when `token.clientPrivateKey` is missing.
 */
export function signAssertion(
  method: AssertionMethod,
  { ctx, clientSecret = "" }: Exchange,
): ClientAuth {
  if (method === "client_secret_jwt") return ClientSecretJwt(clientSecret);
  const key = getEndpoint(ctx.provider, "token").clientPrivateKey;
  if (!key) throw new AuthError("`token.clientPrivateKey` is missing.");
  return PrivateKeyJwt(key);
}
