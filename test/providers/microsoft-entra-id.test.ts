import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { microsoftEntraIdPlugin } from "../../plugins/providers/microsoft-entra-id.ts";
import { resolve } from "./_provider.ts";
import { testProvider } from "./_suite.ts";
import type { Way } from "./_vendor.ts";
import { setUp, testSignIn } from "./_way.ts";

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
    ...["common", "organizations"].map((tenantId) => ({
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
    issuer_published: `${base}/{tenantid}/v2.0`,
    jwks_uri: `${base}/keys`,
  });
});

const vendorUser = {
  about: "a user of the tenant",
  answer: claims,
  enriched: { [photoUrl]: undefined },
  user: { ...user, image: null },
};

// The metadata that Microsoft publishes at a tenant's path: endpoints with the requested tenant,
// and the tenant's id in the issuer.
function publish(
  asked: string,
  issuerTenant: string,
): Pick<Way, "metadata" | "authorize" | "token"> {
  const own = (text: string) => text.replace("/common/", `/${asked}/`);
  const document = Object.fromEntries(
    Object.entries(way.metadata?.document ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? own(value).replace("{tenantid}", issuerTenant) : value,
    ]),
  ) as NonNullable<Way["metadata"]>["document"];
  return {
    metadata: { url: own(way.metadata?.url ?? ""), document },
    authorize: { ...way.authorize, url: own(way.authorize.url) },
    token: { ...way.token, url: own(way.token.url) },
  };
}

const foreign = {
  "a token of another tenant": (given: object) => ({
    ...given,
    tid: otherTenant,
    iss: `${base}/${otherTenant}/v2.0`,
  }),
};
const checks = ["pkce", "state", "nonce"] as const;
const walk = { id: "microsoft-entra-id", checks, formPost: false };

describe.each([
  ["its id", { tenantId: tenant }, tenant],
  ["its domain name", { tenantId: "contoso.com" }, "contoso.com"],
  ["its domain name in the issuer", { issuer: `${base}/contoso.com/v2.0` }, "contoso.com"],
  ["Microsoft's own name for one tenant", { tenantId: "consumers" }, "consumers"],
])("microsoft-entra-id with a single tenant, by %s", (_, options, asked) => {
  const own = { ...way, options, ...publish(asked, tenant), refusedClaims: foreign };
  testSignIn(microsoftEntraIdPlugin, { ...walk, way: own }, [vendorUser]);
});

describe("microsoft-entra-id with a domain name whose metadata does not contain the tenant's id", () => {
  it.each([
    ["a template", "{tenantid}"],
    ["the domain name again", "contoso.com"],
    ["nothing", undefined],
    ["another host", `https://login.attacker.example/${tenant}/v2.0`],
    ["another path", `${base}/x/${tenant}/v2.0`],
  ])("signs no one in: %s", async (_, stated) => {
    const options = { tenantId: "contoso.com" };
    const own = { ...way, options, ...publish("contoso.com", `${stated}`) };
    const document = own.metadata?.document as Record<string, unknown>;
    if (stated === undefined) delete document.issuer;
    else if (stated.startsWith("https:")) document.issuer = stated;
    const setup = setUp(microsoftEntraIdPlugin, { ...walk, way: own }, vendorUser);
    const response = await setup.finishSignIn(setup.vendor.consent(await setup.startSignIn()));
    expect(response.headers.get("location")).toContain("error=Configuration");
    expect(await setup.browser.session()).toBeNull();
    expect(inspect(setup.logged, { depth: 5 })).toContain("tenant's id");
  });
});
