import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Strava's `GET /api/v3/athlete`. */
export interface StravaProfile {
  id: number;
  firstname?: string;
  lastname?: string;
  /** The picture. */
  profile?: string;
}

/**
 * Adds sign-in with Strava. The callback is `/auth/callback/strava`. Reads `AUTH_STRAVA_ID` and `AUTH_STRAVA_SECRET`.
 * Strava returns no address.
 *
 * @see https://developers.strava.com/docs/authentication/
 */
export const stravaPlugin: ProviderFactory<OAuthProvider<StravaProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "strava",
    name: "Strava",
    type: "oauth",
    style: { brandColor: "#fc4c02", icon: () => import("./_icons/strava.ts") },
    // Scopes are separated by commas.
    authorization: {
      url: "https://www.strava.com/oauth/authorize",
      params: { scope: "read", approval_prompt: "auto" },
    },
    token: { url: "https://www.strava.com/api/v3/oauth/token" },
    userinfo: { url: "https://www.strava.com/api/v3/athlete" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Strava does not document PKCE.
    checks: ["state"],
    revocation: "https://www.strava.com/oauth/deauthorize",
    profile: ({ id, firstname: first, lastname: last, profile: image }) => ({
      id: id.toString(),
      name: [first, last].filter(Boolean).join(" ") || null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default stravaPlugin;
