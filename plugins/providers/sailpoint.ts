import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of SailPoint's userinfo endpoint. */
export interface SailPointProfile {
  id: string;
  /** The user name. */
  uid?: string;
  email?: string;
  tenant?: string;
}

/** Options of `sailpointPlugin`, in addition to those of every provider. */
export interface SailPointOptions {
  /** The tenant's site, such as `https://acme.identitynow.com`. */
  baseUrl: string;
  /** The tenant's API, such as `https://acme.api.identitynow.com`. */
  baseApiUrl: string;
}

/**
 * Adds sign-in with SailPoint Identity Security Cloud. The callback is `/auth/callback/sailpoint`. Reads
 * `AUTH_SAILPOINT_ID` and `AUTH_SAILPOINT_SECRET`. Whether the address is verified is unknown.
 *
 * Unsure: the scope, which allows everything that the user may do. Set a smaller one if the client has it.
 *
 * @see https://developer.sailpoint.com/docs/api/authentication/
 */
export const sailpointPlugin: ProviderFactory<
  OAuthProvider<SailPointProfile>,
  SailPointOptions
> = defineProvider(oauthFlow, ({ baseUrl = "", baseApiUrl = "" }: Partial<SailPointOptions>) => {
  const [web, api] = [trimEnd(baseUrl, "/"), trimEnd(baseApiUrl, "/")];
  return {
    id: "sailpoint",
    name: "SailPoint",
    type: "oauth",
    style: { brandColor: "#011E69" },
    settings: {
      baseUrl: { required: true, example: "https://acme.identitynow.com" },
      baseApiUrl: { required: true, example: "https://acme.api.identitynow.com" },
    },
    authorization: { url: `${web}/oauth/authorize`, params: { scope: "sp:scopes:all" } },
    token: { url: `${api}/oauth/token` },
    userinfo: { url: `${api}/oauth/userinfo` },
    profile: ({ id, uid: name, email }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: null,
    }),
  };
});

export default sailpointPlugin;
