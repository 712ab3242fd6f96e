import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** Linear's `viewer`: the signed-in user. */
export interface LinearProfile {
  id: string;
  name?: string;
  email?: string;
  avatarUrl?: string | null;
}

/**
 * Adds sign-in with Linear. The callback is `/auth/callback/linear`. Reads `AUTH_LINEAR_ID` and `AUTH_LINEAR_SECRET`.
 * Whether the address is verified is unknown.
 *
 * @see https://linear.app/developers/oauth-2-0-authentication
 */
export const linearPlugin: ProviderFactory<OAuthProvider<LinearProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "linear",
    name: "Linear",
    type: "oauth",
    style: { brandColor: "#5e6ad2", icon: () => import("./_icons/linear.ts") },
    // Scopes are separated by commas.
    authorization: {
      url: "https://linear.app/oauth/authorize",
      params: { scope: "read" },
      allow: ["actor"],
    },
    token: { url: "https://api.linear.app/oauth/token" },
    userinfo: {
      url: "https://api.linear.app/graphql",
      method: "POST",
      body: { query: "{ viewer { id name email avatarUrl } }" },
      root: "data.viewer",
      errorMember: "errors",
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is untested for clients with a secret.
    checks: ["state"],
    revocation: "https://api.linear.app/oauth/revoke",
    profile: ({ id, name, email, avatarUrl: image }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default linearPlugin;
