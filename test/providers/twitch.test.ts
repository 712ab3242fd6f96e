import { expect, it } from "vitest";
import { twitchPlugin } from "../../plugins/providers/twitch.ts";
import { testProvider } from "./_suite.ts";

testProvider(twitchPlugin, {
  id: "twitch",
  name: "Twitch",
  type: "oidc",
  brandColor: "#65459B",
  issuer: "https://id.twitch.tv/oauth2",
  authorization: {
    params: {
      scope: "openid user:read:email",
      claims: {
        id_token: { email: null, email_verified: null, picture: null, preferred_username: null },
      },
    },
    allow: ["force_verify"],
  },
  auth: "client_secret_post",
  checks: ["state", "nonce"],
  way: {
    metadata: {
      url: "https://id.twitch.tv/oauth2/.well-known/openid-configuration",
      document: {
        issuer: "https://id.twitch.tv/oauth2",
        authorization_endpoint: "https://id.twitch.tv/oauth2/authorize",
        token_endpoint: "https://id.twitch.tv/oauth2/token",
        userinfo_endpoint: "https://id.twitch.tv/oauth2/userinfo",
        jwks_uri: "https://id.twitch.tv/oauth2/keys",
        claims_parameter_supported: true,
        id_token_signing_alg_values_supported: ["RS256"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      },
    },
    authorize: {
      url: "https://id.twitch.tv/oauth2/authorize",
      query: {
        scope: "openid user:read:email",
        claims:
          '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}',
      },
    },
    token: {
      url: "https://id.twitch.tv/oauth2/token",
      answer: {
        access_token: "rfx2uswqe8l4g1mkagrvg5tv0ks3",
        expires_in: 14124,
        refresh_token: "5b93chm6hdve3mycz05zfzatkfdenfspp1h1ar2xxdalen01",
        scope: ["openid", "user:read:email"],
        token_type: "bearer",
      },
    },
    refusal: { status: 400, body: { status: 400, message: "Invalid authorization code" } },
  },
  users: [
    {
      about: "a streamer",
      answer: {
        sub: "713936733",
        azp: "client-id",
        preferred_username: "scottb",
        email: "scott@example.com",
        email_verified: true,
        picture: "https://static-cdn.jtvnw.net/user-default-pictures/1-300x300.png",
      },
      user: {
        id: "713936733",
        name: "scottb",
        email: "scott@example.com",
        image: "https://static-cdn.jtvnw.net/user-default-pictures/1-300x300.png",
      },
    },
  ],
});

it("twitch: token.transform joins an array of scopes", () => {
  const { transform } = twitchPlugin().provider.token as {
    transform(body: Record<string, unknown>): Record<string, unknown>;
  };
  expect(transform({ access_token: "a", scope: ["openid", "user:read:email"] })).toEqual({
    access_token: "a",
    scope: "openid user:read:email",
  });
  expect(transform({ access_token: "a", scope: "openid" })).toEqual({
    access_token: "a",
    scope: "openid",
  });
  expect(transform({ access_token: "a" })).toEqual({ access_token: "a" });
});
