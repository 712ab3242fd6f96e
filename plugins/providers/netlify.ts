import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Netlify's `GET /api/v1/user`. */
export interface NetlifyProfile {
  id: string;
  full_name?: string | null;
  email?: string;
  avatar_url?: string | null;
}

/**
 * Adds sign-in with Netlify. The callback is `/auth/callback/netlify`. Reads `AUTH_NETLIFY_ID` and
 * `AUTH_NETLIFY_SECRET`. Netlify has no scopes. Whether the address is verified is unknown.
 *
 * @see https://docs.netlify.com/api/get-started/#authentication
 */
export const netlifyPlugin: ProviderFactory<OAuthProvider<NetlifyProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "netlify",
    name: "Netlify",
    type: "oauth",
    style: { brandColor: "#00c7b7", icon: () => import("./_icons/netlify.ts") },
    authorization: { url: "https://app.netlify.com/authorize" },
    token: { url: "https://api.netlify.com/oauth/token" },
    userinfo: { url: "https://api.netlify.com/api/v1/user" },
    profile: ({ id, full_name: name, email, avatar_url: image }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default netlifyPlugin;
