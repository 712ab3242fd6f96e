import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with an IdentityServer4. The callback is `/auth/callback/identity-server4`. Reads
 * `AUTH_IDENTITY_SERVER4_ID`, `AUTH_IDENTITY_SERVER4_SECRET` and `AUTH_IDENTITY_SERVER4_ISSUER`. `issuer` is
 * required: the URL of the server.
 *
 * @see https://identityserver4.readthedocs.io/
 */
export const identityServer4Plugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  () => ({
    id: "identity-server4",
    name: "IdentityServer4",
    type: "oidc",
    settings: { issuer: { required: true, example: "https://sso.example.com" } },
    deprecated:
      "IdentityServer4 has had no updates since December 2022. Its successor is Duende IdentityServer: `duendeIdentityServer6Plugin` of keyhook/providers/duende-identity-server6.",
  }),
);

export default identityServer4Plugin;
