import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The entry of Kick's `GET /public/v1/users`. */
export interface KickProfile {
  user_id: number;
  name?: string;
  email?: string;
  profile_picture?: string;
}

/**
 * Adds sign-in with Kick. The callback is `/auth/callback/kick`. Reads `AUTH_KICK_ID` and `AUTH_KICK_SECRET`. Whether
 * the address is verified is unknown.
 *
 * @see https://docs.kick.com/getting-started/generating-tokens-oauth2-flow
 */
export const kickPlugin: ProviderFactory<OAuthProvider<KickProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "kick",
    name: "Kick",
    type: "oauth",
    style: { brandColor: "#53fc19", icon: () => import("./_icons/kick.ts") },
    authorization: { url: "https://id.kick.com/oauth/authorize", params: { scope: "user:read" } },
    token: { url: "https://id.kick.com/oauth/token" },
    // A list, whose only entry is the signed-in user.
    userinfo: { url: "https://api.kick.com/public/v1/users", root: "data.0" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
    revocation: "https://id.kick.com/oauth/revoke",
    profile: ({ user_id: id, name, email, profile_picture: image }) => ({
      id: id.toString(),
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default kickPlugin;
