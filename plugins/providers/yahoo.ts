import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Yahoo. The callback is `/auth/callback/yahoo`. Reads `AUTH_YAHOO_ID` and
 * `AUTH_YAHOO_SECRET`.
 *
 * @see https://developer.yahoo.com/oauth2/guide/openid_connect/
 */
export const yahooPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "yahoo",
  name: "Yahoo",
  type: "oidc",
  issuer: "https://api.login.yahoo.com",
  // The ID token has no address.
  idToken: false,
  // PKCE is untested for clients with a secret.
  checks: ["state", "nonce"],
}));

export default yahooPlugin;
