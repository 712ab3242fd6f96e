import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Google's ID token. */
export interface GoogleProfile {
  sub: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
  /** The domain of the account's Google Workspace. */
  hd?: string;
}

/**
 * Adds sign-in with Google. The callback is `/auth/callback/google`. Reads `AUTH_GOOGLE_ID` and `AUTH_GOOGLE_SECRET`.
 * The authorization parameter `hd` is only a hint. To restrict sign-in to a domain, check the claim `hd`.
 */
export const googlePlugin: ProviderFactory<OIDCProvider<GoogleProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "google",
    name: "Google",
    type: "oidc",
    style: { brandColor: "#1a73e8" },
    issuer: "https://accounts.google.com",
    authorization: { allow: ["access_type", "include_granted_scopes"] },
  }),
);

export default googlePlugin;
