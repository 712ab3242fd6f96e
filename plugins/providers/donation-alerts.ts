import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `data` of the response of DonationAlerts. */
export interface DonationAlertsProfile {
  id: number;
  code?: string;
  name: string;
  email?: string | null;
  avatar?: string | null;
}

/**
 * Adds sign-in with DonationAlerts. The callback is `/auth/callback/donation-alerts`. Reads `AUTH_DONATION_ALERTS_ID`
 * and `AUTH_DONATION_ALERTS_SECRET`. Whether the address is verified is unknown.
 *
 * Unsure: the documentation does not mention `state`. It is required nevertheless, because without it another site
 * could sign visitors in.
 *
 * @see https://www.donationalerts.com/apidoc
 */
export const donationAlertsPlugin: ProviderFactory<OAuthProvider<DonationAlertsProfile>> =
  defineProvider(oauthFlow, () => ({
    id: "donation-alerts",
    name: "DonationAlerts",
    type: "oauth",
    authorization: {
      url: "https://www.donationalerts.com/oauth/authorize",
      params: { scope: "oauth-user-show" },
    },
    token: { url: "https://www.donationalerts.com/oauth/token" },
    userinfo: { url: "https://www.donationalerts.com/api/v1/user/oauth", root: "data" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // DonationAlerts does not document PKCE.
    checks: ["state"],
    refresh: { params: { scope: "oauth-user-show" } },
    profile: ({ id, name, email, avatar: image }) => ({
      id: id.toString(),
      name,
      email: email ?? null,
      image: image ?? null,
    }),
  }));

export default donationAlertsPlugin;
