import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of the Instagram API's `GET /me`. */
export interface InstagramProfile {
  /** The id of the account. `id` is a different one, for this app only. */
  user_id: string | number;
  id?: string;
  username?: string;
  name?: string;
  account_type?: string;
  profile_picture_url?: string;
}

/**
 * Adds sign-in with Instagram. The callback is `/auth/callback/instagram`. Reads `AUTH_INSTAGRAM_ID` and
 * `AUTH_INSTAGRAM_SECRET`. Only business and creator accounts can sign in, because the API for other accounts ended in
 * 2024. Instagram returns no address.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export const instagramPlugin: ProviderFactory<OAuthProvider<InstagramProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "instagram",
    name: "Instagram",
    type: "oauth",
    style: { brandColor: "#ff0069", icon: () => import("./_icons/instagram.ts") },
    authorization: {
      url: "https://www.instagram.com/oauth/authorize",
      params: { scope: "instagram_business_basic" },
      allow: ["force_reauth"],
    },
    token: { url: "https://api.instagram.com/oauth/access_token" },
    userinfo: {
      url: "https://graph.instagram.com/v21.0/me",
      params: { fields: "user_id,username,name,account_type,profile_picture_url" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Instagram does not document PKCE.
    checks: ["state"],
    profile: ({ user_id: id, username, name, profile_picture_url: image }) => ({
      id: id.toString(),
      name: name ?? username ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default instagramPlugin;
