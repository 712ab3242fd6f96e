import { describe, expect, it, vi } from "vitest";
import type { AuthConfig, AuthContext, Kernel, Plugin, Route } from "../../src/kernel.ts";
import { createTestAuth, credentials, LOVELACE, ORIGIN, queryOf, setCookieNames } from "../_app.ts";

const setup = (work: (kernel: Kernel) => void): Plugin => ({ name: "test/plugin", setup: work });

const getStatus = async (path: string, config: AuthConfig = {}, init?: RequestInit) => {
  const { auth } = createTestAuth(config);
  return (await auth.fetch(new Request(ORIGIN + path, init))).status;
};

describe("routing", () => {
  it.each([
    ["/auth/session", 200],
    ["/auth/session/", 404],
    ["/auth//session", 404],
    ["/auth///session", 404],
    ["/auth/session//", 404],
    ["/auth/session/?x=1", 404],
    ["//auth/session", 404],
    ["/auth/signin//", 404],
    ["/auth/signin/", 404],
    ["/auth/callback/", 404],
    ["/auth//callback/credentials", 404],
    ["/auth/callback//credentials", 404],
    ["/auth/callback/credentials/", 404],
    ["/auth/callback%2Fcredentials", 404],
    ["/auth/callback%2fcredentials", 404],
    ["/auth/callback/%2Fcredentials", 404],
    ["/auth/callback/credentials%5c", 404],
    ["/auth%2Fsession", 404],
    ["/auth/session/undefined/", 404],
    ["/auth/session//undefined", 404],
    ["/auth/session?x=1", 200],
    ["/auth/session/undefined", 200],
    ["/auth", 404],
    ["/auth/", 404],
    ["/authsession", 404],
    ["/authority/session", 404],
    ["/auth.session", 404],
    ["/auth-session", 404],
    ["/auth%2fsession", 404],
    ["/auth.signin/credentials", 404],
    ["/Auth/session", 404],
    ["/auth/Session", 404],
    ["/auth/sessions", 404],
    ["/auth/session/x", 404],
    ["/auth/session/x/y", 404],
    ["/auth/__proto__", 404],
    ["/auth/constructor", 404],
    ["/auth/%73ession", 404],
    ["/x/auth/session", 404],
    ["/auth/../auth/session", 200],
    ["/auth/./session", 200],
    ["/auth;x/session", 404],
  ])("responds to %s with %i", async (path, status) => {
    expect(await getStatus(path)).toBe(status);
  });

  it.each([
    "/auth/./session",
    "/auth/x/../session",
    "/auth/../auth/session",
    "/auth/%2e/session",
    "/auth/x/%2E%2e/session",
    "/auth/.%2E/auth/session",
    "/auth\\session",
    "/auth/\\session",
    "/auth/x\\..\\session",
    "/auth/session/.",
    "/auth/session/.?x=1",
    "/auth/ses\tsion",
  ])("%j, whose path the URL parser would rewrite, is 404", async (path) => {
    const { auth, browser } = createTestAuth();
    const plain = new Request(`${ORIGIN}/auth/session`);
    // As the Node binding passes it, and as the request class of another server does.
    const stated = await auth.handle(plain, { target: path });
    expect(stated?.status).toBe(404);
    const lazy = Object.defineProperty(new Request(`${ORIGIN}/auth/session`), "url", {
      value: ORIGIN + path,
    });
    expect((await auth.fetch(lazy)).status).toBe(404);
    expect(await browser.session()).toBeNull();
  });

  it.each([
    "/auth/session?x=/../y",
    "/auth/session?\\",
    "/auth/session#/./",
    "http://localhost:3000/auth/session",
  ])("%s is a path of GET /session, whatever follows it", async (target) => {
    const { auth } = createTestAuth();
    const response = await auth.handle(new Request(`${ORIGIN}/auth/session`), { target });
    expect(response?.status).toBe(200);
  });

  it("without a base path, a second spelling is left to the application", async () => {
    const { auth } = createTestAuth({ basePath: "/" });
    for (const target of ["/./session", "/x/../session"]) {
      expect(await auth.handle(new Request(`${ORIGIN}/session`), { target })).toBeUndefined();
    }
    for (const path of ["//session", "/session/"]) {
      expect(await auth.handle(new Request(ORIGIN + path))).toBeUndefined();
    }
  });

  it.each(["/auth/signin/:provider", "/auth/callback/:provider"])(
    "%s is not a path of a provider: the pattern is not matched literally",
    async (path) => {
      const { browser, log } = createTestAuth();
      const csrfToken = await browser.csrfToken();
      expect((await browser.get(path)).headers.get("location") ?? "none").not.toContain("callback");
      expect(queryOf(await browser.post(path, { csrfToken }))).toEqual({ error: "Configuration" });
      expect(new Set(log.errors.splice(0).map(({ name }) => name))).toEqual(
        new Set(["InvalidProvider"]),
      );
    },
  );

  it.each([
    ["/", "/session"],
    ["/api/auth", "/api/auth/session"],
    ["/a.b", "/a.b/session"],
    ["/a+b(c)", "/a+b(c)/session"],
    ["/%C3%A9", "/é/session"],
  ])("serves requests below the base path %s", async (basePath, path) => {
    expect(await getStatus(path, { basePath })).toBe(200);
  });

  it("matches the base path literally, not as a pattern", async () => {
    expect(await getStatus("/axb/session", { basePath: "/a.b" })).toBe(404);
  });

  it("development warns once of requests for routes below another base path, and production does not", async () => {
    const warnings = async (paths: readonly string[], config: AuthConfig = {}) => {
      const { auth, log } = createTestAuth(config);
      for (const path of paths) {
        expect(await auth.handle(new Request(`https://app.example${path}`))).toBeUndefined();
      }
      return log.warnings.filter((code) => code === "base-path-missed").length;
    };
    const missed = [
      "/missed/auth/session",
      "/missed/auth/callback/credentials",
      "/en/signin/credentials",
    ];
    for (const path of missed) expect(await warnings([path, path]), path).toBe(1);
    expect(await warnings(missed.slice(0, 1))).toBe(1);
    expect(await warnings([...missed, ...missed])).toBe(1);
    const own = [
      "/session",
      "/api/session",
      "/signin/credentials",
      "/x/callback/other",
      "/x/auth",
      "/",
    ];
    expect(await warnings(own)).toBe(0);
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
    expect(await warnings([...missed, ...missed], { env })).toBe(0);
  });

  it("handle() returns undefined for a path outside the base path, and fetch() responds with 404", async () => {
    const { auth } = createTestAuth();
    for (const path of ["elsewhere", "auth.session", "auth-session", "authority/session", "Auth"])
      expect(await auth.handle(new Request(`${ORIGIN}/${path}`))).toBeUndefined();
    expect((await auth.fetch(new Request(`${ORIGIN}/elsewhere`))).status).toBe(404);
    expect((await auth.handle(new Request(`${ORIGIN}/auth/nothing`)))?.status).toBe(404);
  });
});

describe("request methods", () => {
  it("HEAD returns the headers of a GET without its body", async () => {
    const { auth } = createTestAuth();
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`, { method: "HEAD" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe("");
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "get", "BREW"])(
    "responds to %s with 405 and the allowed methods",
    async (method) => {
      const { auth } = createTestAuth();
      const request = new Request(`${ORIGIN}/auth/session`, { method });
      const response = await auth.fetch(request);
      // The platform normalizes `get` to `GET`.
      expect(response.status).toBe(request.method === "GET" ? 200 : 405);
      if (response.status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
    },
  );

  it("ignores headers and fields that override the method", async () => {
    const { browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    await browser.get("/auth/signout?_method=POST", {
      headers: { "x-http-method-override": "POST", "x-http-method": "POST" },
    });
    expect(await browser.session()).not.toBeNull();
  });
});

describe("hooks.request", () => {
  it("a response of the request hook replaces the route's", async () => {
    const { browser } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.request.tap("maintenance", (ctx) =>
            ctx.action === "signin" ? new Response("closed", { status: 503 }) : undefined,
          ),
        ),
      ],
    });
    expect((await browser.get("/auth/signin")).status).toBe(503);
    expect((await browser.get("/auth/session")).status).toBe(200);
  });

  it("the request hook runs after the CSRF check", async () => {
    const seen = vi.fn();
    const { browser, log } = createTestAuth({
      use: [setup((kernel) => kernel.hooks.request.tap("look", seen))],
    });
    await browser.post("/auth/signout");
    log.expectErrors("MissingCSRF");
    expect(seen).not.toHaveBeenCalled();
  });

  it("the request hook is not called for paths without a route", async () => {
    const seen = vi.fn();
    const { auth } = createTestAuth({
      use: [setup((kernel) => kernel.hooks.request.tap("look", seen))],
    });
    await auth.fetch(new Request(`${ORIGIN}/elsewhere`));
    await auth.fetch(new Request(`${ORIGIN}/auth/nothing`));
    expect(seen).not.toHaveBeenCalled();
  });
});

describe("hooks.response", () => {
  const shaped = (config: AuthConfig = {}) =>
    createTestAuth({
      ...config,
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("mark", (response) => {
            const marked = new Response(response.body, response);
            marked.headers.set("x-mark", String(response.status));
            return marked;
          }),
        ),
      ],
    });

  it("the response hook changes responses of routes and of errors", async () => {
    const { browser, log } = shaped();
    expect((await browser.get("/auth/session")).headers.get("x-mark")).toBe("200");
    expect((await browser.get("/auth/nothing")).headers.get("x-mark")).toBe("404");
    expect((await browser.post("/auth/signout")).headers.get("x-mark")).toBe("302");
    log.expectErrors("MissingCSRF");
  });

  it("the response hook runs before the cookies are added, which are added once", async () => {
    const { browser } = shaped();
    const response = await browser.get("/auth/csrf");
    expect(setCookieNames(response)).toEqual(["authjs.csrf-token"]);
    expect(response.headers.get("x-mark")).toBe("200");
  });

  it("a response hook that throws neither keeps a user signed in nor signs one in", async () => {
    let isDown = false;
    const app = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("down", () => {
            if (isDown) throw new Error("The audit log is down.");
          }),
        ),
      ],
    });
    await app.browser.signInWith("credentials", LOVELACE);
    const csrfToken = await app.browser.csrfToken();
    isDown = true;
    const response = await app.browser.post("/auth/signout", { csrfToken });
    expect(response.status).toBe(500);
    isDown = false;
    expect(await app.browser.session()).toBeNull();

    const token = await app.browser.csrfToken();
    isDown = true;
    await app.browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken: token });
    isDown = false;
    expect(await app.browser.session()).toBeNull();
    app.log.expectErrors("Error", "Error");
  });

  it.each<[string, (ctx: AuthContext) => void]>([
    [
      "ends no session of which parts are cleared",
      ({ cookies }) => {
        cookies.set("authjs.session-token", "sealed", {});
        cookies.clear("authjs.session-token.1", {});
      },
    ],
    ["clears no cookie that cannot be written", ({ cookies }) => cookies.clear("x", { path: ";" })],
  ])("a response hook that throws %s", async (_, change) => {
    const { browser, log } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("faulty", (__, ctx) => {
            change(ctx);
            throw new Error("down");
          }),
        ),
      ],
    });
    const response = await browser.get("/auth/session");
    expect([response.status, setCookieNames(response)]).toEqual([500, []]);
    log.expectErrors("Error");
  });

  it("a response hook that throws leads to a generic 500", async () => {
    const { browser, log } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("faulty", () => {
            throw new Error("secret detail");
          }),
        ),
      ],
    });
    const response = await browser.get("/auth/session");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret detail");
    log.expectErrors("Error");
  });
});

const SHARED_CACHES = [
  "cdn-cache-control",
  "cloudflare-cdn-cache-control",
  "netlify-cdn-cache-control",
  "vercel-cdn-cache-control",
  "surrogate-control",
  "edge-control",
  "x-accel-expires",
  "x-litespeed-cache-control",
];

describe("caching of a response", () => {
  const PUBLIC = Object.fromEntries(
    ["cache-control", ...SHARED_CACHES].map((name) => [name, "public, max-age=600"]),
  );
  const answering = (handler: Route["handler"], route: Partial<Route> = {}) =>
    createTestAuth({
      use: [
        setup((kernel) =>
          kernel.addRoute({ method: "GET", path: "/own", json: true, handler, ...route }),
        ),
      ],
    });
  const expectPrivate = ({ headers }: Response) => {
    expect(headers.get("cache-control")).toMatch(/^private,.*no-store$/);
    for (const name of SHARED_CACHES) expect(headers.has(name), name).toBe(false);
  };

  it("every built-in route is private, no-store, and its JSON is nosniff", async () => {
    const { browser, log } = createTestAuth();
    const paths = ["session", "providers", "csrf", "signin", "signout", "error", "verify-request"];
    for (const path of [...paths, "absent", "callback/absent"]) {
      const response = await browser.get(`/auth/${path}`);
      expectPrivate(response);
      const type = response.headers.get("content-type");
      if (type) expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
    }
    log.expectErrors("InvalidProvider");
  });

  it("a response of a route without Cache-Control is private, because most depend on the request's host", async () => {
    for (const handler of [
      () => new Response("own"),
      () => Response.redirect(`${ORIGIN}/there`),
      (ctx: AuthContext) => ctx.json(ctx.origin),
    ]) {
      expectPrivate(await answering(handler).browser.get("/auth/own"));
    }
  });

  it("a response that depends on nothing may be public", async () => {
    const app = answering((ctx) => ctx.json(1, { headers: PUBLIC }));
    const { headers } = await app.browser.get("/auth/own");
    for (const [name, value] of Object.entries(PUBLIC)) expect(headers.get(name)).toBe(value);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("a response after reading the session is private, whatever the route set, with a session or without", async () => {
    const reads = answering(async (ctx) => {
      await ctx.session();
      return new Response("own", { headers: PUBLIC });
    });
    expectPrivate(await reads.browser.get("/auth/own"));
    await reads.browser.signInWith("credentials", LOVELACE);
    expectPrivate(await reads.browser.get("/auth/own"));
    const demands = answering(() => new Response("own", { headers: PUBLIC }), { auth: true });
    await demands.browser.signInWith("credentials", LOVELACE);
    expectPrivate(await demands.browser.get("/auth/own"));
  });

  it("a tap of `response` cannot make GET /session or a response with cookies cacheable", async () => {
    const { browser } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("public", (response) => {
            const headers = new Headers(response.headers);
            for (const [name, value] of Object.entries(PUBLIC)) headers.set(name, value);
            return new Response(response.body, { status: response.status, headers });
          }),
        ),
      ],
    });
    expectPrivate(await browser.signInWith("credentials", LOVELACE));
    expectPrivate(await browser.get("/auth/session"));
  });

  it("if a path names an unknown provider, the log lists the configured ones and repeats nothing of the path", async () => {
    const { browser, log } = createTestAuth({
      providers: [credentials(), credentials({ id: "staff" })],
    });
    await browser.signIn("stafff");
    await browser.signIn("secret-token");
    const text = "The path names a provider that is not configured";
    expect(log.expectErrors("InvalidProvider", "InvalidProvider")).toMatchObject([
      { message: `${text}. Did you mean "staff"?` },
      {
        message: `${text} (configured: credentials, staff). Add it to \`providers\`, or correct the URL.`,
      },
    ]);
  });

  it("redirects of a callback, whose URL contains a code or a token, send no referrer", async () => {
    const { browser, log } = createTestAuth();
    const done = await browser.signInWith("credentials", LOVELACE);
    const wrong = await browser.signInWith("credentials", {});
    const json = await browser.send("/auth/callback/credentials", { json: LOVELACE });
    const failed = await browser.get("/auth/callback/credentials?code=1");
    for (const response of [done, wrong, json, failed]) {
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
    log.expectErrors("CredentialsSignin", "InvalidProvider");
  });
});

describe("cookies of a response", () => {
  const owning = (headers: Record<string, string>) =>
    createTestAuth({
      use: [
        setup((kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/own",
            handler(ctx) {
              ctx.cookies.set("mine", "1", { path: "/" });
              return new Response("own", { headers });
            },
          }),
        ),
      ],
    });

  it("a response with cookies is private (R10)", async () => {
    const response = await owning({}).browser.get("/auth/own");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("a response with cookies is private even when the route made it public (R10)", async () => {
    const response = await owning({ "cache-control": "public, max-age=60" }).browser.get(
      "/auth/own",
    );
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("cache-control")).not.toContain("public");
  });

  it.each([
    "x-no-store",
    "public, max-age=60, x-note=no-store",
    'public, ext="private, no-store"',
    'private="set-cookie", no-store',
    "no-store",
    "private",
    "no-storeprivate",
  ])("a response with cookies is private if its Cache-Control is %j (R10)", async (value) => {
    const response = await owning({ "cache-control": value }).browser.get("/auth/own");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it.each(["Private, NO-STORE", "no-store,private", "private, max-age=0 , no-store"])(
    "a response with cookies keeps the Cache-Control %j, which is as strict (R10)",
    async (value) => {
      const response = await owning({ "cache-control": value }).browser.get("/auth/own");
      expect(response.headers.get("cache-control")).toBe(value);
    },
  );

  it.each(SHARED_CACHES)(
    "a response with cookies has no %s, which CDNs obey first (R10)",
    async (name) => {
      const headers = { "cache-control": "private, no-store", [name]: "max-age=600" };
      const response = await owning(headers).browser.get("/auth/own");
      expect(setCookieNames(response)).toEqual(["mine"]);
      expect(response.headers.has(name)).toBe(false);
    },
  );

  it("cookies are added to a response with immutable headers", async () => {
    const { browser } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/own",
            handler(ctx) {
              ctx.cookies.set("mine", "1", {});
              return Response.redirect(`${ORIGIN}/there`);
            },
          }),
        ),
      ],
    });
    const response = await browser.get("/auth/own");
    expect(setCookieNames(response)).toEqual(["mine"]);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/there`);
  });

  it("cookies are sent with error responses too, so that the callback URL is kept", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.signInWith("credentials", {
      username: "ada",
      password: "wrong",
      callbackUrl: "/deep",
    });
    expect(setCookieNames(response)).toContain("authjs.callback-url");
    log.expectErrors("CredentialsSignin");
  });

  it("GET requests to session, providers and pages without forms set no cookies", async () => {
    const { browser } = createTestAuth();
    for (const path of [
      "/auth/session",
      "/auth/providers",
      "/auth/error",
      "/auth/verify-request",
    ]) {
      expect(setCookieNames(await browser.get(path)), path).toEqual([]);
    }
  });
});

describe("the X-Auth-Return-Redirect request header", () => {
  it("X-Auth-Return-Redirect turns a redirect into JSON, with its cookies and Location", async () => {
    const { browser } = createTestAuth();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post(
      "/auth/callback/credentials",
      { ...LOVELACE, csrfToken, callbackUrl: "/deep" },
      { headers: { "x-auth-return-redirect": "" } },
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: `${ORIGIN}/deep` });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
    expect(setCookieNames(response)).toContain("authjs.session-token");
  });

  it("X-Auth-Return-Redirect turns the redirect of an error into JSON", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.post(
      "/auth/signout",
      {},
      {
        headers: { "x-auth-return-redirect": "1" },
      },
    );
    expect(await response.json()).toEqual({ url: `${ORIGIN}/auth/signout?error=MissingCSRF` });
    log.expectErrors("MissingCSRF");
  });

  it("X-Auth-Return-Redirect does not change a response that is not a redirect", async () => {
    const { browser } = createTestAuth();
    const headers = { "x-auth-return-redirect": "1" };
    expect(await (await browser.get("/auth/session", { headers })).json()).toBeNull();
  });
});

describe("a request that hangs", () => {
  let begin = () => {};
  const hang = () => {
    begin();
    return new Promise<never>(() => {});
  };
  // The limit is the time of the request, and one second more to report why.
  const respondLate = async (fetchIt: () => Promise<Response>) => {
    const begun = new Promise<void>((resolve) => (begin = resolve));
    vi.useFakeTimers();
    const response = fetchIt();
    // On a busy machine, reading the body takes longer than all the timers.
    await begun;
    let isAnswered = false;
    void response.finally(() => (isAnswered = true));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1_002);
    expect(isAnswered).toBe(true);
    return response;
  };

  it("a route that hangs gets an error response after 11 seconds, and the log names the route", async () => {
    const route: Route = { method: "GET", path: "/slow", json: true, handler: hang };
    const { auth, log } = createTestAuth({ use: [setup((kernel) => kernel.addRoute(route))] });
    const request = new Request(`${ORIGIN}/auth/slow`);
    expect((await respondLate(() => auth.fetch(request))).status).toBe(500);
    expect(log.expectErrors("PluginError")[0]?.message).toContain("The route GET /slow");
  });

  it("a sign-in whose `authorize` hangs gets an error response after 11 seconds", async () => {
    const { browser, log } = createTestAuth({ providers: [credentials({ authorize: hang })] });
    const csrfToken = await browser.csrfToken();
    const response = await respondLate(() =>
      browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken }),
    );
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("PluginError");
  });
});

describe("a route with `cookies: false`", () => {
  const route: Route = {
    method: "POST",
    path: "/machine",
    csrf: false,
    cookies: false,
    async handler(ctx) {
      const session = await ctx.session();
      ctx.cookies.set("set", "here", { path: "/" });
      return ctx.json({ session, names: ctx.cookies.names(), set: ctx.cookies.get("set") });
    },
  };

  it("neither reads a browser's cookies or session nor sets a cookie", async () => {
    const { browser } = createTestAuth({ use: [setup((kernel) => kernel.addRoute(route))] });
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.post("/auth/machine");
    expect(await response.json()).toEqual({ session: null, names: [], set: "here" });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("sets no cookie even when its handler throws", async () => {
    const handler: Route["handler"] = (ctx) => {
      ctx.cookies.set("set", "here", { path: "/" });
      throw new Error("broken");
    };
    const broken: Route = { ...route, json: true, handler };
    const { browser, log } = createTestAuth({ use: [setup((kernel) => kernel.addRoute(broken))] });
    const response = await browser.post("/auth/machine");
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []]);
    log.expectErrors("Error");
  });
});
