import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Trakt's `GET /users/me`. */
export interface TraktProfile {
  ids: { slug: string; uuid: string };
  username?: string;
  name?: string | null;
  images?: { avatar?: { full?: string } };
}

/**
 * Adds sign-in with Trakt. The callback is `/auth/callback/trakt`. Reads `AUTH_TRAKT_ID` and `AUTH_TRAKT_SECRET`. The
 * account's id is Trakt's `uuid`, not the `slug` as in Auth.js, which changes with the user name. To keep accounts of
 * Auth.js, set `profile`. Trakt returns no address.
 *
 * @see https://trakt.docs.apiary.io/#reference/authentication-oauth
 */
export const traktPlugin: ProviderFactory<OAuthProvider<TraktProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "trakt",
    name: "Trakt",
    type: "oauth",
    style: { brandColor: "#ed2224", icon: () => import("./_icons/trakt.ts") },
    authorization: { url: "https://trakt.tv/oauth/authorize" },
    token: { url: "https://api.trakt.tv/oauth/token" },
    userinfo: {
      url: "https://api.trakt.tv/users/me",
      params: { extended: "full" },
      headers: { "trakt-api-version": "2", "trakt-api-key": "{clientId}", "User-Agent": "keyhook" },
    },
    revocation: "https://api.trakt.tv/oauth/revoke",
    profile: ({ ids, name, username, images }) => ({
      id: ids.uuid,
      name: name || username || null,
      email: null,
      image: images?.avatar?.full ?? null,
    }),
  }),
);

export default traktPlugin;
