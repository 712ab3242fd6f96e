import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Keycloak's ID token; a realm may map more. */
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
 * Sign-in with a Keycloak realm. Callback `/auth/callback/keycloak`; reads `AUTH_KEYCLOAK_ID`,
 * `AUTH_KEYCLOAK_SECRET` and `AUTH_KEYCLOAK_ISSUER`. `issuer` is needed, such as
 * `https://sso.example.com/realms/acme` (old servers: `/auth/realms/acme`).
 */
export const keycloakPlugin = defineProvider<OIDCProvider<KeycloakProfile>>(() => ({
  id: "keycloak",
  name: "Keycloak",
  type: "oidc",
  style: { brandColor: "#428bca" },
  authorization: { allow: ["kc_idp_hint"] },
}));

export default keycloakPlugin;
