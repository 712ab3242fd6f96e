import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { H3 } from "h3";
import {
  createApp,
  createRouter,
  defineEventHandler,
  defineWebSocketHandler,
  type EventHandler,
  toNodeListener,
} from "h3-v1";
import { toNodeHandler } from "h3/node";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  readClientAddresses,
  passClientAddresses,
} from "../../plugins/bindings/_development-client.ts";
import { readDevelopmentSecret } from "../../plugins/bindings/_development-secret.ts";
import { createEventReader, dropCredentials } from "../../plugins/bindings/_event.ts";
import {
  guardSockets,
  knowsVariablesAtStart,
  traceLibraries,
} from "../../plugins/bindings/_nitro-handler.ts";
import { createRuleMatcher } from "../../plugins/bindings/_route-rules.ts";
import { excludeRoutes, listAuthRules } from "../../plugins/bindings/_rule-lists.ts";
import { createVariables } from "../../plugins/bindings/_variables.ts";
import type { SocketApp } from "../../plugins/bindings/nitro.ts";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth as createStandardAuth } from "../../presets/index.ts";
import {
  createNitroHandler,
  type EventAuth,
  getAuthSession,
  keyhookNitro,
  type NitroAuthSource,
  type NitroHandlerOptions,
  createAuth as createNitroAuth,
  requireAuthSession,
} from "../../presets/nitro.ts";
import type { JWT, PageData } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { createLog, LOVELACE, ORIGIN } from "../_app.ts";
import { getCpuTime } from "../_cpu-time.ts";
import { dial, listen, served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-nitro-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("createRuleMatcher()", () => {
  const isRequired = createRuleMatcher({
    "/admin/**": true,
    "/admin/login": false,
    "/users/*/edit": true,
    "/team/:id": true,
    "/exact": true,
  });

  it.each([
    "/admin",
    "/admin/",
    "/admin/a/b",
    "/ADMIN/a",
    "//admin",
    "/%61dmin",
    "/admin%2Fa",
    "/admin\\a",
    "/./admin",
    "/admin/a/_payload.json",
    "/exact/_payload.js",
    "/users/7/edit",
    "/team/7",
    "/Exact/",
    "/admin/%",
    "/team/7%2Fx",
    "/team/7%5Cx",
    "/users/7%2f8/edit",
    "/exact/%5Fpayload%2Ejson",
    "/x/..%2Fadmin",
    "/%2561dmin",
    "/a/%252e%252e/admin",
  ])("a session is required for %s", (path) => {
    expect(isRequired(path)).toBe(true);
  });

  it.each(["/", "/administrator", "/admin/login", "/users/7", "/exact/more", "/team", "/team/7/x"])(
    "no session is required for %s",
    (path) => {
      expect(isRequired(path)).toBe(false);
    },
  );

  it.each([
    "/admin/LOGIN",
    "/ADMIN/login",
    "/admin/%6cogin",
    "/admin//login",
    "//admin/login",
    "/admin/./login",
    "/admin\\login",
    "/admin%2Flogin",
    "/docs/..%2fadmin",
    "/DOCS/x",
    "//docs/x",
  ])(
    "a rule that makes a path public does not apply to other spellings, which a router may read as another path: %s",
    (path) => {
      const rules = {
        "/**": true,
        "/admin/login": false,
        "/docs/**": false,
        "/docs/caf\u00e9": false,
      };
      expect(createRuleMatcher(rules)(path)).toBe(true);
      for (const own of [
        "/admin/login",
        "/admin/login/",
        "/docs",
        "/docs/a%20b/",
        "/docs/caf%C3%A9",
      ])
        expect(createRuleMatcher(rules)(own)).toBe(false);
    },
  );

  it("a rule that makes the start page public affects only the start page", () => {
    const isRule = createRuleMatcher({ "/**": true, "/": false }, "/app");
    expect([isRule("/"), isRule("/app"), isRule("/app/"), isRule("/app/x")]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it("a path with many malformed escapes requires a session, and is fast to compare", () => {
    const some = createRuleMatcher({ "/admin/**": true, "/**": false });
    const none = createRuleMatcher({ "/**": false });
    for (const escape of ["/%ff", "/%zz", "/%25ff", "/%25zz"]) {
      const path = escape.repeat(16_000 / escape.length);
      const start = getCpuTime();
      expect(some(path)).toBe(true);
      expect(getCpuTime() - start).toBeLessThan(50);
      expect(none(path)).toBe(false);
      expect(some(escape.repeat(3))).toBe(false);
    }
  });

  it("paths below the application's base are compared without the base", () => {
    const below = createRuleMatcher({ "/admin/**": true }, "/app/");
    expect([below("/app/admin/x"), below("/app/other"), below("/admin")]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("listAuthRules()", () => {
  it("the rules with auth are listed", () => {
    expect(
      listAuthRules({ "/a/**": { auth: true }, "/b": { swr: 60 }, "/a/c": { auth: false } }),
    ).toEqual({
      "/a/**": true,
      "/a/c": false,
    });
  });

  it.each([
    { "/a/**": { auth: true }, "/a/b": { swr: 60 } },
    { "/**": { isr: true }, "/a": { auth: true } },
    { "/a": { auth: true, prerender: true } },
    { "/a": { auth: true, cache: { maxAge: 60 } } },
    { "/a/**": { auth: true }, "/*/x": { swr: 60 } },
    { "/*/x": { auth: true }, "/a/:id": { swr: 60 } },
  ])("a cached response that requires a session is refused: %o", (rules) => {
    expect(() => listAuthRules(rules as Record<string, object>)).toThrow(/cached or prerendered/);
  });

  it.each([
    { "/a/**": { auth: true }, "/a/x": { auth: false }, "/*/x": { swr: 60 } },
    { "/a/**": { auth: true }, "/*/x": { swr: 60 }, "/a/x": { swr: false } },
    { "/a/*": { auth: true }, "/*/x/y": { swr: 60 } },
    { "/a/**": { auth: true }, "/b/**": { swr: 60 } },
  ])("rules without a path that is both cached and guarded are accepted: %o", (rules) => {
    expect(listAuthRules(rules as Record<string, object>)).toMatchObject({});
  });

  it("values other than true and false are refused", () => {
    expect(() => listAuthRules({ "/a": { auth: "yes" } })).toThrow(TypeError);
  });
});

describe("excludeRoutes()", () => {
  const exclude = (rules: Record<string, object>, basePath = "/auth", base = "/") => {
    excludeRoutes(rules, basePath, base);
    return rules;
  };
  const OWN = { isr: false, cache: false };

  it.each([{ isr: 60 }, { isr: true }, { cache: { swr: true } }, { swr: 60 }, { static: true }])(
    "the routes are not cached if %j applies to all paths",
    (rule) => {
      expect(exclude({ "/**": rule })).toEqual({ "/**": rule, "/auth/**": OWN });
    },
  );

  it("a rule of the application for the routes keeps its other options", () => {
    const headers = { "x-own": "1" };
    expect(exclude({ "/auth/**": { isr: 60, headers } })).toEqual({
      "/auth/**": { headers, ...OWN },
    });
  });

  it("a pattern is relative to the base of the application", () => {
    expect(exclude({ "/**": { isr: 60 } }, "/shop/auth", "/shop/")).toHaveProperty(
      ["/auth/**"],
      OWN,
    );
  });

  it.each([{}, { "/news/**": { isr: 60 } }, { "/**": { isr: 60 }, "/auth/**": { isr: false } }])(
    "nothing is added to %j",
    (rules) => {
      expect(exclude({ ...rules })).toEqual(rules);
    },
  );
});

describe("dropCredentials()", () => {
  const COOKIE = "a=b";
  const toWeb = (method: string) => {
    const headers = { cookie: COOKIE, authorization: "Bearer x", accept: "text/html" };
    const req = new Request(`${ORIGIN}/isr?x=1`, { method, headers });
    return { req, res: { headers: new Headers() }, context: {} };
  };
  const toNode = (method: string) => {
    const headers = { cookie: COOKIE, authorization: "Bearer x", accept: "text/html" };
    const rawHeaders = ["Cookie", COOKIE, "Authorization", "Bearer x", "Accept", "text/html"];
    return {
      node: { req: { method, url: "/isr?x=1", headers, rawHeaders }, res: {} },
      context: {},
    };
  };
  const readWeb = ({ req }: ReturnType<typeof toWeb>) => Object.fromEntries(req.headers);

  it("a GET of h3 2 loses only the headers that identify the sender", () => {
    const event = toWeb("GET");
    dropCredentials(event as never);
    expect(event.req.url).toBe(`${ORIGIN}/isr?x=1`);
    expect(readWeb(event)).toEqual({ accept: "text/html" });
  });

  it("a HEAD of h3 1 loses them too, in both lists of its headers", () => {
    const event = toNode("HEAD");
    dropCredentials(event as never);
    expect(event.node.req.headers).toEqual({ accept: "text/html" });
    expect(event.node.req.rawHeaders).toEqual(["Accept", "text/html"]);
  });

  it("a POST, which no platform caches, is unchanged", () => {
    const [web, node] = [toWeb("POST"), toNode("POST")];
    dropCredentials(web as never);
    dropCredentials(node as never);
    expect(readWeb(web)).toHaveProperty("cookie", COOKIE);
    expect(node.node.req.headers).toHaveProperty("cookie", COOKIE);
  });
});

describe("createVariables()", () => {
  const worker = (env: object) => ({ context: { cloudflare: { env } } }) as never;

  it("a name with the prefix takes precedence over the name without, and both over the runtime configuration", () => {
    const runtimeConfig = {
      secret: "built",
      url: "",
      trustHost: true,
      github: { id: "built-id", secret: "built-secret" },
      microsoftEntraId: { issuer: "https://issuer.example" },
    };
    const variables = createVariables({ envPrefix: "NUXT_", runtimeConfig });
    variables.see(
      worker({ AUTH_GITHUB_ID: "plain", AUTH_SECRET: "", NUXT_AUTH_GITHUB_ID: "nuxt", KV: {} }),
    );
    expect(variables.read()).toMatchObject({
      AUTH_SECRET: "built",
      AUTH_TRUST_HOST: "true",
      AUTH_GITHUB_ID: "nuxt",
      AUTH_GITHUB_SECRET: "built-secret",
      AUTH_MICROSOFT_ENTRA_ID_ISSUER: "https://issuer.example",
    });
    expect(variables.read()).not.toHaveProperty("AUTH_URL");
    expect(variables.read()).not.toHaveProperty("KV");
  });

  it("the variables of a worker are read with its first event, on Nitro 2 and 3", () => {
    const variables = createVariables({});
    expect(variables.read()).not.toHaveProperty("FROM_WORKER");
    variables.see(worker({ FROM_WORKER: "1" }));
    expect(variables.read()).toHaveProperty("FROM_WORKER", "1");
    const req = Object.assign(new Request(ORIGIN), {
      runtime: { cloudflare: { env: { FROM_WORKER: "3" } } },
    });
    const nitro3 = createVariables({});
    nitro3.see({ req, res: { headers: new Headers() }, context: {} } as never);
    expect(nitro3.read()).toHaveProperty("FROM_WORKER", "3");
  });

  it("with only values of the build, the environment is production", () => {
    vi.stubGlobal("process", { env: {} });
    const read = createVariables({ runtimeConfig: { secret: "built" } }).read();
    vi.unstubAllGlobals();
    expect(read).toEqual({ NODE_ENV: "production", AUTH_SECRET: "built" });
  });
});

describe("readDevelopmentSecret()", () => {
  it("the secret is stored, readable only by its owner, in a folder that git ignores", async () => {
    const first = readDevelopmentSecret(folder);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(readDevelopmentSecret(folder)).toBe(first);
    const data = join(folder, ".data/keyhook");
    expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n");
  });
});

describe("keyhookNitro()", () => {
  const setUp = async (dev: boolean, options = {}) => {
    const nitro = {
      options: {
        rootDir: folder,
        dev,
        baseURL: "/base/",
        routeRules: { "/in": { auth: true } },
        experimental: {},
        tasks: {},
        devHandlers: [],
        plugins: [],
        virtual: {} as Record<string, () => string>,
        handlers: [{ handler: "own" }] as { handler: string }[],
      },
    };
    await keyhookNitro(options).setup(nitro);
    const [first] = nitro.options.handlers;
    return nitro.options.virtual[first?.handler ?? ""]?.() ?? "";
  };

  it("WebSockets get their guard in Nitro 2", () => {
    const list = (majorVersion: number, websocket: boolean) => {
      const options = { experimental: { websocket }, virtual: {}, plugins: [] as string[] };
      guardSockets({ meta: { majorVersion }, options });
      return [options.plugins, Object.keys(options.virtual)];
    };
    expect(list(2, true)).toEqual([["#keyhook/sockets"], ["#keyhook/sockets"]]);
    expect(list(2, false)).toEqual([[], []]);
    // Its upgrade requests pass through the middleware.
    expect(list(3, true)).toEqual([[], []]);
  });

  it("a missing configuration is refused, and the error names the file to create", async () => {
    await expect(setUp(false)).rejects.toThrow(/server\/auth\.ts/);
    await expect(setUp(false, { config: "other.ts" })).rejects.toThrow(/other\.ts/);
  });

  it("Nitro 3.0.0, which has the entry points of neither version, is refused, and the error names a version to install", async () => {
    const { setup } = keyhookNitro();
    await expect(setup({ routing: {}, options: {} } as never)).rejects.toThrow(
      "npm install nitro@",
    );
  });

  it("an unknown option stops the build", async () => {
    await expect(setUp(false, { cleanUp: "* * * * *" })).rejects.toThrow("no option `cleanUp`");
  });

  it("the handler has the configuration, the rules and the base, and a secret only in development", async () => {
    writeFileSync(join(folder, "auth.ts"), "export default {};");
    const built = await setUp(false);
    expect(built).toContain(`import auth from ${JSON.stringify(join(folder, "auth.ts"))}`);
    expect(built).toContain('"rules":{"/in":true}');
    expect(built).toContain('"basePath":"/base/auth"');
    expect(built).not.toContain("development");
    expect(existsSync(join(folder, ".data/keyhook/secret"))).toBe(true);
    expect(await setUp(true)).toContain(readDevelopmentSecret(folder));
  });
});

describe("traceLibraries()", () => {
  it("the passkey library is external if it is installed, and not named otherwise", async () => {
    const here: unknown[] = [];
    await traceLibraries({ traceDeps: here });
    expect(here).toEqual(["@simplewebauthn/server"]);
    const elsewhere: unknown[] = [];
    await traceLibraries({ traceDeps: elsewhere }, join(folder, "module.js"));
    expect(elsewhere).toEqual([]);
  });
});

describe("passClientAddresses()", () => {
  const HEADER = "x-keyhook-client-address";
  const forged = { [HEADER]: "127.0.0.1", "x-forwarded-for": "127.0.0.1" };
  const run = (event: object, dev = true) => {
    const devHandlers: { handler(event: object): void }[] = [];
    passClientAddresses({ options: { dev, devHandlers } });
    for (const { handler } of devHandlers) handler(event);
    return devHandlers.length;
  };

  it("the server's process sets the client's address over the client's headers, on h3 1 and 2", () => {
    const node = { req: { headers: { ...forged }, socket: { remoteAddress: "192.168.1.5" } } };
    run({ node, context: {} });
    expect(node.req.headers[HEADER]).toBe("192.168.1.5");
    const request = new Request(ORIGIN, { headers: forged });
    const other = { req: { headers: { ...forged }, socket: { remoteAddress: "192.168.1.5" } } };
    run({ req: Object.assign(request, { runtime: { node: other } }), context: {} });
    expect(request.headers.get(HEADER)).toBe("192.168.1.5");
    expect(other.req.headers[HEADER]).toBe("192.168.1.5");
  });

  it("a connection without an address removes the client's headers, and a build has no such handler", () => {
    const request = new Request(ORIGIN, { headers: forged });
    expect(run({ req: request, context: {} })).toBe(1);
    expect(request.headers.get(HEADER)).toBe("");
    expect(run({ req: request, context: {} }, false)).toBe(0);
  });

  it("the worker trusts only that address in development, and never in production", () => {
    const createRequest = () =>
      Object.assign(new Request(ORIGIN, { headers: forged }), { ip: "10.0.0.1" });
    const readIp = (event: object) => {
      const { source, connection } = readClientAddresses(createEventReader())(event as never);
      // Server functions read the address from the request.
      expect(source.req.ip).toBe(connection.ip);
      return connection.ip;
    };
    expect(readIp({ req: createRequest(), res: {}, context: {} })).toBe("127.0.0.1");
    const bare = Object.assign(new Request(ORIGIN), { ip: "127.0.0.1" });
    expect(readIp({ req: bare, res: {}, context: {} })).toBeUndefined();
    const event = { req: createRequest(), res: {}, context: {} };
    expect(createEventReader()(event as never).connection.ip).toBe("10.0.0.1");
  });
});

describe("createNitroHandler()", () => {
  const open = (given: NitroAuthSource, options: NitroHandlerOptions = {}) => {
    const app = new H3().use(createNitroHandler(given, options));
    app.get("/me", async (event) => (await getAuthSession(event))?.user?.name ?? "nobody");
    app.all("/required", async (event) => (await requireAuthSession(event)).user?.name);
    app.all("/admin/**", () => "inside");
    const fetch = async (request: Request) => app.fetch(request);
    return createBrowser(fetch, { origin: ORIGIN, basePath: options.basePath ?? "/auth" });
  };
  const rules = { "/admin/**": true };

  const { providers, secret, env, logger, callbacks } = buildConfig();
  const config = { providers, secret, env, logger, callbacks } as ReturnType<typeof buildConfig>;

  it.each<[string, () => NitroAuthSource]>([
    ["a configuration", () => config],
    ["an Auth", () => createStandardAuth(config)],
    ["a function of the event", () => (event) => ("context" in event ? config : {})],
  ])("%s signs in and is read through the event", async (_, make) => {
    const browser = open(make());
    expect(await (await browser.get("/me")).text()).toBe("nobody");
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.get("/me");
    expect(await response.text()).toBe("Ada");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await (await browser.get("/required")).text()).toBe("Ada");
  });

  it("a guarded page redirects to the sign-in page and back, other requests get 401", async () => {
    const browser = open(config, { rules });
    const page = await browser.get("/admin/x?y=1");
    const back = encodeURIComponent(`${ORIGIN}/admin/x?y=1`);
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe(`${ORIGIN}/auth/signin?callbackUrl=${back}`);
    expect(page.headers.get("cache-control")).toContain("no-store");
    for (const accept of ["application/json", "*/*"]) {
      const headers = { accept };
      expect((await browser.get("/admin/x", { headers })).status).toBe(401);
      expect((await browser.post("/admin/x", {}, { headers })).status).toBe(401);
    }
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/admin/x")).text()).toBe("inside");
    expect(await (await browser.post("/admin/x")).text()).toBe("inside");
  });

  describe("WebSockets of h3 1 below a rule", () => {
    /** A server as Nitro 2 creates it. Resolves to what a socket of a path receives first. */
    const openSockets = async (given: NitroAuthSource) => {
      const app = createApp();
      const handler = createNitroHandler(given, { rules });
      app.use(handler as unknown as EventHandler);
      const router = createRouter();
      const asked: string[] = [];
      for (const path of ["/admin/socket", "/open"]) {
        const socket = defineWebSocketHandler({
          upgrade: ({ url }) => void asked.push(new URL(url).pathname),
          open: (peer) => void peer.send(`inside ${path}`),
        });
        router.get(path, socket);
      }
      app.use(router);
      handler.guardSockets(app as unknown as SocketApp);
      const { resolve } = createRequire(createRequire(import.meta.url).resolve("h3-v1"));
      const { default: createAdapter } = (await import(
        pathToFileURL(resolve("crossws/adapters/node")).href.replace("/index.cjs", "/index.mjs")
      )) as { default: (options: object) => { handleUpgrade: (...parts: unknown[]) => void } };
      const { handleUpgrade } = createAdapter(app.websocket);
      const site = await served(createServer(toNodeListener(app)).on("upgrade", handleUpgrade));
      const fetch = async (request: Request) => site.fetch(request);
      const browser = createBrowser(fetch, { origin: site.origin, basePath: "/auth" });
      const receive = async (path: string) => {
        const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
        const url = site.origin.replace("http", "ws") + path;
        const socket = new WebSocket(url, { headers: { cookie } } as never);
        return new Promise<unknown>((done) => {
          socket.addEventListener("message", ({ data }) => done(data));
          socket.addEventListener("error", () => done("refused"));
        }).finally(() => socket.close());
      };
      return { site, browser, receive, asked };
    };

    it("are only opened with a session, in any spelling of the path", async () => {
      const { site, browser, receive, asked } = await openSockets(config);
      for (const path of ["/admin/socket", "/%61dmin/socket", "//x/admin/socket?x", "/ADMIN/x"]) {
        expect([path, await receive(path)]).toEqual([path, "refused"]);
      }
      expect(asked).toEqual([]);
      expect(await receive("/open")).toBe("inside /open");
      await browser.signInWith("credentials", LOVELACE);
      expect(await receive("/admin/socket")).toBe("inside /admin/socket");
      expect(asked).toEqual(["/open", "/admin/socket"]);
      await site.close();
    });

    it("are not opened if the session cannot be read", async () => {
      let isDown = false;
      const jwt = ({ token }: { token: JWT }) => {
        if (isDown) throw new Error("down");
        return token;
      };
      const { site, browser, receive } = await openSockets({ ...config, callbacks: { jwt } });
      await browser.signInWith("credentials", LOVELACE);
      expect(await receive("/admin/socket")).toBe("inside /admin/socket");
      isDown = true;
      expect(await receive("/admin/socket")).toBe("refused");
      const other = await openSockets((event) => ("context" in event ? config : {}));
      expect(await other.receive("/admin/socket")).toBe("refused");
      expect(await other.receive("/open")).toBe("inside /open");
      await Promise.all([site.close(), other.site.close()]);
    });
  });

  it("a sign-in page of the application below a rule remains reachable", async () => {
    const own = { ...config, pages: { signIn: "/admin/login" } };
    const browser = open(own, { rules });
    expect(await (await browser.get("/admin/login")).text()).toBe("inside");
    // As frameworks redirect visitors to it.
    expect((await browser.get("/admin/login/")).status).toBe(200);
    expect((await browser.get("/admin/x")).headers.get("location")).toContain("/admin/login?");
  });

  it.each([
    "/admin/x/%2e%2e/%2e%2e/free",
    "/admin/x/../../free?y",
    "/admin/x\\..\\..\\free",
    "/admin/x/%2e%2e/%2e%2e/login",
    "/admin/x/../login",
  ])("a path is matched as the router reads it: %s", async (path) => {
    const own = { ...config, pages: { signIn: "/login" } };
    const given = { rules: { ...rules, "/admin/login": false } };
    const v1 = createApp().use(createNitroHandler(own, given) as unknown as EventHandler);
    v1.use(
      createRouter().get(
        "/admin/**",
        defineEventHandler(() => "inside"),
      ).handler,
    );
    const v2 = new H3().use(createNitroHandler(own, given)).get("/admin/**", () => "inside");
    for (const listener of [toNodeListener(v1), toNodeHandler(v2)]) {
      const site = await listen(listener as RequestListener);
      const wire = await dial(site.port);
      const headers = "Host: a.example\r\nAccept: text/html\r\nConnection: close";
      wire.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
      const answer = await wire.answer();
      expect(answer?.body).not.toContain("inside");
      wire.close();
      await site.close();
    }
  });

  it("a path that the URL parser normalizes to one below a rule is guarded, even if the router reads it as written", async () => {
    const v1 = createApp().use(createNitroHandler(config, { rules }) as unknown as EventHandler);
    v1.use(defineEventHandler(() => "inside"));
    const v2 = new H3().use(createNitroHandler(config, { rules })).use(() => "inside");
    const paths = [
      ["/free/%2e%2e/admin/x", true],
      // Nuxt 4.6 parses the text after two slashes as a host (CVE-2026-119200 and
      // GHSA-r99w-jh2x-3mg9).
      ["//x/admin/y", true],
      ["/\\x/ADMIN/y", true],
      ["///x/admin/y", true],
      ["//x:99999/admin/y", true],
      ["//x/free/../admin/y", true],
      ["//x/%61dmin/y?z", true],
      ["//admin/x", true],
      ["/free/x", false],
      ["//x/free/y", false],
      ["//x", false],
    ] as const;
    for (const listener of [toNodeListener(v1), toNodeHandler(v2)]) {
      const site = await listen(listener as RequestListener);
      for (const [path, isGuarded] of paths) {
        const wire = await dial(site.port);
        const headers = "Host: a.example\r\nAccept: text/html\r\nConnection: close";
        wire.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
        expect((await wire.answer())?.body.includes("inside")).toBe(!isGuarded);
        wire.close();
      }
      await site.close();
    }
  });

  it("a rule holds for the path of a sign-in page that is on another site", async () => {
    const pages = { signIn: "https://login.example.com/admin" };
    const browser = open({ ...config, pages }, { rules: { "/**": true } });
    const response = await browser.get("/admin", { headers: { accept: "text/html" } });
    const target = new URL(response.headers.get("location") ?? "");
    expect([response.status, target.origin + target.pathname]).toEqual([302, pages.signIn]);
  });

  it("a route is read in the process for the visitor, whose response carries its cookies and is private", async () => {
    const app = new H3().use(createNitroHandler({ ...config, pages: { signIn: "/login" } }));
    app.get("/login", async (event) => {
      const { auth } = event.context as { auth: EventAuth };
      const [first, second] = [await auth.fetch("/csrf"), await auth.fetch("/csrf")];
      const page = await auth.fetch("/signin?error=CredentialsSignin", {
        accept: "application/json",
        "accept-language": "de",
      });
      return [await first.json(), await second.json(), await page.json()];
    });
    app.get("/unknown", async (event) =>
      (event.context as { auth: EventAuth }).auth.fetch("/nowhere"),
    );
    const browser = createBrowser(async (request) => app.fetch(request), { origin: ORIGIN });
    const response = await browser.get("/login");
    const [first, second, page] = (await response.json()) as [object, object, PageData];
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(first).toEqual(second);
    expect(page.message?.text).toContain("Check your details");
    const form = page.blocks.find((block) => block.kind === "form")?.form;
    expect(form?.hidden).toMatchObject(first);
    // The browser has received the cookie that belongs to the token.
    const fields = { ...LOVELACE, ...(first as { csrfToken: string }) };
    await browser.post("/auth/callback/credentials", fields);
    expect(await browser.session()).not.toBeNull();
    expect((await browser.get("/unknown")).status).toBe(404);
  });

  it("a route that is read in the process after a sign-out or sign-in of the same event sees the new session", async () => {
    const auth = createNitroAuth({ ...config, providers: [], session: { updateAge: 0 } }).use(
      credentialsPlugin({
        credentials: { username: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    );
    const app = new H3().use(createNitroHandler(auth));
    const read = async (event: { context: object }) =>
      (await (event.context as { auth: EventAuth }).auth.fetch("/session")).json();
    app.get("/out", async (event) => {
      await auth.signOut(event as never, { redirect: false });
      return { session: await read(event) };
    });
    app.get("/in", async (event) => {
      const given = { username: "Eve", redirect: false } as const;
      await auth.signIn(event as never, "credentials", given);
      return read(event);
    });
    const browser = createBrowser(async (request) => app.fetch(request), { origin: ORIGIN });
    await browser.signInWith("credentials", { username: "Ada" });
    expect(await (await browser.get("/in")).json()).toMatchObject({ user: { name: "Eve" } });
    expect(await browser.session()).toMatchObject({ user: { name: "Eve" } });
    expect(await (await browser.get("/out")).json()).toEqual({ session: null });
    expect(await browser.session()).toBeNull();
  });

  it("the routes are below the base path", async () => {
    const browser = open(config, { basePath: "/app/api/auth" });
    expect(await (await browser.get("/app/api/auth/session")).text()).toBe("null");
  });

  it("a sign-in and a sign-out without a valid target redirect to the start page below the application's base", async () => {
    const leave = async (given: NitroAuthSource, callbackUrl?: string) => {
      const browser = open(given, { base: "/app/", basePath: "/app/auth" });
      const target = { ...(callbackUrl !== undefined && { callbackUrl }) };
      const signedIn = await browser.signInWith("credentials", { ...LOVELACE, ...target });
      const csrfToken = await browser.csrfToken();
      const signedOut = await browser.post("/app/auth/signout", { csrfToken, ...target });
      return [signedIn, signedOut].map(({ headers }) => headers.get("location"));
    };
    expect(await leave(config)).toEqual([`${ORIGIN}/app/`, `${ORIGIN}/app/`]);
    const refused = await leave(config, "https://evil.example/");
    expect(refused).toEqual([`${ORIGIN}/app/`, `${ORIGIN}/app/`]);
    const redirect = () => `${ORIGIN}/welcome`;
    const decided = { ...config, callbacks: { ...callbacks, redirect } };
    expect(await leave(decided)).toEqual([`${ORIGIN}/welcome`, `${ORIGIN}/welcome`]);
  });

  it("a warning reports an AUTH_URL that has the application's base instead of the path of the routes", async () => {
    const warned = async (path: string) => {
      const env = { ...config.env, AUTH_URL: ORIGIN + path };
      const warn = vi.fn<(code: string) => void>();
      const browser = open(
        { ...config, env, logger: { warn } },
        { base: "/app/", basePath: "/app/auth" },
      );
      await browser.get(`${path}/session`);
      return warn.mock.calls.map(([code]) => code).filter((code) => /^(env-url-)?base/.test(code));
    };
    // Not of the module's option too, with which the routes would stay there.
    expect(await warned("/app")).toEqual(["env-url-base"]);
    expect(await warned("/app/auth")).toEqual([]);
    expect(await warned("")).toEqual([]);
  });

  it("the built-in pages link to the start page below the application's base", async () => {
    const browser = open(config, { base: "/app/", basePath: "/app/auth" });
    for (const path of ["/app/auth/error", "/app/auth/verify-request"]) {
      const page = await (await browser.get(path)).text();
      expect(page).toContain(`href="${ORIGIN}/app/"`);
    }
  });

  it("a malformed Host gets 400, and nothing is thrown whose stack Nitro 2 would log", async () => {
    const handler = createNitroHandler(config);
    const req = { url: "/", method: "GET", headers: { host: "a b" }, rawHeaders: [], socket: {} };
    const event = { node: { req, res: {} }, context: {} };
    expect((await handler(event as never))?.status).toBe(400);
  });

  it("while a build prerenders, there is no session, and nothing boots", async () => {
    // The configuration could not boot: the provider has no client id.
    const broken = createStandardAuth({ env: {} }).use(githubPlugin());
    const browser = open(broken, { prerender: true, rules });
    const json = { headers: { accept: "application/json" } };
    expect(await (await browser.get("/me")).text()).toBe("nobody");
    expect((await browser.get("/required", json)).status).toBe(401);
    expect((await browser.get("/auth/session")).status).toBe(404);
  });

  it("the stored secret is used in development, and never in production", async () => {
    const kept = { development: true, developmentSecret: "kept-by-the-development-server-0123" };
    const log = createLog();
    const own = { ...config, logger: log.logger, env: {} };
    delete own.secret;
    const first = open(own, kept);
    await first.signInWith("credentials", LOVELACE);
    // The server was reloaded.
    const second = open(own, kept);
    for (const [name, value] of first.cookies) second.cookies.set(name, value);
    expect(await (await second.get("/me")).text()).toBe("Ada");
    expect(log.warnings).not.toContain("secret-missing");
    const production = open({ ...own, env: { NODE_ENV: "production", AUTH_URL: ORIGIN } }, kept);
    expect((await production.get("/auth/session")).status).toBe(500);
    log.expectErrors("MissingSecret");
  });

  it("a development server shows what is missing, to pages and scripts, and production does not", async () => {
    const log = createLog("allowed");
    const visit = async (development: boolean, accept: string) => {
      const given = { env: { NODE_ENV: "development" }, logger: log.logger };
      const auth = createStandardAuth(given).use(githubPlugin({ name: "<b>" }));
      const secrets = { developmentSecret: "kept-by-the-development-server-0123" };
      const app = new H3().use(createNitroHandler(auth, { development, ...secrets, rules }));
      const request = new Request(`${ORIGIN}/admin/x`, { headers: { accept } });
      const response = await app.fetch(request);
      expect(response.status).toBe(500);
      return response.text();
    };
    const page = await visit(true, "text/html");
    expect(page).toContain("set it, or AUTH_GITHUB_ID.");
    expect(page).not.toContain("<b>");
    expect(await visit(true, "application/json")).toContain("AUTH_GITHUB_ID");
    expect(await visit(false, "text/html")).not.toContain("AUTH_GITHUB_ID");
  });

  it.each([
    ["returns an Auth", () => createStandardAuth() as never, "is an Auth"],
    ["has a provider without an id", () => ({ providers: [githubPlugin()] }), "AUTH_GITHUB_ID"],
  ])("a development server shows what is wrong if the function %s", async (_, given, fault) => {
    const log = createLog("allowed");
    const source = () => ({ env: { NODE_ENV: "development" }, logger: log.logger, ...given() });
    const secrets = { developmentSecret: "kept-by-the-development-server-0123" };
    vi.spyOn(console, "error").mockImplementation(() => {});
    const app = new H3().use(createNitroHandler(source, { development: true, ...secrets }));
    const response = await app.fetch(new Request(`${ORIGIN}/auth/session`));
    vi.restoreAllMocks();
    expect(response.status).toBe(500);
    expect(await response.text()).toContain(fault);
  });

  it.each([
    ["/auth", ORIGIN, []],
    ["/auth", `${ORIGIN}/api/auth`, ["base-path-module"]],
    ["/api/auth", `${ORIGIN}/api/auth`, []],
  ])(
    "the module's base path %s and AUTH_URL=%s cause the warnings %j",
    async (basePath, url, warnings) => {
      const log = createLog();
      const env = { NODE_ENV: "test", AUTH_URL: url };
      const auth = createStandardAuth({ ...config, env, logger: log.logger });
      createNitroHandler(auth, { basePath });
      auth.inspect();
      expect(log.warnings.filter((code) => code.startsWith("base-path"))).toEqual(warnings);
    },
  );

  it("a build that knows its variables logs faults of the configuration at start", async () => {
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN };
    const start = async (options: NitroHandlerOptions) => {
      const log = createLog();
      const auth = createStandardAuth({ env, logger: log.logger });
      createNitroHandler(auth, options);
      // Plugins that other modules of the application add.
      auth.use({ name: "late", setup() {} });
      await Promise.resolve();
      return log;
    };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    try {
      (await start({ bootsAtStart: true })).expectErrors("MissingSecret");
      (await start({})).expectErrors();
      vi.stubEnv("NODE_ENV", "");
      vi.stubEnv("AUTH_URL", "");
      (await start({ bootsAtStart: true })).expectErrors();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ["node-server", true],
    ["node_cluster", true],
    ["bun", true],
    ["deno-server", true],
    ["cloudflare-module", false],
    ["vercel", false],
    [undefined, false],
  ])("a build for %s knows its variables at start: %s", (preset, known) => {
    const options = (dev: boolean) => ({ options: { dev, ...(preset && { preset }) } });
    expect(knowsVariablesAtStart(options(false))).toBe(known);
    expect(knowsVariablesAtStart(options(true))).toBe(false);
  });

  it("an application boots with a worker's variables, by both names, and the runtime configuration", async () => {
    const log = createLog();
    const { secret: _, env: __, ...own } = { ...config, logger: log.logger };
    const runtimeConfig = { secret: "of-the-runtime-configuration-0123456789" };
    const visit = async (options: NitroHandlerOptions) => {
      const env = { NODE_ENV: "production", NITRO_AUTH_URL: ORIGIN };
      const app = new H3().use(
        ({ context }) => void Object.assign(context, { cloudflare: { env } }),
      );
      app.use(createNitroHandler(createStandardAuth(own), options));
      return (await app.fetch(new Request(`${ORIGIN}/auth/session`))).status;
    };
    expect(await visit({ runtimeConfig, envPrefix: "NITRO_" })).toBe(200);
    expect(await visit({ envPrefix: "NITRO_" })).toBe(500);
    log.expectErrors("MissingSecret");
    expect(await visit({ runtimeConfig })).toBe(500);
    log.expectErrors("UntrustedHost");
  });

  it("an event without the module is refused, and the error explains the fix", async () => {
    await expect(getAuthSession({ context: {} })).rejects.toThrow(/keyhook\/nitro/);
  });
});
