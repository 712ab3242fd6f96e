import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of LiveChat's `GET /v2/accounts/me`. */
export interface LiveChatProfile {
  account_id: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  avatar_url?: string | null;
}

/**
 * Adds sign-in with LiveChat. The callback is `/auth/callback/livechat`. Reads `AUTH_LIVECHAT_ID` and
 * `AUTH_LIVECHAT_SECRET`. The app's registration sets the scopes.
 *
 * @see https://platform.text.com/docs/authorization/authorization-in-practice
 */
export const livechatPlugin: ProviderFactory<OAuthProvider<LiveChatProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "livechat",
    name: "LiveChat",
    type: "oauth",
    style: { brandColor: "#ff5100", icon: () => import("./_icons/livechat.ts") },
    authorization: { url: "https://accounts.livechat.com/" },
    token: { url: "https://accounts.livechat.com/v2/token" },
    userinfo: { url: "https://accounts.livechat.com/v2/accounts/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is untested for clients with a secret.
    checks: ["state"],
    profile: ({ account_id: id, name, email, avatar_url: image }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default livechatPlugin;
