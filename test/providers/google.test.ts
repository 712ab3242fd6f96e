import { googlePlugin } from "../../plugins/providers/google.ts";
import { testProvider } from "./_suite.ts";

testProvider(googlePlugin, {
  id: "google",
  name: "Google",
  type: "oidc",
  brandColor: "#1a73e8",
  issuer: "https://accounts.google.com",
  authorization: { allow: ["access_type", "include_granted_scopes"] },
  checks: ["pkce"],
  way: {
    metadata: {
      url: "https://accounts.google.com/.well-known/openid-configuration",
      document: {
        issuer: "https://accounts.google.com",
        authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
        token_endpoint: "https://oauth2.googleapis.com/token",
        userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
        jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
        id_token_signing_alg_values_supported: ["RS256"],
        code_challenge_methods_supported: ["plain", "S256"],
      },
    },
    authorize: {
      url: "https://accounts.google.com/o/oauth2/v2/auth",
      query: { scope: "openid profile email" },
    },
    token: {
      url: "https://oauth2.googleapis.com/token",
      answer: {
        access_token: "ya29.a0AfH6SMB",
        expires_in: 3599,
        scope: "openid https://www.googleapis.com/auth/userinfo.email",
        token_type: "Bearer",
      },
    },
    refusal: { status: 400, body: { error: "invalid_grant", error_description: "Bad Request" } },
  },
  users: [
    {
      about: "a Workspace user",
      answer: {
        sub: "110169484474386276334",
        azp: "client-id",
        name: "Ada Lovelace",
        given_name: "Ada",
        family_name: "Lovelace",
        picture: "https://lh3.googleusercontent.com/a/ada=s96-c",
        email: "ada@example.com",
        email_verified: true,
        hd: "example.com",
      },
      user: {
        id: "110169484474386276334",
        name: "Ada Lovelace",
        email: "ada@example.com",
        image: "https://lh3.googleusercontent.com/a/ada=s96-c",
      },
    },
  ],
});
