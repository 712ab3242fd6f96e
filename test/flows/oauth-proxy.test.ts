import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../src/types.ts";
import { decode, encode } from "../../src/jwt.ts";
import { createBrowser } from "../../src/testing.ts";
import { type Op, startOp } from "../_op.ts";
import { type App, createApp, isSignedIn, oidc, SECRET } from "./_oauth.ts";

const PROXY = "https://proxy.example";
const PREVIEW = "https://preview-7.example";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

function deployment(origin: string, more: Partial<OIDCProvider> = {}): App {
  const config = {
    redirectProxyUrl: `${PROXY}/auth/`,
    trustHost: [PROXY, PREVIEW].map((url) => new URL(url).host),
  };
  return createApp(op, [oidc(op, more)], config, origin);
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

describe("a redirect proxy", () => {
  it("takes the answer for another deployment and sends it on", async () => {
    const preview = deployment(PREVIEW);
    const started = new URL(await preview.start("op", { callbackUrl: "/page" }));
    expect(started.searchParams.get("redirect_uri")).toBe(`${PROXY}/auth/callback/op`);

    const proxy = deployment(PROXY);
    const sentOn = await proxy.finish(
      await op.authorize(started.href),
      createBrowser(proxy.auth.fetch, { origin: PROXY }),
    );
    const target = new URL(sentOn.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe(`${PREVIEW}/auth/callback/op`);
    expect(sentOn.headers.getSetCookie()).toEqual([]);
    expect(op.count("/token")).toBe(0);

    const response = await preview.finish({ url: target.href });
    expect(preview.errors).toEqual([]);
    expect(response.headers.get("location")).toBe(`${PREVIEW}/page`);
    expect(await isSignedIn(preview)).toBe(true);
    const token = op.received.find(({ path }) => path === "/token");
    expect(token?.body.get("redirect_uri")).toBe(`${PROXY}/auth/callback/op`);
  });

  it("has a state that Auth.js reads", async () => {
    const preview = deployment(PREVIEW);
    const state = new URL(await preview.start()).searchParams.get("state") ?? "";
    expect(await decode({ token: state, secret: SECRET, salt: "encodedState" })).toMatchObject({
      origin: `${PREVIEW}/auth/callback/op`,
      random: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it("sends refusals on, too", async () => {
    const preview = deployment(PREVIEW);
    const proxy = deployment(PROXY);
    const sentOn = await proxy.finish(await op.authorize(await preview.start(), "access_denied"));
    const response = await preview.finish({ url: sentOn.headers.get("location") ?? "" });
    expect(response.headers.get("location")).toBe(
      `${PREVIEW}/auth/signin?error=OAuthCallbackError`,
    );
  });

  it("signs in for itself", async () => {
    const proxy = deployment(PROXY);
    const started = new URL(await proxy.start());
    expect(started.searchParams.get("state")).toMatch(/^[\w-]{43}$/);
    await proxy.finish(await op.authorize(started.href));
    expect(await isSignedIn(proxy)).toBe(true);
  });

  it("reads a preview's answer in no other browser", async () => {
    const preview = deployment(PREVIEW);
    const proxy = deployment(PROXY);
    const sentOn = await proxy.finish(await op.authorize(await preview.start()));
    const victim = createBrowser(preview.auth.fetch, { origin: PREVIEW });
    await preview.finish({ url: sentOn.headers.get("location") ?? "" }, victim);
    expect(await victim.session()).toBeNull();
  });

  it.each<[string, Record<string, unknown>]>([
    ["another page of the deployment", { origin: `${PREVIEW}/elsewhere` }],
    ["another provider's callback", { origin: `${PREVIEW}/auth/callback/other` }],
    ["a script", { origin: "javascript:alert(1)//callback/op" }],
    ["another scheme", { origin: "ftp://preview-7.example/auth/callback/op" }],
    ["credentials", { origin: "https://a:b@preview-7.example/auth/callback/op" }],
    ["a query", { origin: `${PREVIEW}/?x=/callback/op` }],
    ["a fragment", { origin: `${PREVIEW}/#/callback/op` }],
    ["no URL", { origin: "/auth/callback/op" }],
    ["no text", { origin: { href: PREVIEW } }],
    ["nothing", {}],
  ])("sends nobody to %s", async (_, token) => {
    expect(await atProxy(await seal(token))).toBe(`${PROXY}/auth/signin?error=InvalidCheck`);
  });

  it.each<[string, () => Promise<string>]>([
    ["under another secret", () => seal({ origin: `${PREVIEW}/auth/callback/op` }, "x".repeat(40))],
    [
      "sealed for another purpose",
      () => seal({ origin: `${PREVIEW}/auth/callback/op` }, SECRET, "authjs.state"),
    ],
    ["that is nonsense", async () => "nonsense"],
    ["that is a URL", async () => `${PREVIEW}/auth/callback/op`],
  ])("believes no state %s", async (_, state) => {
    expect(await atProxy(await state())).toBe(`${PROXY}/auth/signin?error=InvalidCheck`);
  });

  it("is left out for posted answers, though the state stays", async () => {
    const authorization = { params: { response_mode: "form_post" } };
    const preview = deployment(PREVIEW, { authorization });
    const started = new URL(await preview.start());
    expect(started.searchParams.get("redirect_uri")).toBe(`${PREVIEW}/auth/callback/op`);
    expect(started.searchParams.has("state")).toBe(true);
    await preview.finish(await op.authorize(started.href));
    expect(await isSignedIn(preview)).toBe(true);
  });

  it("can be one provider's own", async () => {
    const redirectProxyUrl = "https://other-proxy.example/auth";
    const preview = deployment(PREVIEW, { redirectProxyUrl });
    expect(new URL(await preview.start()).searchParams.get("redirect_uri")).toBe(
      "https://other-proxy.example/auth/callback/op",
    );
  });
});
