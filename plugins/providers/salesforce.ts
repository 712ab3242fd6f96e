import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as SalesforceProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Salesforce. The callback is `/auth/callback/salesforce`. Reads `AUTH_SALESFORCE_ID`,
 * `AUTH_SALESFORCE_SECRET` and `AUTH_SALESFORCE_ISSUER`. `issuer` may be the URL of My Domain, or
 * `https://test.salesforce.com` for sandboxes.
 *
 * @see https://help.salesforce.com/s/articleView?id=sf.remoteaccess_using_openid.htm
 */
export const salesforcePlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "salesforce",
    name: "Salesforce",
    type: "oidc",
    style: { brandColor: "#00a1e0" },
    issuer: issuer ?? "https://login.salesforce.com",
    idToken: false,
    checks: ["pkce", "state", "nonce"],
  }),
);

export default salesforcePlugin;
