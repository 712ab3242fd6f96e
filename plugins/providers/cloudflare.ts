import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `result` of Cloudflare's `GET /client/v4/user`. */
export interface CloudflareProfile {
  id: string;
  email?: string;
  first_name?: string | null;
  last_name?: string | null;
}

/**
 * Adds sign-in with Cloudflare. The callback is `/auth/callback/cloudflare`. Reads `AUTH_CLOUDFLARE_ID` and, unless the
 * client is public, `AUTH_CLOUDFLARE_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://developers.cloudflare.com/fundamentals/oauth/
 */
export const cloudflarePlugin: ProviderFactory<OAuthProvider<CloudflareProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "cloudflare",
    name: "Cloudflare",
    type: "oauth",
    style: { brandColor: "#f38020", icon: () => import("./_icons/cloudflare.ts") },
    authorization: {
      url: "https://dash.cloudflare.com/oauth2/auth",
      params: { scope: "user-details.read" },
    },
    token: { url: "https://dash.cloudflare.com/oauth2/token" },
    userinfo: { url: "https://api.cloudflare.com/client/v4/user", root: "result" },
    profile: ({ id, email, first_name: first, last_name: last }) => ({
      id,
      name: [first, last].filter(Boolean).join(" ") || email || null,
      email: email ?? null,
      image: null,
    }),
  }),
);

export default cloudflarePlugin;
