import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as LinkedInProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with LinkedIn. The callback is `/auth/callback/linkedin`. Reads `AUTH_LINKEDIN_ID` and
 * `AUTH_LINKEDIN_SECRET`. The app needs the product “Sign In with LinkedIn using OpenID Connect”.
 *
 * @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export const linkedinPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "linkedin",
  name: "LinkedIn",
  type: "oidc",
  style: { brandColor: "#0a66c2" },
  issuer: "https://www.linkedin.com/oauth",
  client: { token_endpoint_auth_method: "client_secret_post" },
  // LinkedIn refuses a code verifier of an app with a secret, and its ID tokens have no nonce.
  checks: ["state"],
}));

export default linkedinPlugin;
