import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as RobloxProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Roblox. The callback is `/auth/callback/roblox`. Reads `AUTH_ROBLOX_ID` and `AUTH_ROBLOX_SECRET`.
 * Roblox returns no address.
 *
 * @see https://create.roblox.com/docs/cloud/auth/oauth2-overview
 */
export const robloxPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "roblox",
  name: "Roblox",
  type: "oidc",
  style: { brandColor: "#000000", icon: () => import("./_icons/roblox.ts") },
  // The trailing slash is part of the issuer.
  issuer: "https://apis.roblox.com/oauth/",
  authorization: { params: { scope: "openid profile" } },
  checks: ["pkce", "state"],
  revocation: "https://apis.roblox.com/oauth/v1/token/revoke",
}));

export default robloxPlugin;
