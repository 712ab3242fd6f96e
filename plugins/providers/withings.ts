import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The members of Withings' token response. */
export interface WithingsProfile {
  userid: string | number;
}

/**
 * Adds sign-in with Withings. The callback is `/auth/callback/withings`. Reads `AUTH_WITHINGS_ID` and
 * `AUTH_WITHINGS_SECRET`. Only the account's id is returned.
 *
 * @see https://developer.withings.com/api-reference/#tag/oauth2
 */
export const withingsPlugin: ProviderFactory<OAuthProvider<WithingsProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "withings",
    name: "Withings",
    type: "oauth",
    // Scopes are separated by commas.
    authorization: {
      url: "https://account.withings.com/oauth2_user/authorize2",
      params: { scope: "user.info" },
    },
    // Errors have the HTTP status 200 and a `status` other than 0.
    token: {
      url: "https://wbsapi.withings.net/v2/oauth2",
      params: { action: "requesttoken" },
      errorMember: "status",
      root: "body",
    },
    // Withings has no endpoint for profiles.
    userinfo: { from: "tokens" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Withings does not document PKCE.
    checks: ["state"],
    refresh: { params: { action: "requesttoken" } },
    profile: ({ userid: id }) => ({ id: id.toString(), name: null, email: null, image: null }),
  }),
);

export default withingsPlugin;
