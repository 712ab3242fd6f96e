import { defineProvider } from "../../src/index.ts";
import type { OAuthProvider } from "../../src/index.ts";

/** The owner of a public integration's bot: the person who let it in. */
export interface NotionProfile {
  id: string;
  name: string | null;
  avatar_url: string | null;
  /** Without the address when the integration may not read it. */
  person?: { email?: string };
}

/**
 * Sign-in with Notion, as a public integration. Callback `/auth/callback/notion`; reads
 * `AUTH_NOTION_ID` and `AUTH_NOTION_SECRET`.
 */
export const notionPlugin = defineProvider<OAuthProvider<NotionProfile>>(() => ({
  id: "notion",
  name: "Notion",
  type: "oauth",
  style: { brandColor: "#000000" },
  authorization: {
    url: "https://api.notion.com/v1/oauth/authorize",
    // Notion knows no scopes.
    params: { owner: "user", scope: "" },
  },
  token: { url: "https://api.notion.com/v1/oauth/token" },
  userinfo: {
    url: "https://api.notion.com/v1/users/me",
    headers: { "Notion-Version": "2022-06-28" },
    root: "bot.owner.user",
  },
  // No PKCE.
  checks: ["state"],
  profile: ({ id, name, person, avatar_url }) => ({
    id,
    name,
    email: person?.email ?? null,
    image: avatar_url,
  }),
}));

export default notionPlugin;
