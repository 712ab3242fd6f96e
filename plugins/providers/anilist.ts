import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** AniList's `Viewer`: the signed-in user. */
export interface AniListProfile {
  id: number;
  name: string;
  avatar?: { large?: string | null } | null;
}

/**
 * Adds sign-in with AniList. The callback is `/auth/callback/anilist`. Reads `AUTH_ANILIST_ID` and
 * `AUTH_ANILIST_SECRET`. AniList has no scopes, and returns no address.
 *
 * Unsure: the query for the picture is untested.
 *
 * @see https://docs.anilist.co/guide/auth/authorization-code
 */
export const anilistPlugin: ProviderFactory<OAuthProvider<AniListProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "anilist",
    name: "AniList",
    type: "oauth",
    style: { brandColor: "#02a9ff", icon: () => import("./_icons/anilist.ts") },
    authorization: { url: "https://anilist.co/api/v2/oauth/authorize" },
    token: { url: "https://anilist.co/api/v2/oauth/token" },
    userinfo: {
      url: "https://graphql.anilist.co",
      method: "POST",
      body: { query: "{ Viewer { id name avatar { large } } }" },
      root: "data.Viewer",
      errorMember: "errors",
    },
    // AniList does not support PKCE.
    checks: ["state"],
    profile: ({ id, name, avatar }) => ({
      id: id.toString(),
      name,
      email: null,
      image: avatar?.large ?? null,
    }),
  }),
);

export default anilistPlugin;
