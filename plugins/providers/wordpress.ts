import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of WordPress.com's `GET /rest/v1/me`. */
export interface WordPressProfile {
  ID: number;
  display_name?: string;
  username?: string;
  email?: string;
  email_verified?: boolean;
  avatar_URL?: string;
}

/**
 * Adds sign-in with WordPress.com. The callback is `/auth/callback/wordpress`. Reads `AUTH_WORDPRESS_ID` and
 * `AUTH_WORDPRESS_SECRET`.
 *
 * @see https://developer.wordpress.com/docs/oauth2/
 */
export const wordpressPlugin: ProviderFactory<OAuthProvider<WordPressProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "wordpress",
    name: "WordPress.com",
    type: "oauth",
    style: { brandColor: "#21759b", icon: () => import("./_icons/wordpress.ts") },
    authorization: {
      url: "https://public-api.wordpress.com/oauth2/authorize",
      params: { scope: "auth" },
    },
    token: { url: "https://public-api.wordpress.com/oauth2/token" },
    userinfo: { url: "https://public-api.wordpress.com/rest/v1/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ ID: id, display_name: name, email, avatar_URL: image }) => ({
      id: id.toString(),
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default wordpressPlugin;
