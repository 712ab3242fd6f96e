import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `response.user` of Tumblr's `GET /v2/user/info`. */
export interface TumblrProfile {
  /** The user name, which may change. */
  name: string;
  blogs?: { uuid: string; name?: string; primary?: boolean }[];
}

/**
 * Adds sign-in with Tumblr. The callback is `/auth/callback/tumblr`. Reads `AUTH_TUMBLR_ID` and `AUTH_TUMBLR_SECRET`.
 * The account's id is the id of the primary blog. Tumblr returns no address.
 *
 * Unsure: the members of the profile are untested.
 *
 * @see https://www.tumblr.com/docs/en/api/v2#oauth2-authorization
 */
export const tumblrPlugin: ProviderFactory<OAuthProvider<TumblrProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "tumblr",
    name: "Tumblr",
    type: "oauth",
    style: { brandColor: "#36465d", icon: () => import("./_icons/tumblr.ts") },
    authorization: { url: "https://www.tumblr.com/oauth2/authorize", params: { scope: "basic" } },
    token: { url: "https://api.tumblr.com/v2/oauth2/token" },
    userinfo: { url: "https://api.tumblr.com/v2/user/info", root: "response.user" },
    // Tumblr does not support PKCE.
    checks: ["state"],
    // The user has no permanent id, but the primary blog does.
    profile: ({ name, blogs }) => ({
      id: blogs?.find((one) => one.primary)?.uuid ?? "",
      name,
      email: null,
      image: `https://api.tumblr.com/v2/blog/${name}.tumblr.com/avatar`,
    }),
  }),
);

export default tumblrPlugin;
