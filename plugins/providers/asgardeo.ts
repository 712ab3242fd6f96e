import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as AsgardeoProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Asgardeo. The callback is `/auth/callback/asgardeo`. Reads `AUTH_ASGARDEO_ID`,
 * `AUTH_ASGARDEO_SECRET` and `AUTH_ASGARDEO_ISSUER`. `issuer` is required: the organization's issuer, which ends in
 * `/oauth2/token`.
 *
 * @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/discover-oidc-configs/
 */
export const asgardeoPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "asgardeo",
    name: "Asgardeo",
    type: "oidc",
    style: { brandColor: "#000000" },
    settings: {
      issuer: { required: true, example: "https://api.asgardeo.io/t/acme/oauth2/token" },
    },
    // Without this path, the issuer differs from the metadata's. The error message then names the right one.
    ...(issuer !== undefined &&
      !issuer.endsWith("/oauth2/token") && {
        wellKnown: `${trimEnd(issuer, "/")}/oauth2/token/.well-known/openid-configuration`,
      }),
  }),
);

export default asgardeoPlugin;
