import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Foursquare's `GET /v2/users/self`. */
export interface FoursquareProfile {
  response: {
    user: {
      id: string;
      firstName?: string;
      lastName?: string;
      contact?: { email?: string };
      photo?: { prefix?: string; suffix?: string };
    };
  };
}

/** Options of `foursquarePlugin`, in addition to those of every provider. */
export interface FoursquareOptions {
  /** The version of the API as a date. Default `20230131`. */
  apiVersion?: string;
}

/**
 * Adds sign-in with Foursquare. The callback is `/auth/callback/foursquare`. Reads `AUTH_FOURSQUARE_ID` and
 * `AUTH_FOURSQUARE_SECRET`. Foursquare has no scopes. Whether the address is verified is unknown.
 *
 * Unsure: whether apps can still be registered, because Foursquare is replacing this API for places.
 *
 * @see https://docs.foursquare.com/developer/reference/authentication
 */
export const foursquarePlugin: ProviderFactory<
  OAuthProvider<FoursquareProfile>,
  FoursquareOptions
> = defineProvider(oauthFlow, ({ apiVersion = "20230131" }) => ({
  id: "foursquare",
  name: "Foursquare",
  type: "oauth",
  style: { brandColor: "#3333ff", icon: () => import("./_icons/foursquare.ts") },
  settings: { apiVersion: { example: "20230131" } },
  authorization: { url: "https://foursquare.com/oauth2/authenticate" },
  token: { url: "https://foursquare.com/oauth2/access_token" },
  userinfo: {
    url: "https://api.foursquare.com/v2/users/self",
    params: { v: apiVersion },
    token: "query:oauth_token",
  },
  client: { token_endpoint_auth_method: "client_secret_post" },
  // Foursquare does not document PKCE.
  checks: ["state"],
  profile: ({
    response: {
      user: { id, firstName, lastName, contact, photo },
    },
  }) => ({
    id,
    name: [firstName, lastName].filter(Boolean).join(" ") || null,
    email: contact?.email ?? null,
    image: photo?.prefix && photo.suffix ? `${photo.prefix}original${photo.suffix}` : null,
  }),
}));

export default foursquarePlugin;
