import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with any OpenID Connect server that publishes its metadata. The callback is `/auth/callback/oidc`. Reads
 * `AUTH_OIDC_ID`, `AUTH_OIDC_SECRET` and `AUTH_OIDC_ISSUER`. `issuer` is required. For several servers, give each an
 * `id` and a `name`. If a server returns name and address only from its userinfo endpoint, and not in the ID token, set
 * `idToken: false`.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html
 */
export const oidcPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "oidc",
  name: "OpenID Connect",
  type: "oidc",
  style: { brandColor: "#f78c40", icon: () => import("./_icons/oidc.ts") },
  settings: { issuer: { required: true, example: "https://sso.example.com" } },
}));

export default oidcPlugin;
