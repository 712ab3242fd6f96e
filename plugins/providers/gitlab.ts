import { defineProvider } from "../../src/index.ts";
import type { OAuthProvider } from "../../src/index.ts";

/** What `GET /api/v4/user` tells. */
export interface GitLabProfile {
  id: number;
  username: string;
  name: string | null;
  email: string | null;
  avatar_url: string | null;
  web_url?: string;
  state?: string;
  /** When the address was confirmed. */
  confirmed_at?: string | null;
}

/** What GitLab can be told beside the fields every provider has. */
export interface GitLabOptions {
  /** A self-managed server. Default `https://gitlab.com`. */
  baseUrl?: string;
}

/**
 * Sign-in with GitLab. Callback `/auth/callback/gitlab`; reads `AUTH_GITLAB_ID` and
 * `AUTH_GITLAB_SECRET`. A server of your own may confirm addresses without asking their owners.
 */
export const gitlabPlugin = defineProvider<OAuthProvider<GitLabProfile>, GitLabOptions>(
  ({ baseUrl = "https://gitlab.com" }) => {
    const base = baseUrl.replace(/\/+$/, "");
    return {
      id: "gitlab",
      name: "GitLab",
      type: "oauth",
      style: { brandColor: "#FC6D26" },
      authorization: { url: `${base}/oauth/authorize`, params: { scope: "read_user" } },
      token: { url: `${base}/oauth/token` },
      userinfo: { url: `${base}/api/v4/user` },
      profile: (profile) => ({
        id: profile.id.toString(),
        name: profile.name ?? profile.username,
        email: profile.email,
        image: profile.avatar_url,
      }),
      emailVerified: ({ confirmed_at }) => Boolean(confirmed_at),
    };
  },
);

export default gitlabPlugin;
