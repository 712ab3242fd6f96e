import { expect, it } from "vitest";
import { discordPlugin } from "../../plugins/providers/discord.ts";
import { testProvider } from "./_suite.ts";

const nelly = {
  id: "80351110224678912",
  username: "nelly",
  global_name: "Nelly",
  discriminator: "0",
  avatar: "8342729096ea3675442027381ff50dfe",
  verified: true,
  email: "nelly@discord.com",
  locale: "en-US",
  mfa_enabled: true,
};
const cdn = "https://cdn.discordapp.com";
const user = {
  id: "80351110224678912",
  name: "Nelly",
  email: "nelly@discord.com",
  image: `${cdn}/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png`,
};

it("callbacks find the URL of the picture in `image_url`, as in Auth.js", () => {
  expect(discordPlugin().provider.derive?.(nelly)).toEqual({ image_url: user.image });
});

testProvider(discordPlugin, {
  id: "discord",
  name: "Discord",
  type: "oauth",
  brandColor: "#5865F2",
  authorization: {
    url: "https://discord.com/oauth2/authorize",
    params: { scope: "identify email" },
  },
  token: "https://discord.com/api/oauth2/token",
  userinfo: { url: "https://discord.com/api/users/@me" },
  checks: ["pkce"],
  way: {
    added: ["state"],
    authorize: {
      url: "https://discord.com/oauth2/authorize",
      query: { scope: "identify email" },
    },
    token: {
      url: "https://discord.com/api/oauth2/token",
      answer: {
        access_token: "6qrZcUqja7812RVdnEKjpzOL4CvHBFG",
        token_type: "Bearer",
        expires_in: 604800,
        refresh_token: "D43f5y0ahjqew82jZ4NViEr2YafMKhue",
        scope: "identify email",
      },
    },
    userinfo: { url: "https://discord.com/api/users/@me" },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: 'Invalid "code" in request.' },
    },
  },
  users: [
    { about: "a user with a picture", answer: nelly, user, verified: true },
    {
      about: "a user with an animated picture and an unverified address",
      answer: { ...nelly, avatar: "a_0123", verified: false },
      user: { ...user, image: `${cdn}/avatars/80351110224678912/a_0123.gif` },
      verified: false,
    },
    {
      about: "a user without a picture: default avatar (id >> 22) mod 6",
      answer: { ...nelly, avatar: null, global_name: null },
      user: { ...user, name: "nelly", image: `${cdn}/embed/avatars/5.png` },
      verified: true,
    },
    {
      about: "a user with a legacy user name: default avatar discriminator mod 5",
      answer: { ...nelly, avatar: null, discriminator: "1337" },
      user: { ...user, image: `${cdn}/embed/avatars/2.png` },
      verified: true,
    },
    {
      about: "a user without an address",
      answer: { ...nelly, email: null, verified: undefined },
      user: { ...user, email: null },
    },
  ],
});
