import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Twitch's ID token. */
export interface TwitchProfile {
  sub: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
}

/**
 * Adds sign-in with Twitch. The callback is `/auth/callback/twitch`. Reads `AUTH_TWITCH_ID` and
 * `AUTH_TWITCH_SECRET`.
 */
export const twitchPlugin: ProviderFactory<OIDCProvider<TwitchProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "twitch",
    name: "Twitch",
    type: "oidc",
    style: { brandColor: "#65459B" },
    issuer: "https://id.twitch.tv/oauth2",
    authorization: {
      params: {
        scope: "openid user:read:email",
        // Twitch returns only the claims that are requested by name.
        claims: {
          id_token: { email: null, email_verified: null, picture: null, preferred_username: null },
        },
      },
      allow: ["force_verify"],
    },
    token: {
      // Twitch returns `scope` as an array.
      transform: (body) =>
        Array.isArray(body.scope) ? { ...body, scope: body.scope.join(" ") } : body,
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Twitch does not support PKCE.
    checks: ["state", "nonce"],
  }),
);

export default twitchPlugin;
