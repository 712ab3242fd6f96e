import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** An address of Bitbucket's `GET /2.0/user/emails`. */
export interface BitbucketEmail {
  email: string;
  is_primary: boolean;
  is_confirmed: boolean;
}

/** The response of Bitbucket's `GET /2.0/user`, with `emails` from `GET /2.0/user/emails`. */
export interface BitbucketProfile {
  account_id: string;
  display_name?: string;
  username?: string;
  links?: { avatar?: { href?: string } };
  emails?: { values?: BitbucketEmail[] };
}

/**
 * Adds sign-in with Bitbucket. The callback is `/auth/callback/bitbucket`. Reads `AUTH_BITBUCKET_ID` and
 * `AUTH_BITBUCKET_SECRET`. The address is the primary one.
 *
 * @see https://support.atlassian.com/bitbucket-cloud/docs/use-oauth-on-bitbucket-cloud/
 */
export const bitbucketPlugin: ProviderFactory<OAuthProvider<BitbucketProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "bitbucket",
    name: "Bitbucket",
    type: "oauth",
    style: { brandColor: "#0052cc", icon: () => import("./_icons/bitbucket.ts") },
    authorization: {
      url: "https://bitbucket.org/site/oauth2/authorize",
      params: { scope: "account email" },
    },
    token: { url: "https://bitbucket.org/site/oauth2/access_token" },
    userinfo: { url: "https://api.bitbucket.org/2.0/user" },
    enrich: [{ into: "emails", url: "https://api.bitbucket.org/2.0/user/emails" }],
    profile: ({ account_id: id, display_name: name, username, emails, links }) => ({
      id,
      name: name ?? username ?? null,
      email: findPrimary(emails)?.email ?? null,
      image: links?.avatar?.href ?? null,
    }),
    emailVerified: ({ emails }, email) =>
      emails?.values?.find((one) => isSameEmail(one.email, email))?.is_confirmed,
  }),
);

function findPrimary(emails: BitbucketProfile["emails"]): BitbucketEmail | undefined {
  return emails?.values?.find((one) => one.is_primary);
}

export default bitbucketPlugin;
