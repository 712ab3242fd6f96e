import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Reddit's `GET /api/v1/me`. */
export interface RedditProfile {
  id: string;
  name: string;
  /** The picture. Its query is HTML-escaped. */
  icon_img?: string;
}

/**
 * Adds sign-in with Reddit. The callback is `/auth/callback/reddit`. Reads `AUTH_REDDIT_ID` and `AUTH_REDDIT_SECRET`.
 * Reddit returns no address. For a refresh token, add the parameter `duration=permanent`.
 *
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export const redditPlugin: ProviderFactory<OAuthProvider<RedditProfile>> = defineProvider(
  oauthFlow,
  () => {
    // Reddit blocks the names of common clients.
    const headers = { "User-Agent": "web:keyhook:1 (client {clientId})" };
    return {
      id: "reddit",
      name: "Reddit",
      type: "oauth",
      style: { brandColor: "#ff4500", icon: () => import("./_icons/reddit.ts") },
      authorization: {
        url: "https://www.reddit.com/api/v1/authorize",
        params: { scope: "identity" },
        allow: ["duration"],
      },
      token: { url: "https://www.reddit.com/api/v1/access_token", headers },
      userinfo: { url: "https://oauth.reddit.com/api/v1/me", headers },
      // Reddit does not support PKCE.
      checks: ["state"],
      revocation: "https://www.reddit.com/api/v1/revoke_token",
      profile: ({ id, name, icon_img: icon }) => ({
        id,
        name,
        email: null,
        image: icon?.split("?")[0] || null,
      }),
    };
  },
);

export default redditPlugin;
