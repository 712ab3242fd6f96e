import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of the Threads API's `GET /me`. */
export interface ThreadsProfile {
  id: string;
  username?: string;
  threads_profile_picture_url?: string;
}

/**
 * Adds sign-in with Threads. The callback is `/auth/callback/threads`. Reads `AUTH_THREADS_ID` and
 * `AUTH_THREADS_SECRET`. Threads returns no address.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
export const threadsPlugin: ProviderFactory<OAuthProvider<ThreadsProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "threads",
    name: "Threads",
    type: "oauth",
    style: { brandColor: "#000000", icon: () => import("./_icons/threads.ts") },
    authorization: {
      url: "https://threads.net/oauth/authorize",
      params: { scope: "threads_basic" },
    },
    token: { url: "https://graph.threads.net/oauth/access_token" },
    userinfo: {
      url: "https://graph.threads.net/v1.0/me",
      params: { fields: "id,username,threads_profile_picture_url" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Threads does not document PKCE.
    checks: ["state"],
    profile: ({ id, username: name, threads_profile_picture_url: image }) => ({
      id,
      name: name ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default threadsPlugin;
