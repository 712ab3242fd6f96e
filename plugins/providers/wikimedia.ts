import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of MediaWiki's `GET /oauth2/resource/profile`. */
export interface WikimediaProfile {
  sub: string | number;
  username: string;
  realname?: string;
  email?: string;
  confirmed_email?: boolean;
  blocked?: boolean;
}

/**
 * Adds sign-in with Wikimedia. The callback is `/auth/callback/wikimedia`. Reads `AUTH_WIKIMEDIA_ID` and
 * `AUTH_WIKIMEDIA_SECRET`. The address requires a right of the consumer.
 *
 * @see https://www.mediawiki.org/wiki/OAuth/For_Developers#OAuth_2
 */
export const wikimediaPlugin: ProviderFactory<OAuthProvider<WikimediaProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "wikimedia",
    name: "Wikimedia",
    type: "oauth",
    style: { brandColor: "#000000" },
    // The consumer's registration decides which rights a user is asked for.
    authorization: {
      url: "https://meta.wikimedia.org/w/rest.php/oauth2/authorize",
      params: { scope: "" },
    },
    token: { url: "https://meta.wikimedia.org/w/rest.php/oauth2/access_token" },
    userinfo: {
      url: "https://meta.wikimedia.org/w/rest.php/oauth2/resource/profile",
      headers: { "User-Agent": "keyhook (client {clientId})" },
    },
    profile: ({ sub, username: name, email }) => ({
      id: sub.toString(),
      name,
      email: email ?? null,
      image: null,
    }),
    emailVerified: (profile, email) =>
      isSameEmail(profile.email, email) ? profile.confirmed_email : undefined,
  }),
);

export default wikimediaPlugin;
