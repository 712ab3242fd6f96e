import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Etsy's `GET /users/me`, with `user` from `GET /users/{user_id}`. */
export interface EtsyProfile {
  user_id: number;
  shop_id?: number;
  user?: {
    first_name?: string | null;
    last_name?: string | null;
    primary_email?: string | null;
    image_url_75x75?: string | null;
  };
}

/**
 * Adds sign-in with Etsy. The callback is `/auth/callback/etsy`. Reads `AUTH_ETSY_ID`, the keystring of the app; Etsy
 * needs no `_SECRET`. Whether the address is verified is unknown.
 *
 * Unsure: the members of the second response are untested.
 *
 * @see https://developers.etsy.com/documentation/essentials/authentication/
 */
export const etsyPlugin: ProviderFactory<OAuthProvider<EtsyProfile>> = defineProvider(
  oauthFlow,
  () => {
    const headers = { "X-Api-Key": "{clientId}" };
    return {
      id: "etsy",
      name: "Etsy",
      type: "oauth",
      style: { brandColor: "#f16521", icon: () => import("./_icons/etsy.ts") },
      authorization: { url: "https://www.etsy.com/oauth/connect", params: { scope: "email_r" } },
      token: { url: "https://api.etsy.com/v3/public/oauth/token" },
      userinfo: { url: "https://openapi.etsy.com/v3/application/users/me", headers },
      enrich: [
        {
          into: "user",
          url: "https://openapi.etsy.com/v3/application/users/{profile.user_id}",
          headers,
        },
      ],
      client: { token_endpoint_auth_method: "none" },
      checks: ["pkce", "state"],
      profile: ({ user_id: id, user }) => ({
        id: id.toString(),
        name: [user?.first_name, user?.last_name].filter(Boolean).join(" ") || null,
        email: user?.primary_email ?? null,
        image: user?.image_url_75x75 ?? null,
      }),
    };
  },
);

export default etsyPlugin;
