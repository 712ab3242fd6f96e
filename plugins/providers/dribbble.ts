import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Dribbble's `GET /v2/user`. */
export interface DribbbleProfile {
  id: number;
  name?: string;
  login?: string;
  email?: string | null;
  avatar_url?: string | null;
}

/**
 * Adds sign-in with Dribbble. The callback is `/auth/callback/dribbble`. Reads `AUTH_DRIBBBLE_ID` and
 * `AUTH_DRIBBBLE_SECRET`. Version 2 of Dribbble's API returns no address.
 *
 * @see https://developer.dribbble.com/v2/oauth/
 */
export const dribbblePlugin: ProviderFactory<OAuthProvider<DribbbleProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "dribbble",
    name: "Dribbble",
    type: "oauth",
    style: { brandColor: "#ea4c89", icon: () => import("./_icons/dribbble.ts") },
    authorization: { url: "https://dribbble.com/oauth/authorize", params: { scope: "public" } },
    token: { url: "https://dribbble.com/oauth/token" },
    userinfo: { url: "https://api.dribbble.com/v2/user" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, name, login, email, avatar_url: image }) => ({
      id: id.toString(),
      name: name ?? login ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default dribbblePlugin;
