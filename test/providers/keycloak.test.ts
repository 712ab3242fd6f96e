import { keycloakPlugin } from "../../plugins/providers/keycloak.ts";
import { testIssuerNeeded, testProvider } from "./_suite.ts";

const realm = "https://sso.example.com/realms/acme";

testProvider(keycloakPlugin, {
  id: "keycloak",
  name: "Keycloak",
  type: "oidc",
  brandColor: "#428bca",
  authorization: { allow: ["kc_idp_hint"] },
  checks: ["pkce"],
  way: {
    options: { issuer: realm },
    metadata: {
      url: "https://sso.example.com/realms/acme/.well-known/openid-configuration",
      document: {
        issuer: realm,
        authorization_endpoint: `${realm}/protocol/openid-connect/auth`,
        token_endpoint: `${realm}/protocol/openid-connect/token`,
        userinfo_endpoint: `${realm}/protocol/openid-connect/userinfo`,
        jwks_uri: `${realm}/protocol/openid-connect/certs`,
        id_token_signing_alg_values_supported: ["PS384", "RS256", "ES256", "HS256"],
        code_challenge_methods_supported: ["plain", "S256"],
        authorization_response_iss_parameter_supported: true,
      },
    },
    authorize: {
      url: `${realm}/protocol/openid-connect/auth`,
      query: { scope: "openid profile email" },
    },
    token: {
      url: `${realm}/protocol/openid-connect/token`,
      answer: {
        access_token: "eyJhbGciOiJSUzI1NiJ9.at.sig",
        expires_in: 300,
        refresh_expires_in: 1800,
        refresh_token: "eyJhbGciOiJIUzUxMiJ9.rt.sig",
        token_type: "Bearer",
        "not-before-policy": 0,
        session_state: "b4f4f1d4-0000-4a4f-8f0c-5f2d5f3b8a11",
        scope: "openid profile email",
      },
    },
    callback: { iss: realm, session_state: "b4f4f1d4-0000" },
    refusal: {
      status: 400,
      body: { error: "invalid_grant", error_description: "Code not valid" },
    },
  },
  users: [
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

testIssuerNeeded(keycloakPlugin);
