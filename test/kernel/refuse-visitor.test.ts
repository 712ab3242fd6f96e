import { describe, expect, it } from "vitest";
import { bearer } from "../../plugins/security/bearer.ts";
import type { Plugin } from "../../src/kernel.ts";
import { createTestAuth, credentials, LOVELACE, ORIGIN } from "../_app.ts";

const page: Plugin = {
  name: "page",
  setup: (kernel) =>
    kernel.addRoute({
      method: "GET",
      path: "/page",
      auth: true,
      handler: () => new Response("the page"),
    }),
};

/** The ways to a refusal: a route of a plugin, the hook `authorized`, a wrapped handler, and `protect`. */
const open = (pages: { signIn?: string } = {}) => {
  const app = createTestAuth({ pages, use: [page], callbacks: { authorized: () => false } });
  const { auth } = app;
  const respond = {
    "a route with `auth: true`": (request: Request) => auth.fetch(request),
    "auth.authorize()": (request: Request) => auth.authorize(request),
    "auth.auth(handler)": (request: Request) => auth.auth(() => new Response("the page"))(request),
    "auth.protect()": (request: Request) => auth.protect(request),
  };
  return { ...app, respond };
};

type Way = keyof ReturnType<typeof open>["respond"];
const WAYS = Object.keys(open().respond) as Way[];
const pathOf = (way: Way) => (way.startsWith("a route") ? "/auth/page?x=1" : "/shop?x=1");

describe.each(WAYS)("%s, for a visitor without a session", (way) => {
  it.each([
    ["of a browser that navigates", { accept: "text/html,application/json;q=0.9,*/*;q=0.8" }],
    ["with `Sec-Fetch-Mode: navigate`", { accept: "*/*", "sec-fetch-mode": "navigate" }],
  ])("redirects a request %s to the sign-in page and back", async (_, headers) => {
    const url = ORIGIN + pathOf(way);
    const response = await open().respond[way](new Request(url, { headers }));
    expect(response?.status).toBe(302);
    expect(response?.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(url)}`,
    );
  });

  it.each([
    ["of `fetch`, which accepts everything", { accept: "*/*", "sec-fetch-mode": "cors" }],
    ["that asks for JSON", { accept: "application/json" }],
    ["that asks for JSON first", { accept: "application/json, text/plain, */*" }],
    ["for an image", { accept: "image/avif,image/*,*/*;q=0.8", "sec-fetch-mode": "no-cors" }],
    ["without `Accept`", {}],
  ])("responds with 401 as JSON to a request %s", async (_, headers) => {
    const request = new Request(ORIGIN + pathOf(way), { headers });
    const response = await open().respond[way](request);
    expect(response?.status).toBe(401);
    expect(response?.headers.get("cache-control")).toContain("no-store");
    expect(await response?.json()).toEqual({ error: "SessionRequired", message: "Sign in first." });
  });
});

describe.each(["auth.authorize()", "auth.protect()"] as const)("%s", (way) => {
  const post = (headers: Record<string, string>, path = "/shop/items") =>
    new Request(ORIGIN + path, { method: "POST", headers: { accept: "text/html", ...headers } });
  const getReturnUrl = (response: Response | undefined) =>
    new URL(response?.headers.get("location") ?? "").searchParams.get("callbackUrl");

  it("leads a visitor who posts a form back to the page with the form", async () => {
    const referer = `${ORIGIN}/shop?page=2`;
    expect(getReturnUrl(await open().respond[way](post({ referer })))).toBe(referer);
  });

  it("leads a visitor who posts from an unknown page back to the path of the form", async () => {
    for (const headers of [{}, { referer: "https://evil.example/x" }] as Record<string, string>[]) {
      const response = await open().respond[way](post(headers));
      expect(getReturnUrl(response)).toBe(`${ORIGIN}/shop/items`);
    }
  });

  it.each(["/login", "/login/", "/login?error=x", "/auth/session", "/auth/signin/github"])(
    "lets %s pass, which users need to sign in",
    async (path) => {
      const headers = { accept: "text/html" };
      const { respond } = open({ signIn: "/login" });
      expect(await respond[way](new Request(ORIGIN + path, { headers }))).toBeUndefined();
    },
  );

  it("redirects from the path that the sign-in page has on another site", async () => {
    const signIn = "https://accounts.example/login";
    const request = new Request(`${ORIGIN}/login`, { headers: { accept: "text/html" } });
    const response = await open({ signIn }).respond[way](request);
    expect(response?.headers.get("location")).toContain(signIn);
  });

  it("refuses a call of a server function at the sign-in page, without a redirect to itself", async () => {
    const request = Object.assign(post({}, "/login"), { callsFunction: true });
    const response = await open({ signIn: "/login" }).respond[way](request);
    expect(response?.status).toBe(401);
  });

  it("redirects the router of a framework, whose requests accept everything", async () => {
    const headers = { accept: "*/*" };
    const request = Object.assign(new Request(`${ORIGIN}/shop`, { headers }), {
      isNavigation: true,
    });
    expect((await open().respond[way](request))?.status).toBe(302);
  });

  it("sends the refusal of the session transport to clients without cookies", async () => {
    const { auth } = createTestAuth({
      providers: [credentials()],
      use: [bearer()],
      callbacks: { authorized: () => false },
    });
    const call = way === "auth.protect()" ? auth.protect : auth.authorize;
    for (const method of ["GET", "POST"]) {
      const request = new Request(`${ORIGIN}/shop`, { method, headers: { accept: "text/html" } });
      const response = await call(request);
      expect([response?.status, response?.headers.get("www-authenticate")]).toEqual([
        401,
        "Bearer",
      ]);
    }
  });
});

describe("auth.protect()", () => {
  it("lets a visitor with a session pass, whatever the hook `authorized` returns", async () => {
    const { auth, browser } = open();
    await browser.signInWith("credentials", LOVELACE);
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    expect(await auth.protect(new Request(`${ORIGIN}/shop`, { headers: { cookie } }))).toBe(
      undefined,
    );
  });

  it("refuses another spelling of the sign-in page, which a router may use as it was sent", async () => {
    const { auth } = open({ signIn: "/login" });
    const target = "/admin/../login";
    const request = Object.assign(new Request(ORIGIN + target), { target });
    expect((await auth.protect(request))?.status).toBe(401);
  });
});
