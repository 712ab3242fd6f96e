import { googlePlugin } from "../../plugins/providers/google.ts";
import { testProvider } from "./_suite.ts";

testProvider(googlePlugin, {
  id: "google",
  name: "Google",
  type: "oidc",
  brandColor: "#1a73e8",
  issuer: "https://accounts.google.com",
  authorization: { allow: ["access_type", "hd", "include_granted_scopes"] },
  checks: ["pkce"],
  people: [
    {
      about: "somebody of a Workspace",
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
