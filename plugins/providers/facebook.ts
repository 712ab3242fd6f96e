import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of the Graph API's `GET /me`. */
export interface FacebookProfile {
  id: string;
  name?: string;
  email?: string;
  picture?: { data?: { url?: string } };
}

/**
 * Adds sign-in with Facebook. The callback is `/auth/callback/facebook`. Reads `AUTH_FACEBOOK_ID` and
 * `AUTH_FACEBOOK_SECRET`. The account's id is unique only for this app. A user may have no address. Whether it is
 * verified is unknown.
 *
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 */
export const facebookPlugin: ProviderFactory<OAuthProvider<FacebookProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "facebook",
    name: "Facebook",
    type: "oauth",
    style: { brandColor: "#0866ff", icon: () => import("./_icons/facebook.ts") },
    authorization: {
      url: "https://www.facebook.com/v24.0/dialog/oauth",
      params: { scope: "email public_profile" },
      allow: ["auth_type", "config_id"],
    },
    token: { url: "https://graph.facebook.com/v24.0/oauth/access_token" },
    userinfo: {
      url: "https://graph.facebook.com/v24.0/me",
      params: { fields: "id,name,email,picture" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, name, email, picture }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: picture?.data?.url ?? null,
    }),
  }),
);

export default facebookPlugin;
