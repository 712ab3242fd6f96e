import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Autodesk. The callback is `/auth/callback/autodesk`. Reads `AUTH_AUTODESK_ID` and, unless the app
 * is a public client, `AUTH_AUTODESK_SECRET`.
 *
 * Unsure: whether the profile has the claim `email_verified`.
 *
 * @see https://aps.autodesk.com/en/docs/oauth/v2/developers_guide/overview/
 */
export const autodeskPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "autodesk",
  name: "Autodesk",
  type: "oidc",
  style: { brandColor: "#000000", icon: () => import("./_icons/autodesk.ts") },
  issuer: "https://developer.api.autodesk.com",
  authorization: { params: { scope: "openid user:read" } },
  userinfo: { url: "https://api.userprofile.autodesk.com/userinfo" },
  // The ID token has no address.
  idToken: false,
  // With the scope `openid`, Autodesk requires a nonce.
  checks: ["pkce", "state", "nonce"],
  revocation: "https://developer.api.autodesk.com/authentication/v2/revoke",
}));

export default autodeskPlugin;
