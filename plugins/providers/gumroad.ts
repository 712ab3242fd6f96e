import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `user` of Gumroad's `GET /v2/user`. */
export interface GumroadProfile {
  user_id: string;
  name?: string | null;
  email?: string;
  /** The picture. */
  profile_url?: string | null;
}

/**
 * Adds sign-in with Gumroad. The callback is `/auth/callback/gumroad`. Reads `AUTH_GUMROAD_ID` and
 * `AUTH_GUMROAD_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://gumroad.com/api#api-authentication
 */
export const gumroadPlugin: ProviderFactory<OAuthProvider<GumroadProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "gumroad",
    name: "Gumroad",
    type: "oauth",
    style: { brandColor: "#ff90e8", icon: () => import("./_icons/gumroad.ts") },
    authorization: {
      url: "https://gumroad.com/oauth/authorize",
      params: { scope: "view_profile" },
    },
    token: { url: "https://api.gumroad.com/oauth/token" },
    userinfo: { url: "https://api.gumroad.com/v2/user", root: "user" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Gumroad does not document PKCE.
    checks: ["state"],
    profile: ({ user_id: id, name, email, profile_url: image }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default gumroadPlugin;
