import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Keycloak's ID token. A realm may map more. */
export interface KeycloakProfile {
  sub: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
}

/**
 * Adds sign-in with a Keycloak realm. The callback is `/auth/callback/keycloak`. Reads
 * `AUTH_KEYCLOAK_ID`, `AUTH_KEYCLOAK_SECRET` and `AUTH_KEYCLOAK_ISSUER`. `issuer` is required, such
 * as `https://sso.example.com/realms/acme` (old servers: `/auth/realms/acme`).
 */
export const keycloakPlugin: ProviderFactory<OIDCProvider<KeycloakProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "keycloak",
    name: "Keycloak",
    type: "oidc",
    style: { brandColor: "#428bca" },
    settings: { issuer: { required: true, example: "https://sso.example.com/realms/acme" } },
    authorization: { allow: ["kc_idp_hint"] },
  }),
);

export default keycloakPlugin;
