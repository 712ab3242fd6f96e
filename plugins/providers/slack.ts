import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

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
 * Adds sign-in with Slack. The callback is `/auth/callback/slack`, which Slack accepts only over https, even on
 * localhost. Reads `AUTH_SLACK_ID` and `AUTH_SLACK_SECRET`.
 */
export const slackPlugin: ProviderFactory<OIDCProvider<SlackProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "slack",
    name: "Slack",
    type: "oidc",
    style: { brandColor: "#611f69" },
    issuer: "https://slack.com",
    authorization: { allow: ["team"] },
    // Slack supports PKCE only for public clients.
    checks: ["state", "nonce"],
    // Slack sends an empty claim `nonce` even if no nonce was sent.
    lenientNonce: true,
  }),
);

export default slackPlugin;
