import { oidcFlow } from "../plugins/flows/oauth.ts";
import { defineProvider, type OIDCProvider } from "../presets/index.ts";

/** The registration of the application with Playground ID. */
export interface PlaygroundClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The claims that Playground ID returns about a user. */
export interface PlaygroundProfile {
  sub: string;
  name: string;
  email: string;
  email_verified: boolean;
}

/** Sign-in with Playground ID. Endpoints and keys are discovered from the issuer. */
export const playgroundId = defineProvider<OIDCProvider<PlaygroundProfile>>(oidcFlow, () => ({
  id: "playground",
  name: "Playground ID",
  type: "oidc",
  style: { brandColor: "#0f766e" },
  checks: ["pkce", "state", "nonce"],
  // Links the account to the user who signed in with the same address by e-mail before. This is safe because the
  // provider verifies its addresses.
  allowDangerousEmailAccountLinking: true,
}));

export default playgroundId;
