import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Gitea's `GET /api/v1/user`. */
export interface GiteaProfile {
  id: number;
  login: string;
  /** Empty if the user has not set it. */
  full_name?: string;
  email?: string;
  avatar_url?: string;
}

/** Options of `giteaPlugin`, in addition to those of every provider. */
export interface GiteaOptions {
  /**
   * The URL of the server, which may be a Forgejo server such as `https://codeberg.org`. Default `https://gitea.com`.
   */
  baseUrl?: string;
}

/**
 * Adds sign-in with Gitea. The callback is `/auth/callback/gitea`. Reads `AUTH_GITEA_ID` and `AUTH_GITEA_SECRET`.
 * Whether the address is verified is unknown.
 *
 * @see https://docs.gitea.com/development/oauth2-provider
 */
export const giteaPlugin: ProviderFactory<
  OAuthProvider<GiteaProfile>,
  GiteaOptions
> = defineProvider(oauthFlow, ({ baseUrl = "https://gitea.com" }) => {
  const base = trimEnd(baseUrl, "/");
  return {
    id: "gitea",
    name: "Gitea",
    type: "oauth",
    style: { brandColor: "#609926", icon: () => import("./_icons/gitea.ts") },
    settings: { baseUrl: { example: "https://gitea.example.com" } },
    authorization: { url: `${base}/login/oauth/authorize`, params: { scope: "read:user" } },
    token: { url: `${base}/login/oauth/access_token` },
    userinfo: { url: `${base}/api/v1/user`, token: "token" },
    profile: ({ id, full_name: name, login, email, avatar_url: image }) => ({
      id: id.toString(),
      name: name || login,
      email: email || null,
      image: image ?? null,
    }),
  };
});

export default giteaPlugin;
