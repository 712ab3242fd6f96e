import { defineProvider, type OIDCProvider } from "../presets/index.ts";

/** How the application is registered with Playground ID. */
export interface PlaygroundClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What Playground ID tells of a person. */
export interface PlaygroundProfile {
  sub: string;
  name: string;
  email: string;
  email_verified: boolean;
}

/** Sign-in with Playground ID: endpoints and keys are discovered from the issuer. */
export const playgroundId = defineProvider<OIDCProvider<PlaygroundProfile>>(() => ({
  id: "playground",
  name: "Playground ID",
  type: "oidc",
  style: { brandColor: "#0f766e" },
  checks: ["pkce", "state", "nonce"],
  // Whoever came by e-mail before is the same person here: this provider vouches for its addresses.
  allowDangerousEmailAccountLinking: true,
}));

export default playgroundId;
