import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Mastodon's `GET /api/v1/accounts/verify_credentials`. */
export interface MastodonProfile {
  id: string;
  username: string;
  /** Empty if the user has not set it. */
  display_name?: string;
  avatar_static?: string;
  url?: string;
}

/**
 * Adds sign-in with Mastodon. The callback is `/auth/callback/mastodon`. Reads `AUTH_MASTODON_ID`,
 * `AUTH_MASTODON_SECRET` and `AUTH_MASTODON_ISSUER`. `issuer` is required: the server at which the application is
 * registered. Mastodon returns no address.
 *
 * @see https://docs.joinmastodon.org/client/authorized/
 */
export const mastodonPlugin: ProviderFactory<OAuthProvider<MastodonProfile>> = defineProvider(
  oauthFlow,
  ({ issuer = "" }) => {
    const base = trimEnd(issuer, "/");
    return {
      id: "mastodon",
      name: "Mastodon",
      type: "oauth",
      style: { brandColor: "#6364ff", icon: () => import("./_icons/mastodon.ts") },
      settings: { issuer: { required: true, example: "https://mastodon.social" } },
      authorization: {
        url: `${base}/oauth/authorize`,
        params: { scope: "read" },
        allow: ["force_login", "lang"],
      },
      token: { url: `${base}/oauth/token` },
      userinfo: { url: `${base}/api/v1/accounts/verify_credentials` },
      revocation: `${base}/oauth/revoke`,
      profile: ({ id, username, display_name: name, avatar_static: image }) => ({
        id,
        name: name || username,
        email: null,
        image: image ?? null,
      }),
    };
  },
);

export default mastodonPlugin;
