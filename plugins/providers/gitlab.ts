import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of GitLab's `GET /api/v4/user`. */
export interface GitLabProfile {
  id: number;
  username: string;
  name: string | null;
  email: string | null;
  avatar_url: string | null;
  web_url?: string;
  state?: string;
  /** When the address was confirmed, as ISO text. */
  confirmed_at?: string | null;
}

/** Options of `gitlabPlugin`, in addition to those of every provider. */
export interface GitLabOptions {
  /** The URL of a self-managed server. Default `https://gitlab.com`. */
  baseUrl?: string;
}

/**
 * Adds sign-in with GitLab. The callback is `/auth/callback/gitlab`. Reads `AUTH_GITLAB_ID` and `AUTH_GITLAB_SECRET`. A
 * self-managed server may confirm addresses without asking the owners.
 */
export const gitlabPlugin: ProviderFactory<
  OAuthProvider<GitLabProfile>,
  GitLabOptions
> = defineProvider(oauthFlow, ({ baseUrl = "https://gitlab.com" }) => {
  const base = trimEnd(baseUrl, "/");
  return {
    id: "gitlab",
    name: "GitLab",
    type: "oauth",
    style: { brandColor: "#FC6D26" },
    settings: { baseUrl: { example: "https://gitlab.example.com" } },
    authorization: { url: `${base}/oauth/authorize`, params: { scope: "read_user" } },
    token: { url: `${base}/oauth/token` },
    userinfo: { url: `${base}/api/v4/user` },
    profile: (profile) => ({
      id: profile.id.toString(),
      name: profile.name ?? profile.username,
      email: profile.email,
      image: profile.avatar_url,
    }),
    emailVerified: (profile, email) =>
      profile.confirmed_at !== undefined && isSameEmail(profile.email, email)
        ? profile.confirmed_at !== null
        : undefined,
  };
});

export default gitlabPlugin;
