import { importJWK } from "jose";
import type { ClientMetadata } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { OIDCProvider } from "../../src/types.ts";
import { createBrowser } from "../../src/testing.ts";
import { type Idp, newSigningKey, startIdp } from "../_idp.ts";
import { SECRET } from "./_oauth.ts";

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

function createApp(method: string, more: Partial<OIDCProvider> = {}) {
  const errors: Error[] = [];
  const auth = createAuth({
    secret: SECRET,
    trustHost: true,
    env: {},
    logger: { error: (error) => errors.push(error) },
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
  const browser = createBrowser((request) => auth.fetch(request), { origin: ORIGIN });
  return {
    browser,
    errors,
    async signIn(how?: "consent" | "refuse") {
      const started = await browser.signIn("idp", { callbackUrl: "/page" });
      const { url, fields } = await idp.visit(started.headers.get("location") ?? "", how);
      const { pathname, search } = new URL(url);
      if (!fields) return browser.get(pathname + search);
      return browser.post(pathname, fields, { headers: { origin: idp.issuer } });
    },
  };
}

async function expectSignedIn(app: ReturnType<typeof createApp>): Promise<void> {
  const response = await app.signIn();
  expect(app.errors).toEqual([]);
  expect(response.headers.get("location")).toBe(`${ORIGIN}/page`);
  expect(await app.browser.session()).toMatchObject({
    user: { name: "Ada Lovelace", email: "ada@example.com" },
  });
}

describe("a real provider", () => {
  it.each(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "lets in by code and PKCE, %s",
    async (method) => expectSignedIn(createApp(method)),
  );

  it("lets in by private_key_jwt", async () => {
    const key = (await importJWK(await clientKey, "ES256")) as CryptoKey;
    const token = { clientPrivateKey: { key, kid: "client-key" } };
    await expectSignedIn(createApp("private_key_jwt", { token }));
  });

  it.each<[string, Partial<OIDCProvider>]>([
    ["state", { checks: ["pkce", "state"] }],
    ["a nonce", { checks: ["pkce", "nonce"] }],
    ["everything", { checks: ["pkce", "state", "nonce"] }],
    ["userinfo", { idToken: false }],
    ["form_post", { authorization: { params: { response_mode: "form_post" } } }],
    [
      "form_post and everything",
      {
        authorization: { params: { response_mode: "form_post" } },
        checks: ["pkce", "state", "nonce"],
      },
    ],
  ])("lets in with %s", async (_, more) => expectSignedIn(createApp("client_secret_basic", more)));

  it.each<[string, Partial<OIDCProvider>]>([
    ["in the query", {}],
    ["by form_post", { authorization: { params: { response_mode: "form_post" } } }],
  ])("tells that the visitor refused, %s", async (_, more) => {
    const app = createApp("client_secret_basic", more);
    const response = await app.signIn("refuse");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/signin?error=OAuthCallbackError`);
    expect(await app.browser.session()).toBeNull();
  });

  it("does not let in with a wrong secret", async () => {
    const app = createApp("client_secret_basic", { clientSecret: "wrong" });
    const response = await app.signIn();
    expect(response.headers.get("location")).toContain("error=Configuration");
    expect(app.errors[0]?.message).toContain("invalid_client");
    expect(await app.browser.session()).toBeNull();
  });

  it("changes its keys, and lets in again seconds later", async () => {
    const app = createApp("client_secret_basic");
    await expectSignedIn(app);
    const port = Number(new URL(idp.issuer).port);
    for (const keys of ["second", "third"]) {
      await idp.close();
      idp = await startWith(keys, port);
      await expectSignedIn(app);
    }
  });
});
