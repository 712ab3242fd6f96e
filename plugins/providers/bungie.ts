import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Bungie's `GetCurrentBungieNetUser`. */
export interface BungieProfile {
  Response: {
    membershipId: string;
    displayName?: string;
    uniqueName?: string;
    profilePicturePath?: string;
  };
}

/** Options of `bungiePlugin`, in addition to those of every provider. */
export interface BungieOptions {
  /** The API key of the application. Default: `AUTH_BUNGIE_KEY`. */
  apiKey?: string;
}

/**
 * Adds sign-in with Bungie. The callback is `/auth/callback/bungie`. Reads `AUTH_BUNGIE_ID`, `AUTH_BUNGIE_SECRET` and
 * `AUTH_BUNGIE_KEY`. Bungie refuses a scope, and returns no address.
 *
 * @see https://github.com/Bungie-net/api/wiki/OAuth-Documentation
 */
export const bungiePlugin: ProviderFactory<
  OAuthProvider<BungieProfile>,
  BungieOptions
> = defineProvider(oauthFlow, ({ apiKey = "" }) => ({
  id: "bungie",
  name: "Bungie",
  type: "oauth",
  style: { brandColor: "#0075bb", icon: () => import("./_icons/bungie.ts") },
  settings: { apiKey: { required: true, example: "the API key of the application" } },
  authorization: { url: "https://www.bungie.net/en/OAuth/Authorize", params: { reauth: "true" } },
  token: { url: "https://www.bungie.net/platform/app/oauth/token/" },
  userinfo: {
    url: "https://www.bungie.net/Platform/User/GetCurrentBungieNetUser/",
    headers: { "X-API-Key": apiKey },
  },
  // Bungie does not support PKCE.
  checks: ["state"],
  profile: ({ Response: { membershipId: id, displayName: name, profilePicturePath: path } }) => ({
    id,
    name: name ?? null,
    email: null,
    image: path ? new URL(path, "https://www.bungie.net").href : null,
  }),
}));

export default bungiePlugin;
