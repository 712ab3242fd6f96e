import { defineProvider } from "../../src/index.ts";
import type { OAuthProvider } from "../../src/index.ts";

/** An entry of `GET /user/emails`. */
export interface GitHubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
  visibility?: string | null;
}

/** What `GET /user` tells, with the addresses beside it when it names none. */
export interface GitHubProfile {
  id: number;
  login: string;
  name: string | null;
  email: string | null;
  avatar_url: string;
  html_url?: string;
  company?: string | null;
  location?: string | null;
  bio?: string | null;
  emails?: GitHubEmail[];
}

/** What GitHub can be told beside the fields every provider has. */
export interface GitHubOptions {
  /** An Enterprise Server, such as `https://github.example.com`. */
  enterprise?: { baseUrl: string };
}

/**
 * Sign-in with GitHub. Callback `/auth/callback/github`; reads `AUTH_GITHUB_ID` and
 * `AUTH_GITHUB_SECRET`. An address shown on the public profile counts as unproved.
 */
export const githubPlugin = defineProvider<OAuthProvider<GitHubProfile>, GitHubOptions>(
  ({ enterprise }) => {
    const web = enterprise ? enterprise.baseUrl.replace(/\/+$/, "") : "https://github.com";
    const api = enterprise ? `${web}/api/v3` : "https://api.github.com";
    // Refused without one.
    const headers = { "User-Agent": "keyhook" };
    return {
      id: "github",
      name: "GitHub",
      type: "oauth",
      style: { brandColor: "#24292f" },
      // Its callback says who is speaking (RFC 9207).
      issuer: `${web}/login/oauth`,
      authorization: {
        url: `${web}/login/oauth/authorize`,
        params: { scope: "read:user user:email" },
        allow: ["login", "allow_signup"],
      },
      token: { url: `${web}/login/oauth/access_token` },
      userinfo: { url: `${api}/user`, headers },
      enrich: [{ into: "emails", url: `${api}/user/emails`, headers, when: ({ email }) => !email }],
      // Older Enterprise Servers ignore PKCE.
      checks: enterprise ? ["pkce", "state"] : ["pkce"],
      profile: (profile) => ({
        id: profile.id.toString(),
        name: profile.name ?? profile.login,
        email: profile.email || (bestOf(profile.emails)?.email ?? null),
        image: profile.avatar_url,
      }),
      emailVerified: ({ email, emails }) => !email && bestOf(emails)?.verified === true,
    };
  },
);

/** The primary address if it is verified, else any that is. */
function bestOf(emails: readonly GitHubEmail[] = []): GitHubEmail | undefined {
  const rank = ({ primary, verified }: GitHubEmail) => (verified ? 2 : 0) + (primary ? 1 : 0);
  return emails.toSorted((one, other) => rank(other) - rank(one))[0];
}

export default githubPlugin;
