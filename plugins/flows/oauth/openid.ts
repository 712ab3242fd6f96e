import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { signAssertion } from "./assertion.ts";
import { createDiscovery } from "./discovery.ts";
import { listAlgorithms, verifyIdToken, verifySigned } from "./id-token.ts";
import { createKeys } from "./jwks.ts";
import { verifyLogoutToken } from "./logout-token.ts";
import type { OpenId } from "./types.ts";

/** Creates the functions. This module is imported when a sign-in first needs one. */
export function createOpenId(kernel: Kernel): OpenId {
  const keys = createKeys(kernel);
  return {
    ...createDiscovery(kernel),
    signAssertion,
    verifyIdToken: (idToken, exchange, accessToken) =>
      verifyIdToken(idToken, exchange, keys, accessToken),
    verifyLogoutToken: (token, exchange) => verifyLogoutToken(token, exchange, keys),
    async verifyUserinfo(token, exchange) {
      const { ctx, server } = exchange;
      const { clientId = "", client } = ctx.provider;
      const claims = await verifySigned(token, exchange, keys, {
        algorithms: listAlgorithms(client?.userinfo_signed_response_alg, undefined),
        clockTolerance: 60,
      });
      // OpenID Connect Core, section 5.3.2: `iss` and `aud` are recommended. If present, they must match.
      const audience = [claims.aud ?? clientId].flat();
      // If the issuer is unknown, the keys are those of the provider's configuration.
      const isOther =
        server.issuer !== undefined && (claims.iss ?? server.issuer) !== server.issuer;
      if (!audience.includes(clientId) || isOther) {
        throw new AuthError("The profile is signed for another client or by another issuer.");
      }
      return claims;
    },
  };
}
