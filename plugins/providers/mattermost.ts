import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Mattermost's `GET /api/v4/users/me`. */
export interface MattermostProfile {
  id: string;
  username?: string;
  first_name?: string;
  last_name?: string;
  email?: string;
  email_verified?: boolean;
}

/**
 * Adds sign-in with Mattermost. The callback is `/auth/callback/mattermost`. Reads `AUTH_MATTERMOST_ID`,
 * `AUTH_MATTERMOST_SECRET` and `AUTH_MATTERMOST_ISSUER`. `issuer` is required: the URL of the server.
 * Mattermost has no scopes.
 *
 * @see https://developers.mattermost.com/integrate/apps/authentication/oauth2/
 */
export const mattermostPlugin: ProviderFactory<OAuthProvider<MattermostProfile>> = defineProvider(
  oauthFlow,
  ({ issuer = "" }) => {
    const base = trimEnd(issuer, "/");
    return {
      id: "mattermost",
      name: "Mattermost",
      type: "oauth",
      style: { brandColor: "#0058cc", icon: () => import("./_icons/mattermost.ts") },
      settings: { issuer: { required: true, example: "https://chat.example.com" } },
      authorization: { url: `${base}/oauth/authorize` },
      token: { url: `${base}/oauth/access_token` },
      userinfo: { url: `${base}/api/v4/users/me` },
      client: { token_endpoint_auth_method: "client_secret_post" },
      profile: ({ id, username, first_name: first, last_name: last, email }) => ({
        id,
        name: username ?? ([first, last].filter(Boolean).join(" ") || null),
        email: email || null,
        image: null,
      }),
      emailVerified: (profile, email) =>
        isSameEmail(profile.email, email) ? profile.email_verified : undefined,
    };
  },
);

export default mattermostPlugin;
