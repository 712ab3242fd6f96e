import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Google's ID token. */
export interface GoogleProfile {
  sub: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
  /** Domain of the Workspace the account belongs to. */
  hd?: string;
}

/**
 * Sign-in with Google. Callback `/auth/callback/google`; reads `AUTH_GOOGLE_ID` and
 * `AUTH_GOOGLE_SECRET`. The parameter `hd` is a wish: the `hd` claim is what proves the domain.
 */
export const googlePlugin = defineProvider<OIDCProvider<GoogleProfile>>(() => ({
  id: "google",
  name: "Google",
  type: "oidc",
  style: { brandColor: "#1a73e8" },
  issuer: "https://accounts.google.com",
  authorization: { allow: ["access_type", "include_granted_scopes"] },
}));

export default googlePlugin;
