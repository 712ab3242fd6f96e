import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Seznam's `GET /api/v1/user`. */
export interface SeznamProfile {
  oauth_user_id: string;
  firstname?: string;
  lastname?: string;
  email?: string;
  avatar_url?: string | null;
}

/**
 * Adds sign-in with Seznam. The callback is `/auth/callback/seznam`. Reads `AUTH_SEZNAM_ID` and `AUTH_SEZNAM_SECRET`.
 * For the picture, add the scope `avatar`. Whether the address is verified is unknown.
 *
 * @see https://vyvojari.seznam.cz/oauth/doc
 */
export const seznamPlugin: ProviderFactory<OAuthProvider<SeznamProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "seznam",
    name: "Seznam",
    type: "oauth",
    // Scopes are separated by commas.
    authorization: { url: "https://login.szn.cz/api/v1/oauth/auth", params: { scope: "identity" } },
    token: { url: "https://login.szn.cz/api/v1/oauth/token" },
    userinfo: { url: "https://login.szn.cz/api/v1/user", token: "bearer" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Seznam does not document PKCE.
    checks: ["state"],
    profile: ({
      oauth_user_id: id,
      firstname: first,
      lastname: last,
      email,
      avatar_url: image,
    }) => ({
      id,
      name: [first, last].filter(Boolean).join(" ") || null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default seznamPlugin;
