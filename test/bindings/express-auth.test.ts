import { request } from "node:http";
import express from "express";
import express4 from "express-4";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { getMountPath } from "../../plugins/bindings/express.ts";
import { createAuth, ExpressAuth, getSession } from "../../presets/express.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { LOVELACE, setCookieNames } from "../_app.ts";
import { runs } from "../attack/_attack.ts";
import { dial, listen, nodeApp, type Served } from "./_serve.ts";
import { buildConfig, testBinding } from "./_suite.ts";

const SESSION = "authjs.session-token";
const JSON_ONLY = { headers: { accept: "application/json" } };
const versions = { "Express 4": express4 as unknown as typeof express, "Express 5": express };

/** A configuration without a base path, which counts its boots and its session reads. */
function createConfig(over: AuthConfig = {}) {
  const counts = { boots: 0, reads: 0 };
  const { basePath: _, ...standard } = buildConfig({
    session: { updateAge: 0 },
    events: { session: () => void counts.reads++ },
    plugins: [{ name: "test/boots", setup: () => void counts.boots++ }],
    ...over,
  });
  const { basePath } = over;
  return { config: { ...standard, ...(basePath !== undefined && { basePath }) }, counts };
}

let site: Served | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

async function start(app: ReturnType<typeof express>): Promise<Served> {
  site = await listen(app);
  return site;
}

const openBrowser = ({ origin }: Served, basePath = "/auth") =>
  createBrowser((request) => fetch(request, { redirect: "manual" }), { origin, basePath });

async function signIn(served: Served, basePath?: string) {
  const browser = openBrowser(served, basePath);
  await browser.signInWith("credentials", LOVELACE);
  return browser;
}

const mounts: [version: keyof typeof versions, path: string | RegExp][] = [
  ["Express 4", "/auth"],
  ["Express 4", "/auth/*"],
  ["Express 4", "/auth*"],
  ["Express 4", "/auth/:rest*"],
  ["Express 4", "/auth/:rest(*)"],
  ["Express 4", /^\/auth/],
  ["Express 5", "/auth"],
  ["Express 5", "/auth/*any"],
  ["Express 5", "/auth/{*any}"],
  ["Express 5", "/auth{/*any}"],
  ["Express 5", /^\/auth/],
];

testBinding("ExpressAuth() in Express 5 at /auth/{*any}", ({ basePath: _, ...config }) =>
  listen(express().use("/auth/{*any}", ExpressAuth(config)).use(nodeApp)),
);

testBinding(
  "ExpressAuth() in Express 4 at /auth/*, after body parsers",
  ({ basePath: _, ...config }) =>
    listen(
      versions["Express 4"]()
        .use(express.json(), express.urlencoded({ extended: true }))
        .use("/auth/*", ExpressAuth(config))
        .use(nodeApp),
    ),
  { parser: true },
);

describe("ExpressAuth()", () => {
  it.each(mounts)("has its base path from a mount of %s at %s", async (version, path) => {
    const { config, counts } = createConfig();
    const app = versions[version]()
      .use(path, ExpressAuth(config))
      .get("/", async (req, res) => void res.json(await getSession(req, config)));
    const browser = await signIn(await start(app));
    expect(await (await browser.get("/")).json()).toMatchObject({ user: { name: "Ada" } });
    const providers = await (await browser.get("/auth/providers")).json();
    expect(providers.credentials.callbackUrl).toBe(`${site?.origin}/auth/callback/credentials`);
    expect(counts.boots).toBe(1);
  });

  it.each([
    ["Express 4", "/auth/*"],
    ["Express 5", "/auth/{*any}"],
    ["Express 4", "/auth/:rest*"],
  ] as const)("has its base path from a route of %s at %s", async (version, path) => {
    const { config } = createConfig();
    await signInAt(versions[version]().all(path, ExpressAuth(config)), "/auth");
  });

  async function signInAt(app: ReturnType<typeof express>, basePath: string) {
    const browser = await signIn(await start(app), basePath);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const providers = await (await browser.get(`${basePath}/providers`)).json();
    expect(providers.credentials.signinUrl).toBe(`${site?.origin}${basePath}/signin/credentials`);
    return browser;
  }

  it.each(Object.entries(versions))(
    "has its base path from nested routers of %s",
    async (name, make) => {
      const { config } = createConfig();
      const inner = make
        .Router()
        .use(name === "Express 4" ? "/auth/*" : "/auth/{*any}", ExpressAuth(config));
      const app = make().use("/api", make.Router().use("/v1", inner));
      await signInAt(app, "/api/v1/auth");
    },
  );

  it("serves /auth when mounted at the root, and passes other paths on", async () => {
    const { config } = createConfig();
    const app = express().use(ExpressAuth(config)).use(nodeApp);
    const browser = await signInAt(app, "/auth");
    expect(await (await browser.get("/elsewhere")).text()).toBe("app GET ");
  });

  it("`basePath` and the path of AUTH_URL take precedence over the mount", async () => {
    const { config } = createConfig({ basePath: "/auth" });
    const app = express()
      .use("/auth/{*any}", ExpressAuth(config))
      .use("/other/{*any}", ExpressAuth(config))
      .use(nodeApp);
    const browser = await signInAt(app, "/auth");
    expect(await (await browser.get("/other/session")).text()).toBe("app GET ");
    await site?.close();

    const { config: stated } = createConfig({
      env: { ...buildConfig().env, AUTH_URL: "https://example.com/auth" },
    });
    await start(express().use(ExpressAuth(stated)).use("/api", ExpressAuth(stated)));
    const { credentials } = await (await fetch(`${site?.origin}/auth/providers`)).json();
    expect(credentials.callbackUrl).toBe("https://example.com/auth/callback/credentials");
  });

  it.each([
    "/AUTH/session",
    "/Auth/session",
    "/auth/x%2fauth/session",
    "/auth/%2e%2e/session",
    "/auth//session",
    "/auth/session/",
    "/auth/session//",
    "/auth/x/auth/session",
    "/auth/%ff/session",
    "/auth/",
  ])("the client's spelling %s does not become the base path", async (path) => {
    for (const how of ["use", "all"] as const) {
      for (const [version, mount] of mounts) {
        // A route without a wildcard matches only its exact path.
        if (how === "all" && !String(mount).includes("*")) continue;
        const { config, counts } = createConfig();
        const router = versions[version].Router()[how](mount, ExpressAuth(config));
        const app = versions[version]().use("/api", router).use(nodeApp);
        await start(app);
        const first = await fetch(`${site?.origin}/api${path}`);
        expect([200, 400, 404]).toContain(first.status);
        expect([how, mount, await first.text()]).not.toEqual([how, mount, "null"]);
        const response = await fetch(`${site?.origin}/api/auth/session`);
        expect([how, mount, await response.text()]).toEqual([how, mount, "null"]);
        expect([how, mount, counts.boots]).toEqual([how, mount, 1]);
        await site?.close();
      }
    }
  });

  it("boots for a limited number of base paths, and reports a mount with a parameter", async () => {
    const { config, counts } = createConfig();
    const errors: { type: string; message: string }[] = [];
    const app = express().use("/:tenant/auth", ExpressAuth(config));
    app.use(((error, _req, res, _next) => {
      errors.push(error);
      res.status(500).end();
    }) as express.ErrorRequestHandler);
    await start(app);
    for (let at = 0; at < 20; at++) await fetch(`${site?.origin}/t${at}/auth/session`);
    expect(counts.boots).toBe(8);
    expect(errors).toHaveLength(12);
    expect(errors[0]).toMatchObject({ type: "InvalidConfig" });
    expect(errors[0]?.message).toContain("mount it at a fixed path, or set `basePath`");
  });

  const named = mounts.filter(([, path]) => typeof path === "string" && path !== "/auth*");
  const part = fc.constantFrom(
    ...["a", "auth", "AUTH", "/", "//", ".", "..", "%2f", "%2F", "%2e", "%5c", "%20", "%25"],
    ...["%c3%a9", ";", ":x", "*", "@", "?", "?/auth/b", "http://h/", "\\"],
  );
  it.each(named)("the client does not choose the base path of %s at %s", async (version, path) => {
    const seen: string[] = [];
    const app = versions[version]().use(path, (req, res) => {
      seen.push(getMountPath(req as never));
      res.end();
    });
    const { port } = await start(app);
    const visit = (target: string) =>
      new Promise((resolve, reject) => {
        request({ port, path: target }, (response) => response.resume().once("end", resolve))
          .once("error", reject)
          .end();
      });
    const targets = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("/auth/", "/AUTH/"), targets, async (start, target) => {
        await visit(start + target);
        expect(new Set(seen), start + target).toEqual(new Set(seen.length ? ["/auth"] : []));
      }),
      {
        ...runs(300),
        examples: [
          ["/auth/", "%2fx"],
          ["/auth/", "a/%2fx/"],
          ["/auth/", "/%2f"],
          ["/auth/", "%2f/x"],
          ["/auth/", "a/b/a/b"],
          ["/auth/", "a//b/a//b/"],
          ["/auth/", "/auth/"],
        ],
      },
    );
  });

  it("throws without a configuration", async () => {
    expect(() => ExpressAuth(undefined as never)).toThrow("needs the configuration");
    await expect(getSession({} as never, undefined as never)).rejects.toThrow(
      "getSession() of keyhook/express needs the configuration",
    );
  });

  it("explains the fix if ExpressAuth itself is mounted instead of its result", async () => {
    const app = express().use(ExpressAuth as never);
    app.use(((error: Error, _req, res, _next) => {
      res.status(500).send(error.message);
    }) as express.ErrorRequestHandler);
    const response = await fetch((await start(app)).origin);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("Mount what ExpressAuth() returns");
  });

  it("responds with 400 to a malformed Host, through the application's error handler", async () => {
    const { config } = createConfig();
    const errors: { type: string }[] = [];
    const app = express().use(ExpressAuth(config));
    app.use(((error, _req, res, _next) => {
      errors.push(error);
      res.status(error.status).end();
    }) as express.ErrorRequestHandler);
    const { port } = await start(app);
    const wire = await dial(port);
    wire.write("GET /auth/session HTTP/1.1\r\nHost: a b\r\n\r\n");
    expect((await wire.answer())?.status).toBe(400);
    wire.close();
    expect(errors).toMatchObject([{ type: "BadRequest" }]);
  });
});

describe("getSession(req, config)", () => {
  it("reads once per request, boots once, and renews the cookie of the response", async () => {
    const { config, counts } = createConfig();
    const app = express().use("/auth/{*any}", ExpressAuth(config));
    app.get("/twice", async (req, res) => {
      const sessions = await Promise.all([getSession(req, config), getSession(req, config)]);
      res.json(sessions);
    });
    const browser = await signIn(await start(app));
    counts.reads = 0;
    const response = await browser.get("/twice");
    const [one, other] = (await response.json()) as { user: object }[];
    expect(one).toMatchObject({ user: { name: "Ada" } });
    expect(other).toEqual(one);
    expect(setCookieNames(response)).toEqual([SESSION]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(counts).toEqual({ boots: 1, reads: 1 });
  });

  it("works before the first request of ExpressAuth(), and follows its mount", async () => {
    const { config, counts } = createConfig();
    const app = express().get(
      "/",
      async (req, res) => void res.json(await getSession(req, config)),
    );
    app.use("/api/auth/{*any}", ExpressAuth(config));
    await start(app);
    expect(await (await fetch(`${site?.origin}/`)).json()).toBeNull();
    const browser = await signIn(site as Served, "/api/auth");
    for (let at = 0; at < 3; at++) {
      expect(await (await browser.get("/")).json()).toMatchObject({ user: { name: "Ada" } });
    }
    expect(counts.boots).toBe(2);
  });

  it("an error after a read keeps its status, and the renewed cookie", async () => {
    const { config } = createConfig();
    const app = express().use("/auth/{*any}", ExpressAuth(config));
    app.get("/fails", async (req) => {
      await getSession(req, config);
      throw Object.assign(new Error("teapot"), { status: 418 });
    });
    app.set("env", "test");
    const browser = await signIn(await start(app));
    const response = await browser.get("/fails");
    expect(response.status).toBe(418);
    expect(response.headers.get("cache-control")).not.toContain("public");
  });
});

describe.each(Object.entries(versions))("createAuth() of keyhook/express in %s", (name, make) => {
  const createSite = async (over: AuthConfig = {}) => {
    const { config, counts } = createConfig(over);
    const auth = createAuth(config);
    const app = make().use(auth.handler);
    // Express 4 does not handle rejections.
    const route =
      (handler: (req: express.Request, res: express.Response) => Promise<unknown>) =>
      (req: express.Request, res: express.Response, next: express.NextFunction) =>
        void handler(req, res).catch(next);
    app.get(
      "/me",
      route(async (req, res) => res.json(await auth.requireSession(req))),
    );
    app.get(
      "/fresh",
      route(async (req, res) => res.json(await auth.requireFreshSession(req))),
    );
    app.get(
      "/token",
      route(async (req, res) => res.json(await auth.csrfToken(req))),
    );
    app.post(
      "/profile",
      route(async (req, res) => {
        await auth.verifyCsrfToken(req, req.query.csrfToken);
        res.json("saved");
      }),
    );
    app.get(
      "/in",
      route(async (req, res) =>
        res.redirect(
          await auth.signIn(req, "credentials", { ...LOVELACE, redirectTo: "/welcome" }),
        ),
      ),
    );
    app.get(
      "/in-quietly",
      route(async (req, res) => {
        const url = await auth.signIn(req, "credentials", { ...LOVELACE });
        res.json({ url, session: await auth.getSession(req) });
      }),
    );
    app.get(
      "/out",
      route(async (req, res) => res.redirect(await auth.signOut(req, { redirectTo: "/bye" }))),
    );
    app.get(
      "/rename",
      route(async (req, res) => res.json(await auth.update(req, { name: "Countess" }))),
    );
    app.use("/locked", auth.guard, (req, res) => void res.end(`locked ${req.method}`));
    app.use(
      ((error, _req, res, _next) =>
        void res
          .status(error.status ?? 500)
          .json({ error: error.type })) as express.ErrorRequestHandler,
    );
    return { served: await start(app), counts };
  };

  it(`${name}: requireSession returns the session, or fails with 401`, async () => {
    const { served } = await createSite();
    const refused = await fetch(`${served.origin}/me`);
    expect([refused.status, await refused.json()]).toEqual([401, { error: "SessionRequired" }]);
    const ada = await signIn(served);
    const response = await ada.get("/me");
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
    expect(setCookieNames(response)).toEqual([SESSION]);
  });

  it(`${name}: requireFreshSession returns the session, or fails with 401`, async () => {
    const { served } = await createSite({ session: { updateAge: 0, absoluteMaxAge: 86_400 } });
    const refused = await fetch(`${served.origin}/fresh`);
    expect([refused.status, await refused.json()]).toEqual([401, { error: "SessionRequired" }]);
    const ada = await signIn(served);
    expect(await (await ada.get("/fresh")).json()).toMatchObject({ user: { name: "Ada" } });
  });

  it(`${name}: signIn sets cookies and resolves to the URL, and the same request has the session then`, async () => {
    const { served } = await createSite();
    const response = await openBrowser(served).get("/in");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`${served.origin}/welcome`);
    expect(setCookieNames(response)).toContain(SESSION);
    const quiet = await openBrowser(served).get("/in-quietly");
    expect(await quiet.json()).toMatchObject({
      url: `${served.origin}/`,
      session: { user: { name: "Ada" } },
    });
  });

  it(`${name}: update and signOut set the cookies of the response`, async () => {
    const { served } = await createSite();
    const ada = await signIn(served);
    const renamed = await ada.get("/rename");
    expect(await renamed.json()).toMatchObject({ user: { name: "Countess" } });
    expect(setCookieNames(renamed)).toEqual([SESSION]);
    const bye = await ada.get("/out");
    expect([bye.status, bye.headers.get("location")]).toEqual([302, `${served.origin}/bye`]);
    expect(await ada.session()).toBeNull();
  });

  it(`${name}: a form of the application is only accepted with the token of csrfToken(req)`, async () => {
    const { served } = await createSite();
    const ada = await signIn(served);
    const token = (await (await ada.get("/token")).json()) as string;
    const saved = await ada.post(`/profile?csrfToken=${token}`, {});
    expect([saved.status, await saved.json()]).toEqual([200, "saved"]);
    for (const [query, headers] of [
      ["", {}],
      [`?csrfToken=${token}`, { origin: "https://evil.example" }],
    ] as const) {
      const refused = await ada.post(`/profile${query}`, {}, { headers });
      expect([refused.status, await refused.json()]).toEqual([403, { error: "MissingCSRF" }]);
    }
  });

  it(`${name}: the guard redirects browsers to the sign-in page and back, and refuses other requests`, async () => {
    const { served } = await createSite();
    const page = { headers: { accept: "text/html" } };
    const led = await openBrowser(served).get("/locked/a?x=1", page);
    expect(led.status).toBe(302);
    expect(led.headers.get("cache-control")).toContain("no-store");
    const target = new URL(led.headers.get("location") ?? "");
    expect(target.pathname).toBe("/auth/signin");
    expect(target.searchParams.get("callbackUrl")).toBe(`${served.origin}/locked/a?x=1`);
    const refused = await openBrowser(served).get("/locked", JSON_ONLY);
    const body = { error: "SessionRequired", message: "Sign in first." };
    expect([refused.status, await refused.json()]).toEqual([401, body]);
    expect((await openBrowser(served).post("/locked", {}, JSON_ONLY)).status).toBe(401);
    const ada = await signIn(served);
    expect(await (await ada.get("/locked", page)).text()).toBe("locked GET");
  });

  it.each([
    "/locked/%2e%2e/login",
    "/locked/x/../../login",
    "/locked/.%2E/./login?x",
    "/locked/x\\..\\..\\login",
  ])(
    `${name}: the guard does not accept another spelling of the sign-in page: %s`,
    async (path) => {
      const { served } = await createSite({ pages: { signIn: "/login" } });
      const wire = await dial(served.port);
      const headers = "Host: a.example\r\nAccept: text/html\r\nConnection: close";
      wire.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
      const answer = await wire.answer();
      expect(answer?.body).not.toContain("locked");
      wire.close();
    },
  );

  it(
    `${name}: ` +
      "`trust proxy` of the application affects neither the origin nor the client's address",
    async () => {
      const seen: (string | undefined)[] = [];
      const { config } = createConfig({
        env: { ...buildConfig().env, AUTH_URL: "https://example.com" },
      });
      const auth = createAuth(config).use({
        name: "look",
        setup: ({ hooks }) =>
          hooks.request.tap("look", (ctx) => {
            seen.push(ctx.ip);
            return undefined;
          }),
      });
      const app = make().use(auth.handler);
      app.set("trust proxy", true);
      const { origin } = await start(app);
      const headers = {
        "x-forwarded-for": "203.0.113.1",
        "x-forwarded-proto": "gopher",
        "x-forwarded-host": "evil.example",
      };
      const response = await fetch(`${origin}/auth/providers`, { headers });
      expect(await response.text()).not.toMatch(/evil|gopher/);
      expect(seen).toEqual(["127.0.0.1"]);
    },
  );
});
