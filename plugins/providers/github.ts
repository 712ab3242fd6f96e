import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** An entry of the response of GitHub's `GET /user/emails`. */
export interface GitHubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
  visibility?: string | null;
}

/** The response of GitHub's `GET /user`. Without a public address it has `emails`, and the best of these as `email`. */
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

/** Options of `githubPlugin`, in addition to those of every provider. */
export interface GitHubOptions {
  /** A GitHub Enterprise Server, such as `{ baseUrl: "https://github.example.com" }`. */
  enterprise?: { baseUrl: string };
}

/**
 * Adds sign-in with GitHub. The callback is `/auth/callback/github`. Reads `AUTH_GITHUB_ID` and `AUTH_GITHUB_SECRET`.
 * Whether the address of a public profile is verified is unknown.
 */
export const githubPlugin: ProviderFactory<
  OAuthProvider<GitHubProfile>,
  GitHubOptions
> = defineProvider(oauthFlow, ({ enterprise }) => {
  const web = enterprise ? trimEnd(enterprise.baseUrl, "/") : "https://github.com";
  const api = enterprise ? `${web}/api/v3` : "https://api.github.com";
  // GitHub rejects requests without a User-Agent.
  const headers = { "User-Agent": "keyhook" };
  return {
    id: "github",
    name: "GitHub",
    type: "oauth",
    style: { brandColor: "#24292f" },
    settings: { enterprise: { example: { baseUrl: "https://github.example.com" } } },
    // GitHub's callback has an `iss` parameter, which is compared with this (RFC 9207).
    issuer: `${web}/login/oauth`,
    authorization: {
      url: `${web}/login/oauth/authorize`,
      params: { scope: "read:user user:email" },
      allow: ["login", "allow_signup"],
    },
    token: { url: `${web}/login/oauth/access_token` },
    userinfo: { url: `${api}/user`, headers },
    revocation: {
      url: `${api}/applications/{clientId}/token`,
      method: "DELETE",
      json: "access_token",
    },
    enrich: [{ into: "emails", url: `${api}/user/emails`, headers, when: ({ email }) => !email }],
    derive: ({ email, emails }) => ({ email: email || (findBestEmail(emails)?.email ?? null) }),
    profile: (profile) => ({
      id: profile.id.toString(),
      name: profile.name ?? profile.login,
      email: profile.email,
      image: profile.avatar_url,
    }),
    // For a public address it is unknown, because the list of addresses is not requested then.
    emailVerified: ({ emails }, email) =>
      emails?.find((one) => isSameEmail(one.email, email))?.verified,
  };
});

/** Finds the primary address if it is verified, else any verified address, else the primary one. */
function findBestEmail(emails: readonly GitHubEmail[] = []): GitHubEmail | undefined {
  const rank = ({ primary, verified }: GitHubEmail) => (verified ? 2 : 0) + (primary ? 1 : 0);
  return emails.toSorted((one, other) => rank(other) - rank(one))[0];
}

export default githubPlugin;
