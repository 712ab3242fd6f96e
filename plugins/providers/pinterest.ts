import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Pinterest's `GET /v5/user_account`. */
export interface PinterestProfile {
  id: string;
  username?: string;
  profile_image?: string;
  account_type?: string;
}

/**
 * Adds sign-in with Pinterest. The callback is `/auth/callback/pinterest`. Reads `AUTH_PINTEREST_ID` and
 * `AUTH_PINTEREST_SECRET`. The account's id is Pinterest's id, not the user name as in Auth.js, because a name can be
 * reassigned to another user. To keep accounts of Auth.js, set `profile`. Pinterest returns no address.
 *
 * Unsure: whether every account has the member `id`. Without it, the sign-in is refused.
 *
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 */
export const pinterestPlugin: ProviderFactory<OAuthProvider<PinterestProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "pinterest",
    name: "Pinterest",
    type: "oauth",
    style: { brandColor: "#bd081c", icon: () => import("./_icons/pinterest.ts") },
    // Scopes are separated by commas.
    authorization: {
      url: "https://www.pinterest.com/oauth",
      params: { scope: "user_accounts:read" },
    },
    token: { url: "https://api.pinterest.com/v5/oauth/token" },
    userinfo: { url: "https://api.pinterest.com/v5/user_account" },
    profile: ({ id, username: name, profile_image: image }) => ({
      id,
      name: name ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default pinterestPlugin;
