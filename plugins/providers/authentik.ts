import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as AuthentikProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with authentik. The callback is `/auth/callback/authentik`. Reads `AUTH_AUTHENTIK_ID`,
 * `AUTH_AUTHENTIK_SECRET` and `AUTH_AUTHENTIK_ISSUER`. `issuer` is required: the application's issuer, which ends in a
 * slash. Before version 2025.10, authentik reports every address as verified. Set `emailVerified: () => undefined` for
 * such a version.
 *
 * @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/
 */
export const authentikPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "authentik",
  name: "authentik",
  type: "oidc",
  style: { brandColor: "#fd4b2d", icon: () => import("./_icons/authentik.ts") },
  settings: {
    issuer: { required: true, example: "https://sso.example.com/application/o/my-app/" },
  },
}));

export default authentikPlugin;
