import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Auth0's ID token. Auth0 Actions may add more. */
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
 * Adds sign-in with an Auth0 tenant. The callback is `/auth/callback/auth0`. Reads `AUTH_AUTH0_ID`,
 * `AUTH_AUTH0_SECRET` and `AUTH_AUTH0_ISSUER`. `issuer` is required, such as
 * `https://acme.eu.auth0.com`.
 */
export const auth0Plugin: ProviderFactory<OIDCProvider<Auth0Profile>> = defineProvider(
  oidcFlow,
  ({ issuer = "" }) => ({
    id: "auth0",
    name: "Auth0",
    type: "oidc",
    style: { brandColor: "#EB5424" },
    settings: { issuer: { required: true, example: "https://acme.eu.auth0.com" } },
    // The metadata of older tenants does not contain it.
    endSession: `${trimEnd(issuer, "/")}/oidc/logout`,
    authorization: { allow: ["connection", "organization", "invitation", "screen_hint"] },
  }),
);

export default auth0Plugin;
