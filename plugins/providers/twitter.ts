import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of X's `GET /2/users/me`, with `confirmed` from a second request. */
export interface TwitterProfile {
  data: {
    id: string;
    name?: string;
    username?: string;
    profile_image_url?: string;
  };
  confirmed?: { data?: { confirmed_email?: string } };
}

/**
 * Adds sign-in with X, formerly Twitter. The callback is `/auth/callback/twitter`. Reads `AUTH_TWITTER_ID` and
 * `AUTH_TWITTER_SECRET`. The app needs permission to request the address. X returns only confirmed addresses.
 *
 * Unsure: whether X refuses the scope `users.email` for an app without that permission. For such an app, set
 * `authorization.params.scope` without it.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export const twitterPlugin: ProviderFactory<OAuthProvider<TwitterProfile>> = defineProvider(
  oauthFlow,
  () => {
    const me = "https://api.x.com/2/users/me";
    return {
      id: "twitter",
      name: "X (Twitter)",
      type: "oauth",
      style: { brandColor: "#000000", icon: () => import("./_icons/twitter.ts") },
      authorization: {
        url: "https://x.com/i/oauth2/authorize",
        params: { scope: "users.read tweet.read users.email offline.access" },
      },
      token: { url: "https://api.x.com/2/oauth2/token" },
      userinfo: { url: me, params: { "user.fields": "profile_image_url" } },
      // Requested separately from the profile, because an app needs a permission for it.
      enrich: [{ into: "confirmed", url: `${me}?user.fields=confirmed_email` }],
      checks: ["pkce", "state"],
      revocation: "https://api.x.com/2/oauth2/revoke",
      profile: ({ data: { id, name, profile_image_url: image }, confirmed }) => ({
        id,
        name: name ?? null,
        email: confirmed?.data?.confirmed_email ?? null,
        image: image ?? null,
      }),
      emailVerified: ({ confirmed }, email) =>
        isSameEmail(confirmed?.data?.confirmed_email, email) || undefined,
    };
  },
);

export default twitterPlugin;
