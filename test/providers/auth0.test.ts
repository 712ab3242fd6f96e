import { auth0Plugin } from "../../plugins/providers/auth0.ts";
import { testProvider } from "./_suite.ts";

testProvider(auth0Plugin, {
  id: "auth0",
  name: "Auth0",
  type: "oidc",
  brandColor: "#EB5424",
  authorization: { allow: ["connection", "organization", "invitation", "screen_hint"] },
  checks: ["pkce"],
  people: [
    {
      about: "somebody of a database connection",
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
