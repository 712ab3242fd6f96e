import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of FreshBooks' `GET /auth/api/v1/users/me`. */
export interface FreshBooksProfile {
  response: {
    id: number;
    first_name?: string | null;
    last_name?: string | null;
    email?: string;
  };
}

/**
 * Adds sign-in with FreshBooks. The callback is `/auth/callback/freshbooks`. Reads `AUTH_FRESHBOOKS_ID` and
 * `AUTH_FRESHBOOKS_SECRET`. The app's registration sets the scopes. Whether the address is verified is unknown.
 *
 * Unsure: the authorization URL. Other clients use it, but Auth.js uses the older one below `/service/auth`.
 *
 * @see https://www.freshbooks.com/api/authentication
 */
export const freshbooksPlugin: ProviderFactory<OAuthProvider<FreshBooksProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "freshbooks",
    name: "FreshBooks",
    type: "oauth",
    style: { brandColor: "#0075dd" },
    authorization: { url: "https://auth.freshbooks.com/oauth/authorize" },
    token: { url: "https://api.freshbooks.com/auth/oauth/token" },
    userinfo: { url: "https://api.freshbooks.com/auth/api/v1/users/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ response: { id, first_name: first, last_name: last, email } }) => ({
      id: id.toString(),
      name: [first, last].filter(Boolean).join(" ") || null,
      email: email ?? null,
      image: null,
    }),
  }),
);

export default freshbooksPlugin;
