import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** HubSpot's description of an access token. */
export interface HubSpotProfile {
  user_id: number;
  /** The address with which the user signs in. */
  user: string;
  hub_id?: number;
  hub_domain?: string;
}

/**
 * Adds sign-in with HubSpot. The callback is `/auth/callback/hubspot`. Reads `AUTH_HUBSPOT_ID` and
 * `AUTH_HUBSPOT_SECRET`. HubSpot returns no name, so the name is the address. Whether the address is verified is
 * unknown.
 *
 * @see https://developers.hubspot.com/docs/guides/api/app-management/oauth-tokens
 */
export const hubspotPlugin: ProviderFactory<OAuthProvider<HubSpotProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "hubspot",
    name: "HubSpot",
    type: "oauth",
    style: { brandColor: "#ff7a59", icon: () => import("./_icons/hubspot.ts") },
    authorization: { url: "https://app.hubspot.com/oauth/authorize", params: { scope: "oauth" } },
    token: { url: "https://api.hubapi.com/oauth/v1/token" },
    // HubSpot describes the token that is part of the URL.
    userinfo: {
      url: "https://api.hubapi.com/oauth/v1/access-tokens/{access_token}",
      token: "none",
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ user_id: id, user }) => ({
      id: id.toString(),
      name: user,
      email: user,
      image: null,
    }),
  }),
);

export default hubspotPlugin;
