import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as VippsProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Vipps MobilePay. The callback is `/auth/callback/vipps`. Reads `AUTH_VIPPS_ID`, `AUTH_VIPPS_SECRET`
 * and `AUTH_VIPPS_ISSUER`. `issuer` may be the test issuer, `https://apitest.vipps.no/access-management-1.0/access/`.
 *
 * @see https://developer.vippsmobilepay.com/docs/APIs/login-api/
 */
export const vippsPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "vipps",
    name: "Vipps MobilePay",
    type: "oidc",
    style: { brandColor: "#f05c18" },
    // The trailing slash is part of the issuer.
    issuer: issuer ?? "https://api.vipps.no/access-management-1.0/access/",
    authorization: { params: { scope: "openid name email" } },
    idToken: false,
    checks: ["pkce", "state", "nonce"],
  }),
);

export default vippsPlugin;
