import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Slack's ID token. */
export interface SlackProfile {
  sub: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
  locale?: string;
  "https://slack.com/user_id"?: string;
  "https://slack.com/team_id"?: string;
  "https://slack.com/team_name"?: string;
  "https://slack.com/team_domain"?: string;
}

/**
 * Sign-in with Slack. Callback `/auth/callback/slack`, which Slack takes over https only, even on
 * localhost; reads `AUTH_SLACK_ID` and `AUTH_SLACK_SECRET`.
 */
export const slackPlugin = defineProvider<OIDCProvider<SlackProfile>>(() => ({
  id: "slack",
  name: "Slack",
  type: "oidc",
  style: { brandColor: "#611f69" },
  issuer: "https://slack.com",
  authorization: { allow: ["team"] },
  // Its PKCE is for public clients.
  checks: ["state", "nonce"],
  // The claim is there, empty, when no nonce was sent.
  lenientNonce: true,
}));

export default slackPlugin;
