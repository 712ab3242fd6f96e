import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of the userinfo endpoint. */
export interface XsuaaProfile {
  user_id?: string;
  sub?: string;
  user_name?: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
}

/** Options of `xsuaaPlugin`, in addition to those of every provider. */
export interface XsuaaOptions {
  /** The host of the tenant, such as `acme.authentication.eu10.hana.ondemand.com`. */
  domain: string;
}

/**
 * Adds sign-in with SAP XSUAA. The callback is `/auth/callback/xsuaa`. Reads `AUTH_XSUAA_ID` and `AUTH_XSUAA_SECRET`.
 *
 * Unsure: the members of the profile are untested.
 *
 * @see
 * https://help.sap.com/docs/btp/sap-business-technology-platform/what-is-sap-authorization-and-trust-management-service
 */
export const xsuaaPlugin: ProviderFactory<
  OAuthProvider<XsuaaProfile>,
  XsuaaOptions
> = defineProvider(oauthFlow, ({ domain = "" }: Partial<XsuaaOptions>) => ({
  id: "xsuaa",
  name: "SAP XSUAA",
  type: "oauth",
  style: { brandColor: "#0faaff", icon: () => import("./_icons/xsuaa.ts") },
  settings: { domain: { required: true, example: "acme.authentication.eu10.hana.ondemand.com" } },
  authorization: { url: `https://${domain}/oauth/authorize` },
  token: { url: `https://${domain}/oauth/token` },
  userinfo: { url: `https://${domain}/userinfo` },
  client: { token_endpoint_auth_method: "client_secret_post" },
  // PKCE is untested for clients with a secret.
  checks: ["state"],
  profile: ({
    user_id: id,
    sub,
    name,
    given_name: given,
    family_name: family,
    user_name: username,
    email,
  }) => ({
    id: id ?? sub ?? "",
    name: name ?? ([given, family].filter(Boolean).join(" ") || username) ?? null,
    email: email ?? null,
    image: null,
  }),
}));

export default xsuaaPlugin;
