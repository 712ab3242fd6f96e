import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Paybin. The callback is `/auth/callback/paybin`. Reads `AUTH_PAYBIN_ID`, `AUTH_PAYBIN_SECRET` and
 * `AUTH_PAYBIN_ISSUER`. The default `issuer` is `https://idp.paybin.io`.
 *
 * Unsure: whether the issuer publishes its metadata, since it is known only from another library.
 *
 * @see https://paybin.io/
 */
export const paybinPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "paybin",
    name: "Paybin",
    type: "oidc",
    issuer: issuer ?? "https://idp.paybin.io",
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
  }),
);

export default paybinPlugin;
