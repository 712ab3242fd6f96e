import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as CognitoProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with an Amazon Cognito user pool. The callback is `/auth/callback/cognito`. Reads `AUTH_COGNITO_ID`,
 * `AUTH_COGNITO_SECRET` and `AUTH_COGNITO_ISSUER`. `issuer` is required: the issuer of the user pool, which needs a
 * domain. `providerLogout` ends Cognito's own session. Add its callback to the allowed sign-out URLs.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html
 */
export const cognitoPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "cognito",
  name: "Cognito",
  type: "oidc",
  style: { brandColor: "#C17B9E" },
  settings: {
    issuer: {
      required: true,
      example: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123",
    },
  },
  endSession: { returnParam: "logout_uri", hint: false, state: false },
  authorization: { allow: ["identity_provider", "idp_identifier", "lang"] },
}));

export default cognitoPlugin;
