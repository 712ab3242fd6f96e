import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The owner of a public integration's bot: the user who authorized the integration. */
export interface NotionProfile {
  id: string;
  name: string | null;
  avatar_url: string | null;
  /** Has no `email` if the integration may not read addresses. */
  person?: { email?: string };
}

/**
 * Adds sign-in with Notion, through a public integration. The callback is `/auth/callback/notion`.
 * Reads `AUTH_NOTION_ID` and `AUTH_NOTION_SECRET`.
 */
export const notionPlugin: ProviderFactory<OAuthProvider<NotionProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "notion",
    name: "Notion",
    type: "oauth",
    style: { brandColor: "#000000" },
    authorization: {
      url: "https://api.notion.com/v1/oauth/authorize",
      // Notion has no scopes.
      params: { owner: "user", scope: "" },
    },
    token: { url: "https://api.notion.com/v1/oauth/token" },
    userinfo: {
      url: "https://api.notion.com/v1/users/me",
      headers: { "Notion-Version": "2022-06-28" },
      root: "bot.owner.user",
    },
    // Notion does not support PKCE.
    checks: ["state"],
    profile: ({ id, name, person, avatar_url }) => ({
      id,
      name,
      email: person?.email ?? null,
      image: avatar_url,
    }),
  }),
);

export default notionPlugin;
