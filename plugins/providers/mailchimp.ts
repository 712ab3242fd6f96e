import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Mailchimp's `GET /oauth2/metadata`. */
export interface MailchimpProfile {
  accountname?: string;
  /** The server of the account's API. */
  dc?: string;
  login: { login_id: number; login_name?: string; email?: string; avatar?: string | null };
}

/**
 * Adds sign-in with Mailchimp. The callback is `/auth/callback/mailchimp`. Reads `AUTH_MAILCHIMP_ID` and
 * `AUTH_MAILCHIMP_SECRET`. Mailchimp has no scopes, and its tokens do not expire. Whether the address is verified is
 * unknown.
 *
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
export const mailchimpPlugin: ProviderFactory<OAuthProvider<MailchimpProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "mailchimp",
    name: "Mailchimp",
    type: "oauth",
    style: { brandColor: "#ffe01b", icon: () => import("./_icons/mailchimp.ts") },
    authorization: { url: "https://login.mailchimp.com/oauth2/authorize" },
    token: { url: "https://login.mailchimp.com/oauth2/token" },
    userinfo: { url: "https://login.mailchimp.com/oauth2/metadata", token: "OAuth" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Mailchimp does not document PKCE.
    checks: ["state"],
    profile: ({ login, accountname: name }) => ({
      id: login.login_id.toString(),
      name: name ?? login.login_name ?? null,
      email: login.email ?? null,
      image: login.avatar ?? null,
    }),
  }),
);

export default mailchimpPlugin;
