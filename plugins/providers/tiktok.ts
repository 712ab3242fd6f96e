import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of TikTok's `GET /v2/user/info/`. */
export interface TiktokProfile {
  data: {
    user: {
      /** The user's id for this app. */
      open_id: string;
      /** The user's id for all apps of one developer. */
      union_id?: string;
      display_name?: string;
      avatar_url?: string;
    };
  };
}

/**
 * Adds sign-in with TikTok. The callback is `/auth/callback/tiktok`. Reads `AUTH_TIKTOK_ID` (the client key) and
 * `AUTH_TIKTOK_SECRET`. The account's id is unique only for this app. TikTok returns no address.
 *
 * @see https://developers.tiktok.com/doc/login-kit-web
 */
export const tiktokPlugin: ProviderFactory<OAuthProvider<TiktokProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "tiktok",
    name: "TikTok",
    type: "oauth",
    style: { brandColor: "#000000", icon: () => import("./_icons/tiktok.ts") },
    // TikTok calls the client id `client_key`. Scopes are separated by commas.
    authorization: {
      url: "https://www.tiktok.com/v2/auth/authorize/",
      params: { scope: "user.info.basic" },
      clientIdParam: "client_key",
    },
    token: {
      url: "https://open.tiktokapis.com/v2/oauth/token/",
      params: { client_key: "{clientId}" },
      // A content type with `charset` is refused.
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    // Every response contains `error`. Only a response without a user is a failure.
    userinfo: {
      url: "https://open.tiktokapis.com/v2/user/info/",
      params: { fields: "open_id,union_id,avatar_url,display_name" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    revocation: "https://open.tiktokapis.com/v2/oauth/revoke/",
    profile: ({
      data: {
        user: { open_id: id, display_name: name, avatar_url: image },
      },
    }) => ({
      id,
      name: name ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default tiktokPlugin;
