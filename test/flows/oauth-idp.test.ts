import { importJWK } from "jose";
import type { ClientMetadata } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { standardPreset } from "../../presets/index.ts";
import { createTestAuth } from "../_app.ts";
import { type Idp, newSigningKey, startIdp } from "../_idp.ts";

const ORIGIN = "http://127.0.0.1:3000";
const client_secret = "a-client-secret-of-at-least-32-characters";
const clientKey = newSigningKey("client-key", "ES256");

function metadata(method: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  return {
    client_id: method,
    ...(!["none", "private_key_jwt"].includes(method) && { client_secret }),
    token_endpoint_auth_method: method as NonNullable<ClientMetadata["token_endpoint_auth_method"]>,
    redirect_uris: [`${ORIGIN}/auth/callback/idp`],
    ...more,
  };
}

async function startWith(keys: string, port?: number): Promise<Idp> {
  const { d: _, ...publicKey } = await clientKey;
  const clients = [
    metadata("client_secret_basic"),
    metadata("client_secret_post"),
    metadata("client_secret_jwt"),
    metadata("private_key_jwt", { jwks: { keys: [publicKey] } as never }),
    metadata("none"),
  ];
  return startIdp(clients, { jwks: { keys: [(await newSigningKey(keys)) as never] } }, port);
}

let idp: Idp;
beforeAll(async () => {
  idp = await startWith("first");
});
afterAll(() => idp.close());

function createIdpApp(method: string, more: Partial<OIDCProvider> = {}) {
  const app = createTestAuth({
    preset: standardPreset,
    trustHost: true,
    env: {},
    origin: ORIGIN,
    errors: "allowed",
    providers: [
      {
        id: "idp",
        name: "IdP",
        type: "oidc",
        issuer: idp.issuer,
        clientId: method,
        clientSecret: method === "none" ? "" : client_secret,
        client: { token_endpoint_auth_method: method } as OIDCProvider["client"] & object,
        ...more,
      },
    ],
  });
  const { browser } = app;
  return Object.assign(app, {
    async signIn(how?: "consent" | "refuse") {
      const started = await browser.signIn("idp", { callbackUrl: "/page" });
      const { url, fields } = await idp.visit(started.headers.get("location") ?? "", how);
      const { pathname, search } = new URL(url);
      if (!fields) return browser.get(pathname + search);
      return browser.post(pathname, fields, { headers: { origin: idp.issuer } });
    },
  });
}

async function expectSignedIn(app: ReturnType<typeof createIdpApp>): Promise<void> {
  const response = await app.signIn();
  expect(app.log.errors).toEqual([]);
  expect(response.headers.get("location")).toBe(`${ORIGIN}/page`);
  expect(await app.browser.session()).toMatchObject({
    user: { name: "Ada Lovelace", email: "ada@example.com" },
  });
}

describe("sign-in through a real provider (oidc-provider)", () => {
  it.each(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "signs in with authorization code and PKCE, client authentication %s",
    async (method) => expectSignedIn(createIdpApp(method)),
  );

  it("signs in with authorization code and PKCE, client authentication private_key_jwt", async () => {
    const key = (await importJWK(await clientKey, "ES256")) as CryptoKey;
    const token = { clientPrivateKey: { key, kid: "client-key" } };
    await expectSignedIn(createIdpApp("private_key_jwt", { token }));
  });

  it.each<[string, Partial<OIDCProvider>]>([
    ["the state check", { checks: ["pkce", "state"] }],
    ["the nonce check", { checks: ["pkce", "nonce"] }],
    ["the state and nonce checks", { checks: ["pkce", "state", "nonce"] }],
    ["claims from userinfo instead of the ID token", { idToken: false }],
    ["response_mode=form_post", { authorization: { params: { response_mode: "form_post" } } }],
    [
      "response_mode=form_post and all checks",
      {
        authorization: { params: { response_mode: "form_post" } },
        checks: ["pkce", "state", "nonce"],
      },
    ],
  ])("signs in with %s", async (_, more) =>
    expectSignedIn(createIdpApp("client_secret_basic", more)),
  );

  it.each<[string, Partial<OIDCProvider>]>([
    ["the query", {}],
    ["form_post", { authorization: { params: { response_mode: "form_post" } } }],
  ])(
    "redirects to the sign-in page with OAuthCallbackError when the user refuses, response by %s",
    async (_, more) => {
      const app = createIdpApp("client_secret_basic", more);
      const response = await app.signIn("refuse");
      expect(response.headers.get("location")).toBe(
        `${ORIGIN}/auth/signin?error=OAuthCallbackError`,
      );
      expect(await app.browser.session()).toBeNull();
    },
  );

  it("refuses the sign-in and logs invalid_client when the client secret is wrong", async () => {
    const app = createIdpApp("client_secret_basic", { clientSecret: "wrong" });
    const response = await app.signIn();
    expect(response.headers.get("location")).toContain("error=Configuration");
    expect(app.log.errors[0]?.message).toContain("invalid_client");
    expect(await app.browser.session()).toBeNull();
  });

  it("signs in again after the provider has replaced its signing keys", async () => {
    const app = createIdpApp("client_secret_basic");
    await expectSignedIn(app);
    const port = Number(new URL(idp.issuer).port);
    for (const keys of ["second", "third"]) {
      await idp.close();
      idp = await startWith(keys, port);
      await expectSignedIn(app);
    }
  });
});
