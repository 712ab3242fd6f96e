import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Webex's `GET /people/me`. */
export interface WebexProfile {
  id: string;
  displayName?: string;
  emails?: string[];
  avatar?: string;
  orgId?: string;
}

/** Options of `webexPlugin`, in addition to those of every provider. */
export interface WebexOptions {
  /** The API with its version. Default `https://webexapis.com/v1`. */
  apiBaseUrl?: string;
}

/**
 * Adds sign-in with Webex. The callback is `/auth/callback/webex`. Reads `AUTH_WEBEX_ID` and `AUTH_WEBEX_SECRET`. The
 * address is the first one. Whether it is verified is unknown.
 *
 * @see https://developer.webex.com/docs/login-with-webex
 */
export const webexPlugin: ProviderFactory<
  OAuthProvider<WebexProfile>,
  WebexOptions
> = defineProvider(oauthFlow, ({ apiBaseUrl = "https://webexapis.com/v1" }) => {
  const base = trimEnd(apiBaseUrl, "/");
  return {
    id: "webex",
    name: "Webex",
    type: "oauth",
    style: { brandColor: "#000000" },
    settings: { apiBaseUrl: { example: "https://webexapis.com/v1" } },
    authorization: { url: `${base}/authorize`, params: { scope: "spark:kms spark:people_read" } },
    token: { url: `${base}/access_token` },
    userinfo: { url: `${base}/people/me` },
    profile: ({ id, displayName: name, emails, avatar: image }) => ({
      id,
      name: name ?? null,
      email: emails?.[0] ?? null,
      image: image ?? null,
    }),
  };
});

export default webexPlugin;
