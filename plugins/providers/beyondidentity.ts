import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as BeyondIdentityProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Beyond Identity. The callback is `/auth/callback/beyondidentity`. Reads `AUTH_BEYONDIDENTITY_ID`,
 * `AUTH_BEYONDIDENTITY_SECRET` and `AUTH_BEYONDIDENTITY_ISSUER`. `issuer` is required: the application's issuer.
 *
 * Unsure: the form of the issuer, which the application's console shows.
 *
 * @see https://docs.beyondidentity.com/
 */
export const beyondidentityPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "beyondidentity",
  name: "Beyond Identity",
  type: "oidc",
  style: { brandColor: "#5077c5" },
  settings: {
    issuer: {
      required: true,
      example: "https://auth-us.beyondidentity.com/v1/tenants/T/realms/R/applications/A",
    },
  },
}));

export default beyondidentityPlugin;
