import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Auth0's ID token; actions may add more. */
export interface Auth0Profile {
  sub: string;
  name?: string;
  nickname?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
  org_id?: string;
}

/**
 * Sign-in with an Auth0 tenant. Callback `/auth/callback/auth0`; reads `AUTH_AUTH0_ID`,
 * `AUTH_AUTH0_SECRET` and `AUTH_AUTH0_ISSUER`. `issuer` is needed, such as
 * `https://acme.eu.auth0.com`.
 */
export const auth0Plugin = defineProvider<OIDCProvider<Auth0Profile>>(() => ({
  id: "auth0",
  name: "Auth0",
  type: "oidc",
  style: { brandColor: "#EB5424" },
  authorization: { allow: ["connection", "organization", "invitation", "screen_hint"] },
}));

export default auth0Plugin;
