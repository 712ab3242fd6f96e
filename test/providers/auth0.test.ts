import { auth0Plugin } from "../../plugins/providers/auth0.ts";
import { testIssuerNeeded, testProvider } from "./_suite.ts";

testProvider(auth0Plugin, {
  id: "auth0",
  name: "Auth0",
  type: "oidc",
  brandColor: "#EB5424",
  authorization: { allow: ["connection", "organization", "invitation", "screen_hint"] },
  checks: ["pkce"],
  way: {
    options: { issuer: "https://acme.eu.auth0.com" },
    metadata: {
      url: "https://acme.eu.auth0.com/.well-known/openid-configuration",
      document: {
        // With the trailing slash that configured issuers lack.
        issuer: "https://acme.eu.auth0.com/",
        authorization_endpoint: "https://acme.eu.auth0.com/authorize",
        token_endpoint: "https://acme.eu.auth0.com/oauth/token",
        userinfo_endpoint: "https://acme.eu.auth0.com/userinfo",
        jwks_uri: "https://acme.eu.auth0.com/.well-known/jwks.json",
        id_token_signing_alg_values_supported: ["HS256", "RS256", "PS256"],
        code_challenge_methods_supported: ["S256", "plain"],
      },
    },
    authorize: {
      url: "https://acme.eu.auth0.com/authorize",
      query: { scope: "openid profile email" },
    },
    token: {
      url: "https://acme.eu.auth0.com/oauth/token",
      answer: {
        access_token: "eyJz93a...k4laUWw",
        scope: "openid profile email",
        expires_in: 86400,
        token_type: "Bearer",
      },
    },
    refusal: {
      status: 403,
      body: { error: "invalid_grant", error_description: "Invalid authorization code" },
    },
  },
  users: [
    {
      about: "a user of a database connection",
      answer: {
        sub: "auth0|507f1f77bcf86cd799439020",
        nickname: "ada",
        picture: "https://s.gravatar.com/avatar/ada.png",
        updated_at: "2026-05-01T10:00:00.000Z",
        email: "ada@example.com",
        email_verified: true,
      },
      user: {
        id: "auth0|507f1f77bcf86cd799439020",
        name: "ada",
        email: "ada@example.com",
        image: "https://s.gravatar.com/avatar/ada.png",
      },
    },
  ],
});

testIssuerNeeded(auth0Plugin);
