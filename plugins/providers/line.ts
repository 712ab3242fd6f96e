import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as LineProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with LINE. The callback is `/auth/callback/line`. Reads `AUTH_LINE_ID` and `AUTH_LINE_SECRET`. The
 * address requires a permission of the channel. Whether it is verified is unknown.
 *
 * @see https://developers.line.biz/en/docs/line-login/integrate-line-login/
 */
export const linePlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "line",
  name: "LINE",
  type: "oidc",
  style: { brandColor: "#00c300", icon: () => import("./_icons/line.ts") },
  issuer: "https://access.line.me",
  authorization: { allow: ["bot_prompt", "disable_auto_login"] },
  // ID tokens of web logins are signed with the channel secret, although the metadata lists another algorithm.
  client: {
    id_token_signed_response_alg: "HS256",
    token_endpoint_auth_method: "client_secret_post",
  },
  // LINE refuses requests without a state.
  checks: ["pkce", "state"],
  revocation: "https://api.line.me/oauth2/v2.1/revoke",
}));

export default linePlugin;
