import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of MyAnimeList's `GET /v2/users/@me`. */
export interface MyAnimeListProfile {
  id: number;
  name: string;
  picture?: string;
}

/**
 * Adds sign-in with MyAnimeList. The callback is `/auth/callback/myanimelist`. Reads `AUTH_MYANIMELIST_ID` and
 * `AUTH_MYANIMELIST_SECRET`. MyAnimeList has no scopes, and returns no address.
 *
 * @see https://myanimelist.net/apiconfig/references/authorization
 */
export const myanimelistPlugin: ProviderFactory<OAuthProvider<MyAnimeListProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "myanimelist",
    name: "MyAnimeList",
    type: "oauth",
    style: { brandColor: "#2e51a2", icon: () => import("./_icons/myanimelist.ts") },
    // MyAnimeList supports no other method.
    authorization: {
      url: "https://myanimelist.net/v1/oauth2/authorize",
      codeChallengeMethod: "plain",
    },
    token: { url: "https://myanimelist.net/v1/oauth2/token" },
    userinfo: { url: "https://api.myanimelist.net/v2/users/@me" },
    checks: ["pkce", "state"],
    profile: ({ id, name, picture: image }) => ({
      id: id.toString(),
      name,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default myanimelistPlugin;
