import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Polar. The callback is `/auth/callback/polar`. Reads `AUTH_POLAR_ID` and `AUTH_POLAR_SECRET`.
 *
 * Unsure: which claims the ID token has in addition to `sub`.
 *
 * @see https://polar.sh/docs/integrate/oauth2/connect
 */
export const polarPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "polar",
  name: "Polar",
  type: "oidc",
  wellKnown: "https://api.polar.sh/.well-known/openid-configuration",
  // Otherwise the token and its subject belong to an organization.
  authorization: { params: { scope: "openid profile email", sub_type: "user" } },
  client: { token_endpoint_auth_method: "client_secret_post" },
  // The ID token has no address.
  idToken: false,
  checks: ["pkce", "state"],
  revocation: "https://api.polar.sh/v1/oauth2/revoke",
}));

export default polarPlugin;
