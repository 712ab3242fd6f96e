import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with OneLogin. The callback is `/auth/callback/onelogin`. Reads `AUTH_ONELOGIN_ID`,
 * `AUTH_ONELOGIN_SECRET` and `AUTH_ONELOGIN_ISSUER`. `issuer` is required: the account's issuer, which ends in
 * `/oidc/2`.
 *
 * @see https://developers.onelogin.com/openid-connect
 */
export const oneloginPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "onelogin",
    name: "OneLogin",
    type: "oidc",
    settings: { issuer: { required: true, example: "https://acme.onelogin.com/oidc/2" } },
    // Without this path, the issuer differs from the metadata's. The error message then names the right one.
    ...(issuer !== undefined &&
      !issuer.endsWith("/oidc/2") && {
        wellKnown: `${trimEnd(issuer, "/")}/oidc/2/.well-known/openid-configuration`,
      }),
  }),
);

export default oneloginPlugin;
