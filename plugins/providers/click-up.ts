import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of ClickUp's `GET /api/v2/user`. */
export interface ClickUpProfile {
  user: {
    id: number;
    username: string;
    email?: string;
    color?: string;
    profilePicture?: string | null;
  };
}

/**
 * Adds sign-in with ClickUp. The callback is `/auth/callback/click-up`. Reads `AUTH_CLICK_UP_ID` and
 * `AUTH_CLICK_UP_SECRET`. ClickUp has no scopes. Whether the address is verified is unknown.
 *
 * @see https://developer.clickup.com/docs/authentication
 */
export const clickUpPlugin: ProviderFactory<OAuthProvider<ClickUpProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "click-up",
    name: "ClickUp",
    type: "oauth",
    style: { brandColor: "#7b68ee", icon: () => import("./_icons/click-up.ts") },
    authorization: { url: "https://app.clickup.com/api" },
    token: { url: "https://api.clickup.com/api/v2/oauth/token" },
    userinfo: { url: "https://api.clickup.com/api/v2/user" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // ClickUp does not document PKCE.
    checks: ["state"],
    profile: ({ user: { id, username: name, email, profilePicture: image } }) => ({
      id: id.toString(),
      name,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default clickUpPlugin;
