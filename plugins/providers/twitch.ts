import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Twitch's ID token. */
export interface TwitchProfile {
  sub: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
}

/**
 * Sign-in with Twitch. Callback `/auth/callback/twitch`; reads `AUTH_TWITCH_ID` and
 * `AUTH_TWITCH_SECRET`.
 */
export const twitchPlugin = defineProvider<OIDCProvider<TwitchProfile>>(() => ({
  id: "twitch",
  name: "Twitch",
  type: "oidc",
  style: { brandColor: "#65459B" },
  issuer: "https://id.twitch.tv/oauth2",
  authorization: {
    params: {
      scope: "openid user:read:email",
      // Claims come only when asked for by name.
      claims: {
        id_token: { email: null, email_verified: null, picture: null, preferred_username: null },
      },
    },
    allow: ["force_verify"],
  },
  token: {
    // `scope` comes as an array.
    transform: (body) =>
      Array.isArray(body.scope) ? { ...body, scope: body.scope.join(" ") } : body,
  },
  client: { token_endpoint_auth_method: "client_secret_post" },
  // No PKCE.
  checks: ["state", "nonce"],
}));

export default twitchPlugin;
