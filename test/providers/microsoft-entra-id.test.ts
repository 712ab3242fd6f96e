import { describe, expect, it } from "vitest";
import { microsoftEntraIdPlugin } from "../../plugins/providers/microsoft-entra-id.ts";
import { resolve } from "./_provider.ts";
import { testProvider } from "./_suite.ts";
import type { Way } from "./_vendor.ts";
import { testSignIn } from "./_way.ts";

const tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const otherTenant = "9188040d-6c67-4c5b-b112-36a304b66dad";
const base = "https://login.microsoftonline.com";
const photoUrl = "https://graph.microsoft.com/v1.0/me/photos/48x48/$value";
const claims = {
  ver: "2.0",
  sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
  oid: "00000000-0000-0000-66f3-3332eca7ea81",
  tid: tenant,
  name: "Abe Lincoln",
  preferred_username: "AbeLi@microsoft.com",
  email: "abeli@microsoft.com",
};
const user = {
  id: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
  name: "Abe Lincoln",
  email: "abeli@microsoft.com",
  image: "data:image/jpeg;base64,/9j/4AAQ",
};

const way: Way = {
  metadata: {
    url: `${base}/common/v2.0/.well-known/openid-configuration`,
    document: {
      issuer: `${base}/{tenantid}/v2.0`,
      authorization_endpoint: `${base}/common/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/common/oauth2/v2.0/token`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
      jwks_uri: `${base}/common/discovery/v2.0/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    },
  },
  authorize: {
    url: `${base}/common/oauth2/v2.0/authorize`,
    query: { scope: "openid profile email User.Read" },
  },
  token: {
    url: `${base}/common/oauth2/v2.0/token`,
    answer: {
      token_type: "Bearer",
      scope: "openid profile email User.Read",
      expires_in: 3599,
      ext_expires_in: 3599,
      access_token: "eyJ0eXAiOiJKV1QiLCJub25jZSI6In",
    },
  },
  iss: `${base}/${tenant}/v2.0`,
  added: ["state", "nonce"],
  refusedClaims: {
    "a token of one tenant with another tenant's issuer": (claims) => ({
      ...claims,
      tid: otherTenant,
    }),
    "a token without a tenant": ({ tid: _, ...claims }) => claims,
    "a token with the issuer template": (claims) => ({ ...claims, iss: `${base}/{tenantid}/v2.0` }),
    "a token with the shared issuer": (claims) => ({ ...claims, iss: `${base}/common/v2.0` }),
  },
  callback: { session_state: "fe7e1b4b-0000-4a4f-8f0c-5f2d5f3b8a11" },
  refusal: {
    status: 400,
    body: { error: "invalid_grant", error_description: "AADSTS70000", error_codes: [70_000] },
  },
};

testProvider(microsoftEntraIdPlugin, {
  id: "microsoft-entra-id",
  name: "Microsoft Entra ID",
  type: "oidc",
  brandColor: "#0072c6",
  issuer: `${base}/common/v2.0`,
  authorization: { params: { scope: "openid profile email User.Read" } },
  checks: ["pkce"],
  way,
  users: [
    {
      about: "a user with a photo and an unverified address",
      answer: claims,
      enriched: { [photoUrl]: "data:image/jpeg;base64,/9j/4AAQ" },
      user,
      verified: false,
    },
    {
      about: "a user whose address is among the verified ones",
      answer: { ...claims, verified_secondary_email: ["abeli@microsoft.com"] },
      enriched: { [photoUrl]: undefined },
      user: { ...user, image: null },
      verified: true,
    },
    {
      about: "a user whose verified address is another one",
      answer: { ...claims, verified_primary_email: ["other@microsoft.com"] },
      enriched: { [photoUrl]: undefined },
      user: { ...user, image: null },
      verified: false,
    },
    {
      about: "a user without an address",
      answer: { sub: claims.sub, tid: tenant },
      enriched: { [photoUrl]: undefined },
      user: { id: user.id, name: null, email: null, image: null },
      verified: false,
    },
  ],
  variants: [
    {
      about: "profilePhotoSize",
      plugin: microsoftEntraIdPlugin({ profilePhotoSize: 240 }),
      resolved: {
        enrich: [{ url: "https://graph.microsoft.com/v1.0/me/photos/240x240/$value" }],
      },
    },
    {
      about: "tenantId",
      plugin: microsoftEntraIdPlugin({ tenantId: tenant.toUpperCase() }),
      resolved: {
        issuer: `${base}/${tenant.toUpperCase()}/v2.0`,
        issuerFromIdToken: `${base}/${tenant}/v2.0`,
      },
    },
    {
      about: "issuer, which overrides tenantId, with a trailing slash",
      plugin: microsoftEntraIdPlugin({ tenantId: "common", issuer: `${base}/${tenant}/v2.0/` }),
      resolved: { issuer: `${base}/${tenant}/v2.0/`, issuerFromIdToken: `${base}/${tenant}/v2.0` },
    },
    ...["common", "organizations", "consumers", "contoso.onmicrosoft.com"].map((tenantId) => ({
      about: `tenantId ${tenantId}, with the tenant from the token`,
      plugin: microsoftEntraIdPlugin({ tenantId }),
      resolved: {
        issuer: `${base}/${tenantId}/v2.0`,
        issuerFromIdToken: `${base}/{tid}/v2.0`,
      },
    })),
    {
      about: "issuer of another cloud",
      plugin: microsoftEntraIdPlugin({
        issuer: `https://login.microsoftonline.us/organizations/v2.0`,
      }),
      resolved: { issuerFromIdToken: "https://login.microsoftonline.us/{tid}/v2.0" },
    },
  ],
});

it("microsoft-entra-id: derives issuerFromIdToken and discovery from the issuer of the environment", () => {
  const env = { AUTH_MICROSOFT_ENTRA_ID_ISSUER: `${base}/${tenant}/v2.0` };
  const provider = resolve(microsoftEntraIdPlugin(), env);
  expect(provider).toMatchObject({ issuerFromIdToken: `${base}/${tenant}/v2.0` });
  const found = { issuer: `${base}/{tenantid}/v2.0`, jwks_uri: `${base}/keys` };
  expect(provider.discovery?.(found, provider)).toEqual({
    issuer: `${base}/${tenant}/v2.0`,
    jwks_uri: `${base}/keys`,
  });
});

describe("microsoft-entra-id with a single tenant", () => {
  const own = (text: string) => text.replace("/common/", `/${tenant}/`);
  const document = Object.fromEntries(
    Object.entries(way.metadata?.document ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? own(value).replace("{tenantid}", tenant) : value,
    ]),
  ) as NonNullable<Way["metadata"]>["document"];
  const walk = {
    id: "microsoft-entra-id",
    checks: ["pkce", "state", "nonce"] as const,
    formPost: false,
    way: {
      ...way,
      options: { tenantId: tenant },
      metadata: { url: own(way.metadata?.url ?? ""), document },
      authorize: { ...way.authorize, url: own(way.authorize.url) },
      token: { ...way.token, url: own(way.token.url) },
      refusedClaims: {
        "a token of another tenant": (given: object) => ({
          ...given,
          tid: otherTenant,
          iss: `${base}/${otherTenant}/v2.0`,
        }),
      },
    },
  };
  const vendorUser = {
    about: "a user of the tenant",
    answer: claims,
    enriched: { [photoUrl]: undefined },
  };
  testSignIn(microsoftEntraIdPlugin, walk, [{ ...vendorUser, user: { ...user, image: null } }]);
});
