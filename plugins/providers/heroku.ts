import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Heroku's `GET /account`. */
export interface HerokuProfile {
  id: string;
  name?: string | null;
  email?: string;
}

/**
 * Adds sign-in with Heroku. The callback is `/auth/callback/heroku`. Reads `AUTH_HEROKU_ID` and `AUTH_HEROKU_SECRET`.
 *
 * Whether the address is verified is unknown. `verified` says that a means of payment has verified the account.
 *
 * @see https://devcenter.heroku.com/articles/oauth
 */
export const herokuPlugin: ProviderFactory<OAuthProvider<HerokuProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "heroku",
    name: "Heroku",
    type: "oauth",
    authorization: { url: "https://id.heroku.com/oauth/authorize", params: { scope: "identity" } },
    token: { url: "https://id.heroku.com/oauth/token" },
    userinfo: {
      url: "https://api.heroku.com/account",
      headers: { accept: "application/vnd.heroku+json; version=3" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Heroku does not document PKCE.
    checks: ["state"],
    profile: ({ id, name, email }) => ({
      id,
      name: name ?? email ?? null,
      email: email ?? null,
      image: null,
    }),
  }),
);

export default herokuPlugin;
