import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `data` of Tiltify's `GET /api/public/current-user`. */
export interface TiltifyProfile {
  id: string | number;
  username?: string;
  email?: string;
  avatar?: { src?: string };
}

/**
 * Adds sign-in with Tiltify. The callback is `/auth/callback/tiltify`. Reads `AUTH_TILTIFY_ID` and
 * `AUTH_TILTIFY_SECRET`. Whether the address is verified is unknown.
 *
 * Unsure: the members of the profile are untested.
 *
 * @see https://developers.tiltify.com/docs/api-auth
 */
export const tiltifyPlugin: ProviderFactory<OAuthProvider<TiltifyProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "tiltify",
    name: "Tiltify",
    type: "oauth",
    authorization: { url: "https://v5api.tiltify.com/oauth/authorize" },
    token: { url: "https://v5api.tiltify.com/oauth/token" },
    userinfo: {
      url: "https://v5api.tiltify.com/api/public/current-user",
      headers: { "Client-Id": "{clientId}" },
      root: "data",
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Tiltify does not document PKCE.
    checks: ["state"],
    profile: ({ id, username: name, email, avatar }) => ({
      id: id.toString(),
      name: name ?? null,
      email: email ?? null,
      image: avatar?.src ?? null,
    }),
  }),
);

export default tiltifyPlugin;
