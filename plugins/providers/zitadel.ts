import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as ZitadelProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with ZITADEL. The callback is `/auth/callback/zitadel`. Reads `AUTH_ZITADEL_ID`,
 * `AUTH_ZITADEL_SECRET` and `AUTH_ZITADEL_ISSUER`. `issuer` is required: the domain of the instance.
 *
 * @see https://zitadel.com/docs/guides/integrate/login/oidc
 */
export const zitadelPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "zitadel",
  name: "ZITADEL",
  type: "oidc",
  settings: { issuer: { required: true, example: "https://acme-abc123.zitadel.cloud" } },
}));

export default zitadelPlugin;
