import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Box's `GET /2.0/users/me`. */
export interface BoxProfile {
  id: string;
  name: string;
  /** The address. */
  login: string;
  avatar_url?: string;
  status?: string;
}

/**
 * Adds sign-in with Box. The callback is `/auth/callback/box`. Reads `AUTH_BOX_ID` and `AUTH_BOX_SECRET`. The app's
 * registration sets the scopes. Whether the address is verified is unknown.
 *
 * @see https://developer.box.com/guides/authentication/oauth2/
 */
export const boxPlugin: ProviderFactory<OAuthProvider<BoxProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "box",
    name: "Box",
    type: "oauth",
    style: { brandColor: "#0061d5", icon: () => import("./_icons/box.ts") },
    authorization: { url: "https://account.box.com/api/oauth2/authorize" },
    token: { url: "https://api.box.com/oauth2/token" },
    userinfo: { url: "https://api.box.com/2.0/users/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    revocation: "https://api.box.com/oauth2/revoke",
    profile: ({ id, name, login, avatar_url: image }) => ({
      id,
      name,
      email: login,
      image: image ?? null,
    }),
  }),
);

export default boxPlugin;
