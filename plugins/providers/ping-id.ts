import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as PingProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Ping Identity. The callback is `/auth/callback/ping-id`. Reads `AUTH_PING_ID_ID`,
 * `AUTH_PING_ID_SECRET` and `AUTH_PING_ID_ISSUER`. `issuer` is required: the environment's issuer.
 *
 * Unsure: the form of the issuer, which the application's console shows.
 *
 * @see https://docs.pingidentity.com/pingone/
 */
export const pingIdPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "ping-id",
  name: "Ping Identity",
  type: "oidc",
  settings: {
    issuer: {
      required: true,
      example: "https://auth.pingone.eu/00000000-0000-0000-0000-000000000000/as",
    },
  },
}));

export default pingIdPlugin;
