import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as DescopeProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Descope. The callback is `/auth/callback/descope`. Reads `AUTH_DESCOPE_ID`, `AUTH_DESCOPE_SECRET`
 * and `AUTH_DESCOPE_ISSUER`. The default `issuer` is the one of the project whose id is the client id.
 *
 * @see https://docs.descope.com/identity-federation/applications/oidc-apps
 */
export const descopePlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ clientId = "", issuer }) => ({
    id: "descope",
    name: "Descope",
    type: "oidc",
    style: { brandColor: "#1C1C23" },
    issuer: issuer ?? `https://api.descope.com/${clientId}`,
    checks: ["pkce", "state"],
  }),
);

export default descopePlugin;
