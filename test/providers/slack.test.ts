import { slackPlugin } from "../../plugins/providers/slack.ts";
import { testProvider } from "./_suite.ts";

testProvider(slackPlugin, {
  id: "slack",
  name: "Slack",
  type: "oidc",
  brandColor: "#611f69",
  issuer: "https://slack.com",
  authorization: { allow: ["team"] },
  checks: ["state", "nonce"],
  way: {
    metadata: {
      url: "https://slack.com/.well-known/openid-configuration",
      document: {
        issuer: "https://slack.com",
        authorization_endpoint: "https://slack.com/openid/connect/authorize",
        token_endpoint: "https://slack.com/api/openid.connect.token",
        userinfo_endpoint: "https://slack.com/api/openid.connect.userInfo",
        jwks_uri: "https://slack.com/openid/connect/keys",
        id_token_signing_alg_values_supported: ["RS256"],
        token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      },
    },
    authorize: {
      url: "https://slack.com/openid/connect/authorize",
      query: { scope: "openid profile email" },
    },
    token: {
      url: "https://slack.com/api/openid.connect.token",
      answer: { ok: true, access_token: "xoxp-1234", token_type: "Bearer" },
    },
    refusal: { status: 200, body: { ok: false, error: "invalid_code" } },
  },
  users: [
    {
      about: "a member of a team",
      answer: {
        sub: "U0R7JM",
        "https://slack.com/user_id": "U0R7JM",
        "https://slack.com/team_id": "T0R7GR",
        email: "krane@slack-corp.com",
        email_verified: true,
        name: "krane",
        picture: "https://secure.gravatar.com/avatar/f8ac3f.png",
        given_name: "Bront",
        family_name: "Labradoodle",
        locale: "en-US",
      },
      user: {
        id: "U0R7JM",
        name: "krane",
        email: "krane@slack-corp.com",
        image: "https://secure.gravatar.com/avatar/f8ac3f.png",
      },
    },
  ],
});
