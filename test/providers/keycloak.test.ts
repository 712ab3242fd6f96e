import { keycloakPlugin } from "../../plugins/providers/keycloak.ts";
import { testProvider } from "./_suite.ts";

testProvider(keycloakPlugin, {
  id: "keycloak",
  name: "Keycloak",
  type: "oidc",
  brandColor: "#428bca",
  authorization: { allow: ["kc_idp_hint"] },
  checks: ["pkce"],
  people: [
    {
      about: "a member of the realm",
      answer: {
        sub: "f9e0c5b2-6d0a-4b0e-9d5c-1f6c3a2b7e11",
        email_verified: false,
        name: "Ada Lovelace",
        preferred_username: "ada",
        given_name: "Ada",
        family_name: "Lovelace",
        email: "ada@example.com",
      },
      user: {
        id: "f9e0c5b2-6d0a-4b0e-9d5c-1f6c3a2b7e11",
        name: "Ada Lovelace",
        email: "ada@example.com",
        image: null,
      },
    },
  ],
});
