import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { Kernel, Plugin } from "../../src/kernel.ts";
import {
  createBrowser,
  createIdentityProvider,
  createTestAuth,
} from "../../src/testing/testing.ts";

const EVE = { name: "Eve", email: "eve@example.com" };

function withSetup(setup: (kernel: Kernel) => void): { plugins: Plugin[] } {
  return { plugins: [{ name: "test/setup", setup }] };
}

describe("browser.request()", () => {
  it("request() has the cookies of the browser, for server functions of the Auth, and is not sent", async () => {
    const { auth, browser, openBrowser } = createTestAuth(createAuth);
    await browser.signInAs(EVE);
    expect(await auth.requireSession(browser.request("/page"))).toMatchObject({ user: EVE });
    expect(await auth.getSession(openBrowser().request("/page"))).toBeNull();
    const { url, method, headers } = browser.request("/page?a=1");
    expect([url, method, headers.get("accept")]).toEqual([
      "http://localhost:3000/page?a=1",
      "GET",
      "text/html",
    ]);
    const posted = browser.request("/page", { method: "POST", body: "a", headers: { cookie: "" } });
    expect([posted.method, posted.headers.get("cookie")]).toEqual(["POST", ""]);
  });
});

describe("browser.signInAs()", () => {
  it("signInAs() signs a user in and returns the response of the callback", async () => {
    const { browser } = createTestAuth(createAuth);
    const response = await browser.signInAs(EVE, "idp", { callbackUrl: "/page" });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("http://localhost:3000/page");
    expect(await browser.session()).toMatchObject({ user: EVE });
  });

  it("signInAs() signs in at the provider with the given id", async () => {
    const idp = createIdentityProvider();
    const providers = [idp.provider({ id: "acme" })];
    const { browser } = createTestAuth(createAuth, { idp, providers });
    await browser.signInAs(EVE, "acme");
    expect(await browser.session()).toMatchObject({ user: EVE });
  });

  it("signInAs() throws if the sign-in redirects to another identity provider than the browser's, and names both", async () => {
    const [idp, other] = [
      createIdentityProvider(),
      createIdentityProvider({ issuer: "https://b.example" }),
    ];
    const { browser } = createTestAuth(createAuth, { idp, providers: [other.provider()] });
    await expect(browser.signInAs(EVE)).rejects.toThrow(
      'The sign-in with "idp" leads to https://b.example/authorize, but the identity provider of this browser is at ' +
        "https://idp.example/authorize. Give the provider",
    );
  });

  it("signInAs() and session() report the error of a configuration that does not boot", async () => {
    const { browser, log } = createTestAuth(createAuth, { session: { strategy: "database" } });
    for (const [work, path] of [
      [() => browser.signInAs(EVE), "/auth/csrf"],
      [() => browser.csrfToken(), "/auth/csrf"],
    ] as const) {
      const error = await work().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        message: expect.stringMatching(
          `^GET ${path} responded with status 500 and no JSON: .*adapter`,
        ),
        cause: log.errors.at(-1),
      });
    }
  });

  it("signInAs() reports the ?error= of a refusal, and the logged error is its cause", async () => {
    const { browser, log } = createTestAuth(createAuth, {
      callbacks: { signIn: ({ user }) => user.name !== "Eve" },
    });
    const refused = await browser.signInAs(EVE).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message:
        'The sign-in with "idp" was refused: ?error=AccessDenied (status 302, to http://localhost:3000/auth/error?error=AccessDenied)',
      cause: log.errors[0],
    });
    expect(log.errors).toMatchObject([{ type: "AccessDenied" }]);
    expect(await browser.session()).toBeNull();
  });

  it("signInAs() reports status and text of a response that is not a redirect, from any source", async () => {
    for (const path of ["/signin/", "/callback/"]) {
      const { browser } = createTestAuth(
        createAuth,
        withSetup(({ hooks }) => {
          hooks.request.tap("test/limit", ({ url }) =>
            url.pathname.includes(path) ? new Response("Too many.", { status: 429 }) : undefined,
          );
        }),
      );
      await expect(browser.signInAs(EVE)).rejects.toThrow("refused: status 429: Too many.");
    }
  });

  it("signInAs() returns a redirect that leads to neither the identity provider nor an error", async () => {
    const { browser } = createTestAuth(createAuth, {
      callbacks: { signIn: () => "/second-factor" },
    });
    const response = await browser.signInAs(EVE);
    expect(response.headers.get("location")).toBe("http://localhost:3000/second-factor");
    expect(await browser.session()).toBeNull();
  });

  it("signInAs() without an identity provider names the option", async () => {
    const { auth } = createTestAuth(createAuth);
    await expect(createBrowser(auth.fetch).signInAs(EVE)).rejects.toThrow(
      "No identity provider is known. Pass it: createBrowser(fetch, { idp }).",
    );
  });

  it("signInAs() with an unknown provider reports the error", async () => {
    const { browser } = createTestAuth(createAuth);
    await expect(browser.signInAs(EVE, "acme")).rejects.toMatchObject({
      message: expect.stringContaining("?error=Configuration"),
      cause: { type: "InvalidProvider" },
    });
  });
});

describe("browser.send()", () => {
  const seen: unknown[] = [];
  const { browser, log } = createTestAuth(
    createAuth,
    withSetup((kernel) => {
      kernel.addRoute({
        method: "POST",
        path: "/notes",
        json: true,
        async handler(ctx) {
          const { csrfToken: _, ...body } = await ctx.body();
          seen.push(body);
          return ctx.json({ accept: ctx.request.headers.get("accept") });
        },
      });
    }),
  );

  it("send() posts JSON from the own origin with the CSRF token", async () => {
    const response = await browser.send("/auth/notes", { json: { text: "hello" } });
    expect(await response.json()).toEqual({ accept: "application/json" });
    expect(seen.splice(0)).toEqual([{ text: "hello" }]);
    await browser.send("/auth/notes");
    expect(seen.splice(0)).toEqual([{}]);
  });

  it("send() omits the CSRF token on request", async () => {
    const response = await browser.send("/auth/notes", { json: { text: "x" }, csrf: false });
    expect(response.status).toBe(403);
    expect((await browser.send("/auth/notes", { csrf: false })).status).toBe(403);
    expect(seen).toEqual([]);
    expect(log.errors.map(({ type }) => type)).toEqual(["MissingCSRF", "MissingCSRF"]);
  });

  it("send() keeps given headers, and sends another origin on request", async () => {
    const headers = { accept: "text/plain", origin: "https://evil.example" };
    expect((await browser.send("/auth/notes", { headers })).status).toBe(403);
    const response = await browser.send("/auth/notes", { headers: { accept: "text/plain" } });
    expect(await response.json()).toEqual({ accept: "text/plain" });
    seen.length = 0;
  });

  it("send() uses any method, and sends lists and GETs without a token", async () => {
    const requests: { method: string; body: string; type: string | null }[] = [];
    const { send, cookies } = createBrowser(async (request) => {
      const { method, headers } = request;
      requests.push({ method, body: await request.text(), type: headers.get("content-type") });
      return Response.json({ csrfToken: "token" }, { headers: { "set-cookie": "a=1" } });
    });
    const type = "application/json";
    await send("/notes/1", { method: "DELETE" });
    await send("/notes", { method: "PUT", json: [1] });
    await send("/notes", { method: "GET" });
    await send("/notes", { json: { a: 1 }, csrf: false });
    expect(requests).toEqual([
      { method: "GET", body: "", type: null },
      { method: "DELETE", body: '{"csrfToken":"token"}', type },
      { method: "PUT", body: "[1]", type },
      { method: "GET", body: "", type: null },
      { method: "POST", body: '{"a":1}', type },
    ]);
    expect([...cookies]).toEqual([["a", "1"]]);
  });
});

it("postFrom() posts a form of another site, with only the cookies that are SameSite=None", async () => {
  const seen: (string | null)[][] = [];
  const browser = createBrowser(async ({ headers: sent }) => {
    seen.push([sent.get("origin"), sent.get("cookie")]);
    const headers = new Headers();
    headers.append("set-cookie", "a=1; SameSite=Lax");
    headers.append("set-cookie", "b=2; SameSite=None; Secure");
    return new Response(null, { headers });
  });
  await browser.get("/");
  await browser.postFrom("https://sso.example/login", "/callback", { code: "1" });
  await browser.post("/callback");
  expect(seen.slice(1)).toEqual([
    ["https://sso.example", "b=2"],
    ["http://localhost:3000", "a=1; b=2"],
  ]);
});
