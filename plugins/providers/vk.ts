import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `user` of VK ID's `POST /oauth2/user_info`. */
export interface VkProfile {
  user_id: string | number;
  first_name?: string;
  last_name?: string;
  email?: string;
  avatar?: string;
}

/**
 * Adds sign-in with VK ID. The callback is `/auth/callback/vk`. Reads `AUTH_VK_ID`; VK ID needs no `_SECRET`. The
 * application must be registered at VK ID, which has replaced the older service at oauth.vk.com. Whether the address is
 * verified is unknown.
 *
 * @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-integration/api-description
 */
export const vkPlugin: ProviderFactory<OAuthProvider<VkProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "vk",
    name: "VK",
    type: "oauth",
    style: { brandColor: "#0077ff", icon: () => import("./_icons/vk.ts") },
    authorization: {
      url: "https://id.vk.com/authorize",
      params: { scope: "email" },
      allow: ["provider", "lang_id", "scheme"],
    },
    // The callback names the device, and the token request repeats it with the state.
    token: { url: "https://id.vk.com/oauth2/auth", forward: ["device_id", "state"] },
    userinfo: {
      url: "https://id.vk.com/oauth2/user_info",
      params: { client_id: "{clientId}" },
      token: "form:access_token",
      root: "user",
    },
    client: { token_endpoint_auth_method: "none" },
    checks: ["pkce", "state"],
    revocation: "https://id.vk.com/oauth2/revoke",
    profile: ({ user_id: id, first_name: first, last_name: last, email, avatar: image }) => ({
      id: id.toString(),
      name: [first, last].filter(Boolean).join(" ") || null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default vkPlugin;
