import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Todoist's `GET /api/v1/user`. */
export interface TodoistProfile {
  id: string;
  full_name?: string;
  email?: string;
  avatar_big?: string | null;
}

/**
 * Adds sign-in with Todoist. The callback is `/auth/callback/todoist`. Reads `AUTH_TODOIST_ID` and
 * `AUTH_TODOIST_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://developer.todoist.com/api/v1/#tag/Authorization
 */
export const todoistPlugin: ProviderFactory<OAuthProvider<TodoistProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "todoist",
    name: "Todoist",
    type: "oauth",
    style: { brandColor: "#e44332", icon: () => import("./_icons/todoist.ts") },
    authorization: { url: "https://todoist.com/oauth/authorize", params: { scope: "data:read" } },
    token: { url: "https://todoist.com/oauth/access_token" },
    userinfo: { url: "https://api.todoist.com/api/v1/user" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, full_name: name, email, avatar_big: image }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default todoistPlugin;
