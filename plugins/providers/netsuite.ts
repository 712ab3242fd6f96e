import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider, UserinfoEndpoint } from "../flows/oauth.ts";

/** The response of the account's RESTlet. */
export interface NetSuiteProfile {
  id: number | string;
  name?: string;
  email?: string;
}

/** Options of `netsuitePlugin`, in addition to those of every provider. */
export interface NetSuiteOptions {
  /** The account's id, such as `1234567`, or `1234567_SB1` for a sandbox. */
  accountID: string;
  /** A RESTlet or Suitelet of the account, which returns `id`, `name` and `email` of the user. */
  userinfo: string | UserinfoEndpoint;
}

/**
 * Adds sign-in with NetSuite. The callback is `/auth/callback/netsuite`. Reads `AUTH_NETSUITE_ID` and
 * `AUTH_NETSUITE_SECRET`. NetSuite has no profile endpoint, so the account needs a RESTlet that returns the user.
 * Whether the address is verified is unknown.
 *
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157771733782.html
 */
export const netsuitePlugin: ProviderFactory<
  OAuthProvider<NetSuiteProfile>,
  NetSuiteOptions
> = defineProvider(oauthFlow, ({ accountID = "" }: Partial<NetSuiteOptions>) => {
  // Host names contain the account's id in lower case, with a hyphen.
  const account = accountID.toLowerCase().replaceAll("_", "-");
  return {
    id: "netsuite",
    name: "NetSuite",
    type: "oauth",
    style: { brandColor: "#181a1b" },
    settings: { accountID: { required: true, example: "1234567-sb1" } },
    authorization: {
      url: `https://${account}.app.netsuite.com/app/login/oauth2/authorize.nl`,
      params: { scope: "restlets rest_webservices" },
    },
    token: {
      url: `https://${account}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token`,
    },
    // NetSuite supports PKCE only for public clients.
    checks: ["state"],
    revocation: `https://${account}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/revoke`,
    profile: ({ id, name, email }) => ({
      id: id.toString(),
      name: name ?? null,
      email: email ?? null,
      image: null,
    }),
  };
});

export default netsuitePlugin;
