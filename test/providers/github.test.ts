import { expect, it } from "vitest";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { standardPreset } from "../../presets/index.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth } from "../_app.ts";
import { testProvider } from "./_suite.ts";

const octocat = {
  login: "octocat",
  id: 583231,
  node_id: "MDQ6VXNlcjU4MzIzMQ==",
  avatar_url: "https://avatars.githubusercontent.com/u/583231?v=4",
  html_url: "https://github.com/octocat",
  type: "User",
  name: "The Octocat",
  company: "@github",
  location: "San Francisco",
  email: null,
  bio: null,
};
const user = {
  id: "583231",
  name: "The Octocat",
  email: "octocat@github.com",
  image: "https://avatars.githubusercontent.com/u/583231?v=4",
};
const emailsUrl = "https://api.github.com/user/emails";
const address = (email: string, primary: boolean, verified: boolean) => ({
  email,
  primary,
  verified,
  visibility: primary ? "private" : null,
});

const fixtures = {
  "a private address": { answer: octocat, email: "octocat@github.com" },
  "a public address": {
    answer: { ...octocat, email: "open@example.com" },
    email: "open@example.com",
  },
};

it.each(Object.entries(fixtures))(
  "a mapping of the application, and callbacks, find the address in `email`: %s",
  async (_, { answer, email }) => {
    const idp = createIdentityProvider({
      issuer: "https://github.com/login/oauth",
      endpoints: {
        token: "https://github.com/login/oauth/access_token",
        userinfo: "https://api.github.com/user",
      },
      resources: { [emailsUrl]: [address("octocat@github.com", true, true)] },
      user: answer as never,
    });
    const seen: unknown[] = [];
    const { browser } = createTestAuth({
      preset: standardPreset,
      idp,
      providers: [
        githubPlugin({
          ...idp.client,
          profile: (profile) => ({ id: String(profile.id), email: profile.email }),
        }),
      ],
      callbacks: {
        signIn({ user: mapped, profile }) {
          seen.push(mapped.email, profile?.email);
          return true;
        },
      },
    });
    await browser.signInAs(undefined, "github");
    expect(seen).toEqual([email, email]);
  },
);

testProvider(githubPlugin, {
  id: "github",
  name: "GitHub",
  type: "oauth",
  brandColor: "#24292f",
  issuer: "https://github.com/login/oauth",
  authorization: {
    url: "https://github.com/login/oauth/authorize",
    params: { scope: "read:user user:email" },
    allow: ["login", "allow_signup"],
  },
  token: "https://github.com/login/oauth/access_token",
  userinfo: { url: "https://api.github.com/user", headers: { "User-Agent": "keyhook" } },
  checks: ["pkce"],
  way: {
    added: ["state"],
    authorize: {
      url: "https://github.com/login/oauth/authorize",
      query: { scope: "read:user user:email" },
    },
    token: {
      url: "https://github.com/login/oauth/access_token",
      answer: { access_token: "gho_16C7e42F292c6912E7", token_type: "bearer", scope: "user:email" },
    },
    userinfo: { url: "https://api.github.com/user", headers: { "user-agent": "keyhook" } },
    callback: { iss: "https://github.com/login/oauth" },
    refusal: {
      status: 200,
      body: { error: "bad_verification_code", error_description: "The code is incorrect." },
    },
  },
  users: [
    {
      about: "a user with a private address",
      answer: octocat,
      enriched: {
        [emailsUrl]: [
          address("old@example.com", false, true),
          address("octocat@github.com", true, true),
        ],
      },
      user,
      verified: true,
    },
    {
      about: "a user with a public address, without a request for the addresses",
      answer: { ...octocat, email: "octocat@github.com" },
      user,
    },
    {
      about: "a user whose primary address is unverified",
      answer: octocat,
      enriched: {
        [emailsUrl]: [
          address("new@example.com", true, false),
          address("octocat@github.com", false, true),
        ],
      },
      user,
      verified: true,
    },
    {
      about: "a user without a verified address",
      answer: { ...octocat, name: null },
      enriched: {
        [emailsUrl]: [
          address("other@example.com", false, false),
          address("octocat@github.com", true, false),
        ],
      },
      user: { ...user, name: "octocat" },
      verified: false,
    },
    {
      about: "a user whose addresses are not readable",
      answer: octocat,
      enriched: { [emailsUrl]: undefined },
      user: { ...user, email: null },
    },
    {
      about: "a user without any address",
      answer: octocat,
      enriched: { [emailsUrl]: [] },
      user: { ...user, email: null },
    },
  ],
  variants: [
    {
      about: "enterprise.baseUrl",
      plugin: githubPlugin({ enterprise: { baseUrl: "https://git.example.com/" } }),
      resolved: {
        issuer: "https://git.example.com/login/oauth",
        authorization: { url: "https://git.example.com/login/oauth/authorize" },
        token: { url: "https://git.example.com/login/oauth/access_token" },
        userinfo: { url: "https://git.example.com/api/v3/user" },
        enrich: [{ into: "emails", url: "https://git.example.com/api/v3/user/emails" }],
      },
    },
  ],
});
