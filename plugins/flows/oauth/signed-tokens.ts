import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { listAlgorithms, verifyIdToken, verifySigned } from "./id-token.ts";
import { createKeys } from "./jwks.ts";
import type { SignedTokens } from "./types.ts";

/** Creates the functions. This module is imported with the first signed token. */
export function createSignedTokens(kernel: Kernel): SignedTokens {
  const keys = createKeys(kernel);
  return {
    verifyIdToken: (idToken, exchange, accessToken) =>
      verifyIdToken(idToken, exchange, keys, accessToken),
    async verifyUserinfo(token, exchange) {
      const { ctx, server } = exchange;
      const { clientId = "", client } = ctx.provider;
      const claims = await verifySigned(token, exchange, keys, {
        algorithms: listAlgorithms(client?.userinfo_signed_response_alg, undefined),
        clockTolerance: 60,
      });
      // OpenID Connect Core, section 5.3.2: `iss` and `aud` should be present; if present, they must
      // match.
      const audience = [claims.aud ?? clientId].flat();
      if (!audience.includes(clientId) || (claims.iss ?? server.issuer) !== server.issuer) {
        throw new AuthError(
          "The userinfo response is signed for another client or by another issuer.",
        );
      }
      return claims;
    },
  };
}
