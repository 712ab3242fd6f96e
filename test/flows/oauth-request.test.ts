import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { ORIGIN } from "../_app.ts";
import { CLIENT_ID, type Op, startOp } from "../_op.ts";
import { createOAuthApp, expectSignedIn, oauth, oidc } from "./_oauth.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

async function asked(provider: OIDCProvider | ReturnType<typeof oauth>, query = ""): Promise<URL> {
  const app = createOAuthApp(op, [provider]);
  const location = await app.startSignIn("op", {}, query);
  expect(app.log.errors).toEqual([]);
  return new URL(location);
}

const names = (url: URL) => [...url.searchParams.keys()];

describe("authorization request", () => {
  it("a plain OAuth request has no scope unless one is configured", async () => {
    expect(names(await asked(oauth(op)))).toEqual([
      "client_id",
      "redirect_uri",
      "response_type",
      "state",
      "code_challenge",
      "code_challenge_method",
    ]);
    const params = { scope: "read:user" };
    const url = await asked(
      oauth(op, { authorization: { url: `${op.issuer}/authorize`, params } }),
    );
    expect(url.searchParams.get("scope")).toBe("read:user");
  });

  it("an OpenID Connect request has no scope when an empty one is configured", async () => {
    const url = await asked(oidc(op, { authorization: { params: { scope: "" } } }));
    expect(url.searchParams.has("scope")).toBe(false);
  });

  it("keeps the query of the authorization endpoint", async () => {
    const url = await asked(
      oauth(op, { authorization: `${op.issuer}/authorize?tenant=1&scope=a` }),
    );
    expect([url.searchParams.get("tenant"), url.searchParams.get("scope")]).toEqual(["1", "a"]);
    const more = await asked(oidc(op, { authorization: `${op.issuer}/authorize?scope=openid` }));
    expect(more.searchParams.get("scope")).toBe("openid");
  });

  it("omits parameters without a value and serializes objects as JSON", async () => {
    const params = {
      audience: undefined,
      empty: "",
      nothing: null,
      claims: { id_token: { email: null } },
      flag: true,
      count: 0,
      who: "{clientId}",
      braces: "{other}",
    };
    const url = await asked(oidc(op, { authorization: { params } }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      claims: '{"id_token":{"email":null}}',
      flag: "true",
      count: "0",
      who: CLIENT_ID,
      braces: "{other}",
    });
    for (const name of ["audience", "empty", "nothing"]) expect(names(url)).not.toContain(name);
  });

  it("clientIdParam renames the client_id parameter, and `fragment` is appended", async () => {
    const authorization = {
      url: `${op.issuer}/authorize`,
      clientIdParam: "appid",
      fragment: "wechat_redirect",
    };
    const url = await asked(oauth(op, { authorization }));
    expect([url.searchParams.get("appid"), url.hash]).toEqual([CLIENT_ID, "#wechat_redirect"]);
    expect(url.searchParams.has("client_id")).toBe(false);
  });

  it("ignores protocol parameters in authorization.params", async () => {
    const params = {
      client_id: "other",
      redirect_uri: "https://evil.example",
      state: "fixed",
      nonce: "fixed",
      code_challenge: "fixed",
      code_challenge_method: "plain",
      client_secret: "secret",
    };
    const url = await asked(oidc(op, { authorization: { params }, checks: ["pkce", "state"] }));
    expect(url.searchParams.get("client_id")).toBe(CLIENT_ID);
    expect(url.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/auth/callback/op`);
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    expect([...url.searchParams.values()]).not.toContain("fixed");
    expect(names(url)).not.toContain("client_secret");
  });
});

describe("authorization parameters from the sign-in request's query", () => {
  it.each([
    ["prompt", "login"],
    ["login_hint", "ada@example.com"],
    ["max_age", "0"],
    ["ui_locales", "de"],
    ["claims_locales", "de"],
    ["acr_values", "urn:x"],
    ["display", "popup"],
    ["hd", "example.com"],
    ["domain_hint", "example.com"],
  ])("forwards the query parameter %s", async (name, value) => {
    const url = await asked(oidc(op), `?${name}=${encodeURIComponent(value)}`);
    expect(url.searchParams.get(name)).toBe(value);
  });

  it.each([
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "response_mode",
    "scope",
    "state",
    "nonce",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "request",
    "request_uri",
    "id_token_hint",
    "registration",
    "grant_type",
    "claims",
    "resource",
    "audience",
    "callbackUrl",
    "csrfToken",
    "__proto__",
    "constructor",
    "CLIENT_ID",
    "client_id[]",
  ])("does not forward the query parameter %s", async (name) => {
    const plain = await asked(oidc(op, { checks: ["pkce", "state", "nonce"] }));
    const url = await asked(
      oidc(op, { checks: ["pkce", "state", "nonce"] }),
      `?${encodeURIComponent(name)}=evil&${encodeURIComponent(name)}=evil`,
    );
    expect(names(url)).toEqual(names(plain));
    expect([...url.searchParams.values()]).not.toContain("evil");
  });

  it("authorization.allow adds parameters, but not redirect_uri or state", async () => {
    const allow = ["handle", "redirect_uri", "state", "scope"];
    const url = await asked(
      oidc(op, { authorization: { allow } }),
      "?handle=ada&redirect_uri=https://evil.example&state=fixed&scope=openid",
    );
    expect(url.searchParams.get("handle")).toBe("ada");
    expect(url.searchParams.get("scope")).toBe("openid");
    expect(url.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/auth/callback/op`);
    expect(url.searchParams.has("state")).toBe(false);
  });

  it("does not forward empty or overlong parameters", async () => {
    const url = await asked(oidc(op), `?prompt=&login_hint=${"x".repeat(5000)}`);
    expect(names(url)).not.toContain("prompt");
    expect(names(url)).not.toContain("login_hint");
  });

  it("auth.signIn() may set every parameter, such as a scope, but not redirect_uri", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const request = new Request(`${ORIGIN}/page`);
    const target = await app.auth.signIn(
      request,
      "op",
      { redirect: false },
      { scope: "openid calendar", audience: "api", redirect_uri: "https://evil.example" },
    );
    const { searchParams } = new URL(target as string);
    expect(searchParams.get("scope")).toBe("openid calendar");
    expect(searchParams.get("audience")).toBe("api");
    expect(searchParams.get("redirect_uri")).toBe(`${ORIGIN}/auth/callback/op`);
  });
});

describe("authorization request to a server without S256", () => {
  const offering = (methods: unknown) => (document: Record<string, unknown>) => {
    const { code_challenge_methods_supported: _, ...rest } = document;
    return methods === undefined ? rest : { ...rest, code_challenge_methods_supported: methods };
  };

  it("uses state and nonce instead of PKCE when the metadata offers only `plain`", async () => {
    op.script = { metadata: offering(["plain"]) };
    const app = createOAuthApp(op, [oidc(op)]);
    const url = new URL(await app.startSignIn());
    expect(names(url)).toEqual(expect.arrayContaining(["state", "nonce"]));
    expect(names(url)).not.toContain("code_challenge");
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url.href)));
  });

  it("uses state, nonce and PKCE when the metadata does not mention PKCE", async () => {
    op.script = { metadata: offering(undefined) };
    const app = createOAuthApp(op, [oidc(op)]);
    const url = new URL(await app.startSignIn());
    expect(names(url)).toEqual(expect.arrayContaining(["state", "nonce", "code_challenge"]));
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url.href)));
  });

  it("uses state for plain OAuth when the metadata offers only `plain`", async () => {
    op.script = { metadata: offering(["plain"]) };
    const { authorization: _, token: __, userinfo: ___, ...rest } = oauth(op);
    const app = createOAuthApp(op, [{ ...rest, issuer: op.issuer } as ReturnType<typeof oauth>]);
    const url = new URL(await app.startSignIn());
    expect(names(url)).toContain("state");
    expect(names(url)).not.toContain("nonce");
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url.href)));
  });

  it("uses PKCE for a public client even when the metadata offers only `plain`", async () => {
    op.script = { metadata: offering(["plain"]) };
    const client = { token_endpoint_auth_method: "none" } as const;
    const url = await asked(oidc(op, { client }));
    expect(names(url)).toEqual(expect.arrayContaining(["state", "nonce", "code_challenge"]));
  });

  it("uses the configured checks when they do not include PKCE", async () => {
    op.script = { metadata: offering(["plain"]) };
    const url = await asked(oidc(op, { checks: ["nonce"] }));
    expect(names(url)).not.toContain("state");
  });
});

describe("OAuth provider on the sign-in page", () => {
  it("the sign-in page has a button for the provider", async () => {
    const app = createOAuthApp(op, [oidc(op, { style: { brandColor: "#123456" } })]);
    const page = await (await app.browser.get("/auth/signin")).text();
    expect(page).toContain("Sign in with The OP");
    expect(page).toContain(`${ORIGIN}/auth/signin/op`);
  });

  it("POST /signin/:oauth-provider responds with the URL as JSON when asked to", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const csrfToken = await app.browser.csrfToken();
    const headers = { "x-auth-return-redirect": "1" };
    const response = await app.browser.post("/auth/signin/op", { csrfToken }, { headers });
    expect(response.status).toBe(200);
    const { url } = (await response.json()) as { url: string };
    expect(url).toContain(`${op.issuer}/authorize?`);
  });
});
