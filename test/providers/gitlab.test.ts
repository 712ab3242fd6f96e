import { gitlabPlugin } from "../../plugins/providers/gitlab.ts";
import { testProvider } from "./_suite.ts";

const john = {
  id: 1,
  username: "john_smith",
  name: "John Smith",
  state: "active",
  locked: false,
  avatar_url: "https://gitlab.com/uploads/user/avatar/1/index.jpg",
  web_url: "https://gitlab.com/john_smith",
  email: "john@example.com",
  confirmed_at: "2012-05-23T09:05:22.000Z",
};
const user = {
  id: "1",
  name: "John Smith",
  email: "john@example.com",
  image: "https://gitlab.com/uploads/user/avatar/1/index.jpg",
};

testProvider(gitlabPlugin, {
  id: "gitlab",
  name: "GitLab",
  type: "oauth",
  brandColor: "#FC6D26",
  authorization: { url: "https://gitlab.com/oauth/authorize", params: { scope: "read_user" } },
  token: "https://gitlab.com/oauth/token",
  userinfo: { url: "https://gitlab.com/api/v4/user" },
  checks: ["pkce"],
  way: {
    added: ["state"],
    authorize: { url: "https://gitlab.com/oauth/authorize", query: { scope: "read_user" } },
    token: {
      url: "https://gitlab.com/oauth/token",
      answer: {
        access_token: "de6780bc506a0446309bd9362820ba8aed28aa506c71eedbe1c5c4f9dd350e54",
        token_type: "Bearer",
        expires_in: 7200,
        refresh_token: "8257e65c97202ed1726cf9571600918f3bffb2544b26e00a61df9897668c33a1",
        scope: "read_user",
        created_at: 1_607_635_748,
      },
    },
    userinfo: { url: "https://gitlab.com/api/v4/user" },
    refusal: { status: 400, body: { error: "invalid_grant" } },
  },
  users: [
    { about: "a user with a confirmed address", answer: john, user, verified: true },
    {
      about: "a user with an unconfirmed address",
      answer: { ...john, name: null, avatar_url: null, confirmed_at: null },
      user: { ...user, name: "john_smith", image: null },
      verified: false,
    },
  ],
  variants: [
    {
      about: "baseUrl with a path",
      plugin: gitlabPlugin({ baseUrl: "https://example.com/gitlab/" }),
      resolved: {
        authorization: { url: "https://example.com/gitlab/oauth/authorize" },
        token: { url: "https://example.com/gitlab/oauth/token" },
        userinfo: { url: "https://example.com/gitlab/api/v4/user" },
      },
    },
  ],
});
