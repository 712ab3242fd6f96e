import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** start.gg's `currentUser`: the signed-in user. */
export interface StartGgProfile {
  id: number;
  slug?: string;
  email?: string | null;
  player?: { gamerTag?: string } | null;
}

/**
 * Adds sign-in with start.gg. The callback is `/auth/callback/startgg`. Reads `AUTH_STARTGG_ID` and
 * `AUTH_STARTGG_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://developer.start.gg/docs/oauth/oauth-overview
 */
export const startggPlugin: ProviderFactory<OAuthProvider<StartGgProfile>> = defineProvider(
  oauthFlow,
  () => {
    const scope = "user.identity user.email";
    return {
      id: "startgg",
      name: "start.gg",
      type: "oauth",
      style: { brandColor: "#2e75ba", icon: () => import("./_icons/startgg.ts") },
      authorization: { url: "https://start.gg/oauth/authorize", params: { scope } },
      // The token request repeats the scope.
      token: { url: "https://api.start.gg/oauth/access_token", params: { scope } },
      userinfo: {
        url: "https://api.start.gg/gql/alpha",
        method: "POST",
        body: { query: "{ currentUser { id slug email player { gamerTag } } }" },
        root: "data.currentUser",
        errorMember: "errors",
      },
      client: { token_endpoint_auth_method: "client_secret_post" },
      // start.gg does not document PKCE.
      checks: ["state"],
      refresh: { url: "https://api.start.gg/oauth/refresh", params: { scope } },
      profile: ({ id, player, slug, email }) => ({
        id: id.toString(),
        name: player?.gamerTag ?? slug ?? null,
        email: email ?? null,
        image: null,
      }),
    };
  },
);

export default startggPlugin;
