import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as OktaProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Okta. The callback is `/auth/callback/okta`. Reads `AUTH_OKTA_ID`, `AUTH_OKTA_SECRET` and
 * `AUTH_OKTA_ISSUER`. `issuer` is required: the issuer of the organization, or with `/oauth2/<id>` the issuer of one of
 * its authorization servers.
 *
 * @see https://developer.okta.com/docs/guides/sign-into-web-app-redirect/
 */
export const oktaPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "okta",
  name: "Okta",
  type: "oidc",
  style: { brandColor: "#007dc1", icon: () => import("./_icons/okta.ts") },
  settings: { issuer: { required: true, example: "https://acme.okta.com/oauth2/default" } },
  authorization: { allow: ["idp"] },
  checks: ["pkce", "state"],
}));

export default oktaPlugin;
