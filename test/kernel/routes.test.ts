import { describe, expect, it } from "vitest";
import type { AuthContext, Plugin, Route } from "../../src/kernel.ts";
import { createTestAuth, listBootFaults, LOVELACE, ORIGIN, type TestAuthOptions } from "../_app.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

type GivenRoute = Omit<Route, "handler"> & Partial<Pick<Route, "handler">>;

/** Adds routes that respond with their own method and path and the request's parameters. */
const adding = (...routes: GivenRoute[]): Plugin => ({
  name: "adding",
  setup(kernel) {
    for (const route of routes) {
      const handler = async (ctx: AuthContext) =>
        ctx.json({
          route: `${route.method} ${route.path}`,
          params: ctx.params,
          ...(ctx.provider && { provider: ctx.provider.id }),
          body: await ctx.body(),
        });
      kernel.addRoute({ json: true, handler, ...route });
    }
  },
});

const gets = (...paths: string[]): Plugin =>
  adding(...paths.map((path) => ({ method: "GET" as const, path })));

async function visit(plugin: Plugin, path: string, options: TestAuthOptions = {}) {
  const { browser, log } = createTestAuth({ use: [plugin], ...options });
  log.ignoreErrors();
  const response = await browser.get(`/auth${path}`, { headers: { accept: "application/json" } });
  const body = (await response.json()) as { route?: string; params?: Record<string, string> };
  return { status: response.status, ...body };
}

/** Boots, and returns the messages of all faults. */
function listFaults(...routes: unknown[]): string[] {
  return listBootFaults(createTestAuth({ use: [adding(...(routes as GivenRoute[]))] }));
}

describe("the base path in the path of a route", () => {
  it.each([
    ["/auth/mine", ["route-base-path"]],
    ["/authors/mine", []],
    ["/mine/auth", []],
  ])("boot warns of the route %s at /auth with %j", (path, codes) => {
    const { auth, log } = createTestAuth({ use: [gets(path)] });
    auth.inspect();
    expect(log.warnings.filter((code) => code === "route-base-path")).toEqual(codes);
  });
});

describe("parameters of paths", () => {
  it("parameters of a path are in ctx.params by name", async () => {
    const path = "/org/:id/members/:member";
    expect(await visit(gets(path), "/org/acme/members/7")).toMatchObject({
      route: `GET ${path}`,
      params: { id: "acme", member: "7" },
    });
  });

  it("ctx.route is the route of the request, also in hooks, and undefined without one", async () => {
    const seen: (string | undefined)[] = [];
    const { browser, auth } = createTestAuth({
      use: [
        gets("/org/:id"),
        {
          name: "watch",
          setup: ({ hooks }) =>
            hooks.around.tap("watch", async ({ route }, next) => {
              seen.push(route && `${route.method} ${route.path} (${route.plugin})`);
              await next();
            }),
        },
      ],
    });
    await browser.get("/auth/org/acme");
    await browser.get("/auth/nothing");
    await auth.getSession(new Request(ORIGIN));
    expect(seen).toEqual(["GET /org/:id (adding)", undefined, "GET /session (routes/session)"]);
  });

  it("a path without parameters has empty, unchangeable params", async () => {
    expect(await visit(gets("/org"), "/org")).toMatchObject({ params: {} });
    let params: object | undefined;
    const handler = (ctx: AuthContext) => {
      params = ctx.params;
      return ctx.json(null);
    };
    await visit(adding({ method: "GET", path: "/org", handler }), "/org");
    expect(Object.isFrozen(params)).toBe(true);
  });

  it.each([
    ["/org/a%20b", "a b"],
    ["/org/%C3%A9", "é"],
    ["/org/é", "é"],
    ["/org/a%2520b", "a%20b"],
    ["/org/a+b", "a+b"],
    ["/org/:id", ":id"],
    ["/org/%3Aid", ":id"],
    ["/org/undefined", "undefined"],
    ["/org/__proto__", "__proto__"],
    ["/org/acme?id=other", "acme"],
  ])("the parameter of %s is percent-decoded once: %j", async (path, id) => {
    expect(await visit(gets("/org/:id"), path)).toMatchObject({ status: 200, params: { id } });
  });

  it.each([
    "/org/acme/",
    "/org//acme",
    "//org/acme",
    "/org/",
    "/org/a%2Fb",
    "/org/a%5cb",
    "/org/%2f",
  ])("%s does not match a route, and gets status 404 for every method", async (path) => {
    const { browser, log } = createTestAuth({ use: [gets("/org/:id", "/org")] });
    expect((await browser.get(`/auth${path}`)).status).toBe(404);
    expect((await browser.send(`/auth${path}`)).status).toBe(404);
    expect(log.errors).toEqual([]);
  });

  it.each(["/org/%", "/org/%E0%A4%A", "/org/%FF", "/org/a%zz"])(
    "the malformed encoding of %s gets status 400, and is not an error of the application",
    async (path) => {
      const { browser, log } = createTestAuth({ use: [gets("/org/:id")] });
      const response = await browser.get(`/auth${path}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: "BadRequest" });
      expect(log.errors).toEqual([]);
    },
  );

  it.each(["/org", "/org/", "/org//", "/org/a/b", "/Org/a", "/x/a"])(
    "%s does not match /org/:id: a parameter is exactly one segment, and never empty",
    async (path) => {
      expect(await visit(gets("/org/:id"), path)).toMatchObject({ status: 404 });
    },
  );

  it.each([
    ["/org/new", "/org/new"],
    ["/org/7", "/org/:id"],
    ["/org/new/members", "/org/new/:tab"],
    ["/org/7/members", "/org/:id/members"],
    ["/org/7/other", "/org/:id/:tab"],
    ["/org/new/settings/x", "/org/:id/settings/:page"],
  ])(
    "of several routes that match %s, static segments win from the left: %s",
    async (path, route) => {
      const plugin = gets(
        "/org/:id/:tab",
        "/org/:id",
        "/org/:id/members",
        "/org/new/:tab",
        "/org/new",
        "/org/:id/settings/:page",
        "/org/new/other/:page",
      );
      expect((await visit(plugin, path)).route).toBe(`GET ${route}`);
    },
  );

  it("`:provider` names a configured provider, anywhere in the path", async () => {
    const plugin = gets("/link/:provider/:step");
    expect(await visit(plugin, "/link/credentials/1")).toMatchObject({
      provider: "credentials",
      params: { step: "1" },
    });
    expect(await visit(plugin, "/link/nobody/1")).toMatchObject({ status: 404 });
    // An id is not decoded, as before.
    expect(await visit(plugin, "/link/credential%73/1")).toMatchObject({ status: 404 });
  });

  it("a provider named `undefined` matches the path without it", async () => {
    expect((await visit(gets("/link", "/link/:provider"), "/link/undefined")).route).toBe(
      "GET /link",
    );
  });

  it("a form whose path has parameters is shown again at the same path when its token is wrong", async () => {
    const path = "/org/:id/terms";
    const { browser, log } = createTestAuth({
      use: [adding({ method: "GET", path }, { method: "POST", path, json: undefined } as never)],
    });
    const response = await browser.post("/auth/org/a%20b/terms");
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/org/a%20b/terms?error=MissingCSRF`,
    );
    log.expectErrors("MissingCSRF");
  });
});

describe("registration of routes", () => {
  it.each([
    ["", 'must have a path that begins with "/"'],
    ["/", 'must have a path that begins with "/"'],
    ["own", 'must have a path that begins with "/"'],
    ["/a//b", 'has the segment ""'],
    ["/a/", 'has the segment ""'],
    ["/é", 'has the segment "é"'],
    ["/a?b", 'has the segment "a?b"'],
    ["/a/:", 'has the segment ":"'],
    ["/a/:1", 'has the segment ":1"'],
    ["/a/:id?", 'has the segment ":id?"'],
    ["/a/:id-:x", 'has the segment ":id-:x"'],
    ["/a/id:", 'has the segment "id:"'],
    ["/a/*", 'has the segment "*"'],
    ["/a/:id/:id", 'has two parameters ":id". Rename one.'],
  ])("the path %j is a fault that names the fix", (path, fault) => {
    const [message] = listFaults({ method: "GET", path });
    expect(message).toContain(`The route GET ${path} of "adding" `);
    expect(message).toContain(fault);
  });

  it.each(["HEAD", "OPTIONS", "TRACE", "get", "ANY", undefined])(
    "the method %j is a fault that names the methods",
    (method) => {
      expect(listFaults({ method, path: "/own" })).toEqual([
        `The route ${method ? `${method} ` : ""}/own of "adding" has the method "${method}". Use one of GET, POST, PUT, PATCH, DELETE; GET ` +
          "handles HEAD too.",
      ]);
    },
  );

  it("a route without cookies that needs a CSRF token is a fault, because it refuses every request", () => {
    expect(listFaults({ method: "POST", path: "/own", cookies: false })).toEqual([
      'The route POST /own of "adding" needs a CSRF token, but sees no cookies (`cookies: false`) to verify it with. Set ' +
        "`csrf: false` too.",
    ]);
    expect(listFaults({ method: "GET", path: "/own", cookies: false })).toEqual([]);
    expect(listFaults({ method: "POST", path: "/own", cookies: false, csrf: false })).toEqual([]);
  });

  it("a route without a handler is a fault", () => {
    expect(listFaults({ method: "GET", path: "/own", handler: undefined })).toEqual([
      'The route GET /own of "adding" has no `handler`. Give it a function that returns a Response.',
    ]);
  });

  it.each([
    ["/org/:id", "/org/:name"],
    ["/signin/:provider", "/signin/:id"],
    ["/a/:x/b/:y", "/a/:y/b/:x"],
  ])("%s and %s are the same route", (one, other) => {
    const faults = listFaults({ method: "PUT", path: one }, { method: "PUT", path: other });
    expect(faults).toEqual([
      `"adding" registers the route PUT ${one} twice. Drop one, or set \`replaces: true\`.`,
    ]);
    expect(listFaults({ method: "PUT", path: one }, { method: "PATCH", path: other })).toEqual([]);
  });

  it("`replaces` replaces a route with other parameter names", async () => {
    const plugin = adding(
      { method: "GET", path: "/org/:id" },
      { method: "GET", path: "/org/:name", replaces: true },
    );
    expect(await visit(plugin, "/org/7")).toMatchObject({ params: { name: "7" } });
    const { auth } = createTestAuth({ use: [plugin] });
    const paths = auth.inspect().routes.map(({ path }) => path);
    expect(paths).toContain("/org/:name");
    expect(paths).not.toContain("/org/:id");
  });
});

describe("routes that are registered again", () => {
  const wrapping: Plugin = {
    name: "wrapping",
    setup: ({ hooks }) =>
      hooks.ready.tap("wrapping", (kernel) => {
        const route = kernel.route("POST", "/org/:id");
        if (!route) return;
        const handler = async (ctx: AuthContext) => {
          const response = await route.handler(ctx);
          response.headers.set("x-wrapped", ctx.params.id ?? "");
          return response;
        };
        kernel.addRoute({ ...route, replaces: true, handler });
      }),
  };

  it("a tap of `ready` wraps the handler of a route, which keeps its plugin and properties", async () => {
    const plugin = adding({ method: "POST", path: "/org/:id", auth: true });
    const { auth, browser } = createTestAuth({ use: [wrapping, plugin] });
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.send("/auth/org/acme");
    expect([response.status, response.headers.get("x-wrapped")]).toEqual([200, "acme"]);
    const own = auth.inspect().routes.filter(({ path }) => path === "/org/:id");
    expect(own).toEqual([
      { method: "POST", path: "/org/:id", auth: true, csrf: "yes", plugin: "adding" },
    ]);
  });

  it("a wrapping handler that returns no Response is an error that names the route's plugin", async () => {
    const handler = () => undefined as unknown as Response;
    const plugin = adding({ method: "POST", path: "/org/:id", handler });
    const around: Plugin = {
      name: "around",
      setup: ({ hooks }) =>
        hooks.ready.tap("around", (kernel) => {
          const route = kernel.route("POST", "/org/:id");
          if (route)
            kernel.addRoute({ ...route, replaces: true, handler: (ctx) => route.handler(ctx) });
        }),
    };
    const { browser, log } = createTestAuth({ use: [around, plugin] });
    await browser.send("/auth/org/acme");
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain('POST /org/:id (plugin "adding") returned no Response');
  });
});

describe("methods of routes", () => {
  const all = adding(...METHODS.map((method) => ({ method, path: "/thing" })));

  it.each(METHODS)("a %s route handles its method", async (method) => {
    const { browser } = createTestAuth({ use: [all] });
    const csrfToken = await browser.csrfToken();
    const response = await browser.send("/auth/thing", {
      method,
      headers: { "x-csrf-token": csrfToken },
    });
    expect(await response.json()).toMatchObject({ route: `${method} /thing` });
  });

  it("`Allow` lists the methods that exist", async () => {
    const plugin = adding(
      { method: "DELETE", path: "/org/:id" },
      { method: "PUT", path: "/org/:id" },
      { method: "GET", path: "/org/new" },
    );
    const allow = async (path: string, method: string) => {
      const { browser } = createTestAuth({ use: [plugin] });
      const response = await browser.send(path, { method });
      return [response.status, response.headers.get("allow")];
    };
    expect(await allow("/auth/org/7", "POST")).toEqual([405, "PUT, DELETE"]);
    expect(await allow("/auth/org/new", "POST")).toEqual([405, "GET, HEAD, PUT, DELETE"]);
    expect(await allow("/auth/org/7", "OPTIONS")).toEqual([405, "PUT, DELETE"]);
  });

  it("`auth.handlers` has every method", async () => {
    const { auth } = createTestAuth({
      use: [adding({ method: "DELETE", path: "/x", csrf: false })],
    });
    expect(Object.keys(auth.handlers)).toEqual([...METHODS]);
    const request = new Request(`${ORIGIN}/auth/x`, { method: "DELETE" });
    expect((await auth.handlers.DELETE(request)).status).toBe(200);
  });

  it.each(METHODS.slice(1))("the body of a %s is read", async (method) => {
    const { browser } = createTestAuth({ use: [all] });
    const csrfToken = await browser.csrfToken();
    for (const init of [
      { body: new URLSearchParams({ csrfToken, a: "1" }) },
      {
        body: JSON.stringify({ csrfToken, a: "1" }),
        headers: { "content-type": "application/json" },
      },
    ]) {
      const response = await browser.send("/auth/thing", { method, csrf: false, ...init });
      expect(await response.json()).toMatchObject({ body: { csrfToken, a: "1" } });
    }
  });
});

describe("CSRF protection of all methods", () => {
  const UNSAFE = METHODS.slice(1);
  const thing = (route: Partial<Route> = {}) =>
    adding(...UNSAFE.map((method) => ({ method, path: "/thing", ...route })));

  async function signedIn(plugin: Plugin = thing()) {
    const app = createTestAuth({ use: [plugin] });
    await app.browser.signInWith("credentials", LOVELACE);
    const csrfToken = await app.browser.csrfToken();
    app.log.ignoreErrors();
    const ask = async (method: string, init: RequestInit = {}) =>
      (await app.browser.send("/auth/thing", { method, csrf: false, ...init })).status;
    return { ...app, csrfToken, ask };
  }

  it.each(UNSAFE)("a %s needs the CSRF token, in the body or the header", async (method) => {
    const { ask, csrfToken } = await signedIn();
    expect(await ask(method)).toBe(403);
    expect(await ask(method, { headers: { "x-csrf-token": "0".repeat(64) } })).toBe(403);
    expect(await ask(method, { body: new URLSearchParams({ csrfToken: "x" }) })).toBe(403);
    expect(await ask(method, { headers: { "x-csrf-token": csrfToken } })).toBe(200);
    expect(await ask(method, { body: new URLSearchParams({ csrfToken }) })).toBe(200);
  });

  it.each(UNSAFE)(
    "a %s from another origin is refused, also with the CSRF token",
    async (method) => {
      const { ask, csrfToken } = await signedIn();
      for (const headers of [
        { origin: "https://evil.example" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", origin: "null" },
      ]) {
        expect(await ask(method, { headers: { ...headers, "x-csrf-token": csrfToken } })).toBe(403);
      }
    },
  );

  it("a header with the token of another browser is refused", async () => {
    const { ask, openBrowser } = await signedIn();
    const foreign = await openBrowser().csrfToken();
    expect(await ask("DELETE", { headers: { "x-csrf-token": foreign } })).toBe(403);
  });

  it("with the token in the header, the body is left to the route", async () => {
    const { ask, csrfToken } = await signedIn(
      thing({ handler: async (ctx) => new Response(await ctx.request.text(), { status: 201 }) }),
    );
    const headers = { "x-csrf-token": csrfToken, "content-type": "application/octet-stream" };
    expect(await ask("PUT", { headers, body: "bytes" })).toBe(201);
  });

  it.each(UNSAFE)("`csrf: false` exempts a %s route from the token", async (method) => {
    const { ask } = await signedIn(thing({ csrf: false }));
    expect(await ask(method, { headers: { origin: "https://api.example" } })).toBe(200);
  });

  it("a GET needs no token, and its route cannot be reached by a HEAD of another method", async () => {
    const { browser } = createTestAuth({ use: [adding({ method: "GET", path: "/thing" })] });
    expect((await browser.get("/auth/thing")).status).toBe(200);
    expect((await browser.send("/auth/thing", { method: "HEAD" })).status).toBe(200);
    const { browser: other } = await signedIn();
    expect((await other.send("/auth/thing", { method: "HEAD" })).status).toBe(405);
  });

  it("inspect() lists how each route is protected", () => {
    const plugin = adding(
      { method: "GET", path: "/a" },
      { method: "PUT", path: "/a" },
      { method: "DELETE", path: "/a", csrf: false },
    );
    const { routes } = createTestAuth({ use: [plugin] }).auth.inspect();
    const own = routes
      .filter(({ path }) => path === "/a")
      .map(({ method, csrf }) => [method, csrf]);
    expect(own).toEqual([
      ["GET", "-"],
      ["PUT", "yes"],
      ["DELETE", "no"],
    ]);
  });
});

describe("redirects of routes", () => {
  it.each([
    ["GET", 302],
    ["POST", 302],
    ["PUT", 303],
    ["PATCH", 303],
    ["DELETE", 303],
  ] as const)(
    "ctx.redirect() after a %s has the status %i, so that a GET follows",
    async (method, status) => {
      const handler = (ctx: AuthContext) => ctx.redirect("/there");
      const { browser } = createTestAuth({
        use: [adding({ method, path: "/go", csrf: false, handler })],
      });
      const response = await browser.send("/auth/go", { method });
      expect([response.status, response.headers.get("location")]).toEqual([
        status,
        `${ORIGIN}/there`,
      ]);
    },
  );
});

describe("return values of handlers", () => {
  const read = async (response: Response) => {
    await response.text();
    return response;
  };

  it.each<[string, (ctx: AuthContext) => Promise<Response>]>([
    ["of its own", () => read(new Response("text"))],
    ["of `ctx.json`", (ctx) => read(ctx.json({ a: 1 }))],
    [
      "with headers of its own",
      () => read(new Response("text", { headers: { "cache-control": "no-store" } })),
    ],
  ])(
    "a handler that returns a Response %s whose body was read is an error that says so",
    async (_, handler) => {
      const { browser, log } = createTestAuth({
        use: [adding({ method: "GET", path: "/odd", handler })],
      });
      expect((await browser.get("/auth/odd")).status).toBe(500);
      const [error] = log.expectErrors("PluginError");
      expect(error?.message).toBe(
        "The Response to GET /odd was read. Return a new one, or read its `clone()`.",
      );
    },
  );

  it("a tap of `response` that reads the Response is an error that says so", async () => {
    const reading: Plugin = {
      name: "reading",
      setup: ({ hooks }) =>
        hooks.response.tap("reading", async (response) => {
          await response.text();
        }),
    };
    const { browser, log } = createTestAuth({ use: [reading] });
    expect((await browser.get("/auth/session")).status).toBe(500);
    expect(log.expectErrors("PluginError")[0]?.message).toContain("GET /session was read");
  });

  it.each([[{ a: 1 }], ["text"], [null], [undefined], [() => new Response()]])(
    "a handler that returns %j is an error that names the plugin, and the value is not sent",
    async (value) => {
      const handler = () => value as unknown as Response;
      const { browser, log } = createTestAuth({
        use: [adding({ method: "POST", path: "/odd/:id", csrf: false, handler })],
      });
      const response = await browser.send("/auth/odd/1", { csrf: false });
      expect(response.status).toBe(500);
      const [error] = log.expectErrors("PluginError");
      expect(error?.message).toBe(
        'The route POST /odd/:id (plugin "adding") returned no Response. Return one, such as ' +
          "`ctx.json(value)`.",
      );
      expect(await response.json()).toEqual({
        message: "The request failed; the server's log contains the details.",
        id: expect.any(String),
      });
    },
  );
});
