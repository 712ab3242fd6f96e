import { type ClientAuth, ClientSecretJwt, modifyAssertion, PrivateKeyJwt } from "oauth4webapi";
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
  { ctx, server, clientSecret = "" }: Exchange,
): ClientAuth {
  // RFC 7523: the audience is the issuer, so that no other server accepts the assertion; if it is
  // unknown, the token endpoint.
  const modify = {
    [modifyAssertion](_: unknown, payload: Record<string, unknown>) {
      if (!server.issuer) payload.aud = server.token_endpoint;
    },
  };
  if (method === "client_secret_jwt") return ClientSecretJwt(clientSecret, modify);
  const key = getEndpoint(ctx.provider, "token").clientPrivateKey;
  if (!key) throw new AuthError("`token.clientPrivateKey` is missing.");
  if (!("key" in key)) return PrivateKeyJwt(key, modify);
  const { key: privateKey, kid } = key;
  return PrivateKeyJwt(kid === undefined ? privateKey : { key: privateKey, kid }, modify);
}
