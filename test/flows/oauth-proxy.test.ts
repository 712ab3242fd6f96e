import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { decode, encode } from "../../src/jwt/jwt.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { isSignedIn, SECRET } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { type OAuthApp, createOAuthApp, oidc } from "./_oauth.ts";

const PROXY = "https://proxy.example";
const PREVIEW = "https://preview-7.example";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

function deployment(origin: string, more: Partial<OIDCProvider> = {}): OAuthApp {
  const config = {
    redirectProxyUrl: `${PROXY}/auth/`,
    trustHost: [PROXY, PREVIEW].map((url) => new URL(url).host),
  };
  return createOAuthApp(op, [oidc(op, more)], { errors: "allowed", ...config, origin });
}

const seal = (token: Record<string, unknown>, secret = SECRET, salt = "encodedState") =>
  encode({ token, secret, salt, maxAge: 900 });

async function atProxy(state: string): Promise<string> {
  const query = new URLSearchParams({ code: "code", state });
  const proxy = deployment(PROXY);
  const response = await proxy.browser.get(`/auth/callback/op?${query}`);
  expect(op.count("/token")).toBe(0);
  return response.headers.get("location") ?? "";
}

describe("redirect proxy (redirectProxyUrl)", () => {
  it("the proxy forwards the authorization response of another deployment, which completes the sign-in", async () => {
    const preview = deployment(PREVIEW);
    const started = new URL(await preview.startSignIn("op", { callbackUrl: "/page" }));
    expect(started.searchParams.get("redirect_uri")).toBe(`${PROXY}/auth/callback/op`);

    const proxy = deployment(PROXY);
    const sentOn = await proxy.finishSignIn(
      await op.authorize(started.href),
      createBrowser(proxy.auth.fetch, { origin: PROXY }),
    );
    const target = new URL(sentOn.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe(`${PREVIEW}/auth/callback/op`);
    expect(sentOn.headers.getSetCookie()).toEqual([]);
    expect(op.count("/token")).toBe(0);

    const response = await preview.finishSignIn({ url: target.href });
    expect(preview.log.errors).toEqual([]);
    expect(response.headers.get("location")).toBe(`${PREVIEW}/page`);
    expect(await isSignedIn(preview.browser)).toBe(true);
    const token = op.received.find(({ path }) => path === "/token");
    expect(token?.body.get("redirect_uri")).toBe(`${PROXY}/auth/callback/op`);
  });

  it("the state of a preview deployment can be decoded by Auth.js", async () => {
    const preview = deployment(PREVIEW);
    const state = new URL(await preview.startSignIn()).searchParams.get("state") ?? "";
    expect(await decode({ token: state, secret: SECRET, salt: "encodedState" })).toMatchObject({
      origin: `${PREVIEW}/auth/callback/op`,
      random: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it("the proxy forwards an access_denied response", async () => {
    const preview = deployment(PREVIEW);
    const proxy = deployment(PROXY);
    const sentOn = await proxy.finishSignIn(
      await op.authorize(await preview.startSignIn(), "access_denied"),
    );
    const response = await preview.finishSignIn({ url: sentOn.headers.get("location") ?? "" });
    expect(response.headers.get("location")).toBe(
      `${PREVIEW}/auth/signin?error=OAuthCallbackError`,
    );
  });

  it("the proxy completes its own sign-ins", async () => {
    const proxy = deployment(PROXY);
    const started = new URL(await proxy.startSignIn());
    expect(started.searchParams.get("state")).toMatch(/^[\w-]{43}$/);
    await proxy.finishSignIn(await op.authorize(started.href));
    expect(await isSignedIn(proxy.browser)).toBe(true);
  });

  it("a preview deployment refuses a forwarded response in another browser", async () => {
    const preview = deployment(PREVIEW);
    const proxy = deployment(PROXY);
    const sentOn = await proxy.finishSignIn(await op.authorize(await preview.startSignIn()));
    const victim = createBrowser(preview.auth.fetch, { origin: PREVIEW });
    await preview.finishSignIn({ url: sentOn.headers.get("location") ?? "" }, victim);
    expect(await victim.session()).toBeNull();
  });

  it.each<[string, Record<string, unknown>]>([
    ["another page of the deployment", { origin: `${PREVIEW}/elsewhere` }],
    ["another provider's callback", { origin: `${PREVIEW}/auth/callback/other` }],
    ["a host that is not listed", { origin: "https://evil.example/auth/callback/op" }],
    ["plain http", { origin: "http://preview-7.example/auth/callback/op" }],
    [
      "a host that begins like the deployment's",
      { origin: `${PREVIEW}.evil.example/auth/callback/op` },
    ],
    ["a javascript: URL", { origin: "javascript:alert(1)//callback/op" }],
    ["another scheme", { origin: "ftp://preview-7.example/auth/callback/op" }],
    ["a URL with credentials", { origin: "https://a:b@preview-7.example/auth/callback/op" }],
    ["a URL with a user name", { origin: "https://a@preview-7.example/auth/callback/op" }],
    ["a URL with a password", { origin: "https://:b@preview-7.example/auth/callback/op" }],
    ["the callback with a query", { origin: `${PREVIEW}/auth/callback/op?x=1` }],
    ["the callback with a fragment", { origin: `${PREVIEW}/auth/callback/op#x` }],
    ["a page below the callback", { origin: `${PREVIEW}/auth/callback/op/elsewhere` }],
    ["itself", { origin: `${PROXY}/auth/callback/op` }],
    ["a URL with a query", { origin: `${PREVIEW}/?x=/callback/op` }],
    ["a URL with a fragment", { origin: `${PREVIEW}/#/callback/op` }],
    ["a relative URL", { origin: "/auth/callback/op" }],
    ["an origin that is not a string", { origin: { href: PREVIEW } }],
    ["a state without an origin", {}],
  ])("the proxy refuses to redirect to %s", async (_, token) => {
    expect(await atProxy(await seal(token))).toBe(`${PROXY}/auth/signin?error=InvalidCheck`);
  });

  it.each([
    [
      "forwards to no deployment in production",
      { NODE_ENV: "production", AUTH_SECRET: SECRET },
      `${PROXY}/auth/signin?error=InvalidCheck`,
    ],
    [
      "forwards to any deployment in development",
      { NODE_ENV: "development", AUTH_SECRET: SECRET },
      `${PREVIEW}/auth/callback/op?`,
    ],
  ])("a proxy with trustHost: true %s", async (_, env, target) => {
    const config = { redirectProxyUrl: `${PROXY}/auth/`, trustHost: true, env };
    const proxy = createOAuthApp(op, [oidc(op)], { errors: "allowed", ...config, origin: PROXY });
    const state = await seal({ origin: `${PREVIEW}/auth/callback/op` });
    const query = new URLSearchParams({ code: "code", state });
    const response = await proxy.browser.get(`/auth/callback/op?${query}`);
    expect(response.headers.get("location")).toContain(target);
  });

  it.each<[string, () => Promise<string>]>([
    [
      "sealed with another secret",
      () => seal({ origin: `${PREVIEW}/auth/callback/op` }, "x".repeat(40)),
    ],
    [
      "sealed for another purpose",
      () => seal({ origin: `${PREVIEW}/auth/callback/op` }, SECRET, "authjs.state"),
    ],
    ["that is not a token", async () => "nonsense"],
    ["that is a plain URL", async () => `${PREVIEW}/auth/callback/op`],
  ])("the proxy refuses a state %s", async (_, state) => {
    expect(await atProxy(await state())).toBe(`${PROXY}/auth/signin?error=InvalidCheck`);
  });

  it("form_post responses go to the deployment itself, with a state", async () => {
    const authorization = { params: { response_mode: "form_post" } };
    const preview = deployment(PREVIEW, { authorization });
    const started = new URL(await preview.startSignIn());
    expect(started.searchParams.get("redirect_uri")).toBe(`${PREVIEW}/auth/callback/op`);
    expect(started.searchParams.has("state")).toBe(true);
    await preview.finishSignIn(await op.authorize(started.href));
    expect(await isSignedIn(preview.browser)).toBe(true);
  });

  it("a provider's own redirectProxyUrl overrides that of the configuration", async () => {
    const redirectProxyUrl = "https://other-proxy.example/auth";
    const preview = deployment(PREVIEW, { redirectProxyUrl });
    expect(new URL(await preview.startSignIn()).searchParams.get("redirect_uri")).toBe(
      "https://other-proxy.example/auth/callback/op",
    );
  });
});
