import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as DuendeISUser } from "../../src/kernel.ts";

/**
 * Adds sign-in with a Duende IdentityServer. The callback is `/auth/callback/duende-identity-server6`. Reads
 * `AUTH_DUENDE_IDENTITY_SERVER6_ID`, `AUTH_DUENDE_IDENTITY_SERVER6_SECRET` and
 * `AUTH_DUENDE_IDENTITY_SERVER6_ISSUER`. `issuer` is required: the URL of the server, of version 6 or later.
 *
 * @see https://docs.duendesoftware.com/identityserver/
 */
export const duendeIdentityServer6Plugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  () => ({
    id: "duende-identity-server6",
    name: "Duende IdentityServer",
    type: "oidc",
    settings: { issuer: { required: true, example: "https://demo.duendesoftware.com" } },
  }),
);

export default duendeIdentityServer6Plugin;
