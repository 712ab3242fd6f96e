import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Atlassian's `GET /me`. */
export interface AtlassianProfile {
  account_id: string;
  name: string;
  email?: string | null;
  picture: string;
  nickname?: string;
  account_status?: string;
}

/**
 * Adds sign-in with Atlassian. The callback is `/auth/callback/atlassian`. Reads `AUTH_ATLASSIAN_ID` and
 * `AUTH_ATLASSIAN_SECRET`. A user may hide the address. Whether it is verified is unknown.
 *
 * @see https://developer.atlassian.com/cloud/confluence/oauth-2-3lo-apps/
 */
export const atlassianPlugin: ProviderFactory<OAuthProvider<AtlassianProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "atlassian",
    name: "Atlassian",
    type: "oauth",
    style: { brandColor: "#0052cc", icon: () => import("./_icons/atlassian.ts") },
    authorization: {
      url: "https://auth.atlassian.com/authorize",
      params: { scope: "read:me", audience: "api.atlassian.com" },
    },
    token: { url: "https://auth.atlassian.com/oauth/token" },
    userinfo: { url: "https://api.atlassian.com/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ account_id: id, name, email, picture: image }) => ({
      id,
      name,
      email: email ?? null,
      image,
    }),
  }),
);

export default atlassianPlugin;
