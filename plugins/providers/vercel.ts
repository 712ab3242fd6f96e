import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Vercel. The callback is `/auth/callback/vercel`. Reads `AUTH_VERCEL_ID` and `AUTH_VERCEL_SECRET`.
 * Scopes that the app does not have are left out.
 *
 * Unsure: whether the ID token says that the address is verified.
 *
 * @see https://vercel.com/docs/sign-in-with-vercel
 */
export const vercelPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "vercel",
  name: "Vercel",
  type: "oidc",
  style: { brandColor: "#000000", icon: () => import("./_icons/vercel.ts") },
  issuer: "https://vercel.com",
  client: { token_endpoint_auth_method: "client_secret_post" },
  // Vercel requires PKCE.
  checks: ["pkce", "state", "nonce"],
  revocation: "https://api.vercel.com/login/oauth/token/revoke",
}));

export default vercelPlugin;
