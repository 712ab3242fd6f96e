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
  people: [
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
