import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as KindeProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Kinde. The callback is `/auth/callback/kinde`. Reads `AUTH_KINDE_ID`, `AUTH_KINDE_SECRET`
 * and `AUTH_KINDE_ISSUER`. `issuer` is required: the domain of the business.
 *
 * @see https://docs.kinde.com/developer-tools/about/using-kinde-without-an-sdk/
 */
export const kindePlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "kinde",
  name: "Kinde",
  type: "oidc",
  style: { brandColor: "#000000" },
  settings: { issuer: { required: true, example: "https://acme.kinde.com" } },
  authorization: { allow: ["connection_id", "org_code", "is_create_org", "start_page"] },
  checks: ["pkce", "state"],
}));

export default kindePlugin;
