import formbody from "@fastify/formbody";
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { createAuth } from "../../presets/fastify.ts";
import type { AuthConfig, Plugin } from "../../src/kernel.ts";
import { createBrowser, createClock } from "../../src/testing/testing.ts";
import { LOVELACE, setCookieNames } from "../_app.ts";
import { serveFastify } from "./_fastify.ts";
import { dial, type Served } from "./_serve.ts";
import { buildConfig, testBinding, toAppBody } from "./_suite.ts";

const SESSION = "authjs.session-token";

testBinding("Fastify", (config) => serveFastify(createAuth(config).plugin));

testBinding("Fastify with @fastify/formbody", (config) =>
  serveFastify(createAuth(config).plugin, async (app) => {
    await app.register(formbody);
  }),
);

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

function createConfig(over: AuthConfig = {}): { config: AuthConfig; counts: { reads: number } } {
  const counts = { reads: 0 };
  const { basePath: _, ...standard } = buildConfig({
    session: { updateAge: 0 },
    events: { session: () => void counts.reads++ },
    ...over,
  });
  const { basePath } = over;
  return { config: { ...standard, ...(basePath !== undefined && { basePath }) }, counts };
}

type Auth = ReturnType<typeof createAuth>;

/** Starts an application, and returns a browser for it. */
async function start(
  auth: Auth,
  build: (app: FastifyInstance) => unknown = () => {},
  { prefix, ...options }: FastifyServerOptions & { prefix?: string } = {},
) {
  const app = Fastify(options);
  await app.register(auth.plugin, prefix === undefined ? {} : { prefix });
  await build(app);
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  served = {
    origin,
    port: Number(new URL(origin).port),
    fetch: (request) => fetch(request),
    close: () => app.close(),
  };
  return { app, origin, port: served.port };
}

async function signIn(origin: string, basePath = "/auth") {
  const browser = createBrowser((request) => fetch(request, { redirect: "manual" }), {
    origin,
    basePath,
  });
  await browser.signInWith("credentials", LOVELACE);
  return browser;
}

describe("an application that rewrites URLs (`rewriteUrl`)", () => {
  const rewriteUrl: FastifyServerOptions["rewriteUrl"] = ({ url = "/" }) =>
    url.replace(/^\/v1(?=\/)/, "");

  it("has the routes at the paths that Fastify uses, and redirects back to the requested paths", async () => {
    const { config } = createConfig();
    const auth = createAuth(config);
    const { origin } = await start(
      auth,
      (app) => app.get("/admin", { onRequest: auth.guard }, async () => "in"),
      { rewriteUrl },
    );
    expect((await fetch(`${origin}/v1/auth/providers`)).status).toBe(200);
    expect((await fetch(`${origin}/v1/auth/../auth/nothing`)).status).toBe(404);
    const headers = { accept: "text/html" };
    const { status, headers: led } = await fetch(`${origin}/v1/admin`, {
      headers,
      redirect: "manual",
    });
    expect(status).toBe(302);
    const location = new URL(led.get("location") ?? "");
    expect(location.searchParams.get("callbackUrl")).toBe(`${origin}/v1/admin`);
    const ada = await signIn(origin);
    expect(await (await ada.get("/v1/admin")).text()).toBe("in");
  });
});

describe("request.getSession()", () => {
  it("reads once per request, and the reply carries the renewed cookie next to the application's", async () => {
    const { config, counts } = createConfig();
    const { origin } = await start(createAuth(config), (app) =>
      app.get("/twice", async (request, reply) => {
        reply.header("set-cookie", "theme=dark");
        return Promise.all([request.getSession(), request.getSession()]);
      }),
    );
    const ada = await signIn(origin);
    counts.reads = 0;
    const response = await ada.get("/twice");
    const [one, other] = (await response.json()) as object[];
    expect(one).toMatchObject({ user: { name: "Ada" } });
    expect(other).toEqual(one);
    expect(setCookieNames(response)).toEqual(["theme", SESSION]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(counts.reads).toBe(1);
  });

  it("does not read the body in a handler", async () => {
    const { config } = createConfig();
    const { origin } = await start(createAuth(config), (app) =>
      app.post("/note", async (request) => ({
        body: request.body,
        name: (await request.getSession())?.user?.name,
      })),
    );
    const ada = await signIn(origin);
    const response = await ada.post(
      "/note",
      {},
      { headers: { "content-type": "application/json" }, body: '{"text":"x"}' },
    );
    expect(await response.json()).toEqual({ body: { text: "x" }, name: "Ada" });
  });

  it("returns the changed session after a sign-in, an update and a sign-out in the same request", async () => {
    const { config } = createConfig();
    const auth = createAuth(config);
    const names: (string | null | undefined)[] = [];
    const { origin } = await start(auth, (app) =>
      app.get("/all", async (request, reply) => {
        const look = async () => names.push((await request.getSession())?.user?.name);
        await look();
        const url = await auth.signIn(request, "credentials", { ...LOVELACE, redirectTo: "/in" });
        await look();
        await auth.update(request, { name: "Countess" });
        await look();
        await auth.signOut(request);
        await look();
        return reply.redirect(url);
      }),
    );
    const response = await fetch(`${origin}/all`, { redirect: "manual" });
    expect(names).toEqual([undefined, "Ada", "Countess", undefined]);
    expect([response.status, response.headers.get("location")]).toEqual([302, `${origin}/in`]);
    expect(response.headers.getSetCookie().filter((one) => one.startsWith(SESSION))).toHaveLength(
      1,
    );
  });

  it("fails with 401 without a required session, and later errors keep their status", async () => {
    const { config } = createConfig();
    const { origin } = await start(createAuth(config), (app) => {
      app.get("/me", (request) => request.requireSession());
      app.get("/fails", async (request) => {
        await request.getSession();
        throw Object.assign(new Error("teapot"), { statusCode: 418 });
      });
    });
    const refused = await fetch(`${origin}/me`);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: "Unauthorized" });
    const ada = await signIn(origin);
    expect(await (await ada.get("/me")).json()).toMatchObject({ user: { name: "Ada" } });
    expect((await ada.get("/fails")).status).toBe(418);
  });

  it("fails with 401 for an older session when a fresh one is required", async () => {
    const { config } = createConfig({ session: { updateAge: 0, absoluteMaxAge: 86_400 } });
    const { origin } = await start(createAuth(config), (app) =>
      app.get("/me", (request) => request.requireFreshSession()),
    );
    expect((await fetch(`${origin}/me`)).status).toBe(401);
    const ada = await signIn(origin);
    expect(await (await ada.get("/me")).json()).toMatchObject({ user: { name: "Ada" } });
    using clock = createClock();
    clock.advance("2 hours");
    expect((await ada.get("/me")).status).toBe(401);
  });

  it("fails without the plugin, with an error that names what is missing", async () => {
    const { config } = createConfig();
    const auth = createAuth(config);
    const app = Fastify();
    app.get("/", (request) => auth.getSession(request));
    const response = await app.inject("/");
    expect(response.statusCode).toBe(500);
    expect(response.json().message).toContain("register `auth.plugin`");
  });
});

describe("auth.plugin of Fastify", () => {
  it("sends responses through the reply: hooks see them, and they are logged", async () => {
    const { config } = createConfig();
    const lines: string[] = [];
    const sent: unknown[] = [];
    const { origin } = await start(
      createAuth(config),
      (app) => {
        app.addHook("onSend", async (request, reply, payload) => {
          sent.push([request.url, reply.statusCode, Buffer.isBuffer(payload)]);
          reply.header("x-company", "yes");
          return payload;
        });
      },
      { logger: { stream: { write: (line: string) => void lines.push(line) } } },
    );
    const response = await fetch(`${origin}/auth/session`);
    expect(await response.text()).toBe("null");
    expect(response.headers.get("x-company")).toBe("yes");
    expect(response.headers.get("content-length")).toBe("4");
    expect(sent).toEqual([["/auth/session", 200, true]]);
    expect(lines.join("")).toContain('"url":"/auth/session"');
    expect(lines.join("")).toContain('"statusCode":200');
  });

  it("limits its parsers to its own routes", async () => {
    const { config } = createConfig();
    const { origin } = await start(createAuth(config), async (app) => {
      await app.register(formbody);
      app.post("/form", async (request) => request.body);
      app.post("/xml", async () => "xml");
    });
    await signIn(origin);
    const form = await fetch(`${origin}/form`, {
      method: "POST",
      body: new URLSearchParams({ a: "1" }),
    });
    expect(await form.json()).toEqual({ a: "1" });
    const headers = { "content-type": "application/xml" };
    const xml = await fetch(`${origin}/xml`, { method: "POST", headers, body: "<a/>" });
    expect(xml.status).toBe(415);
  });

  it("has its routes below the prefix of `register` and of the outer instances", async () => {
    for (const nested of [false, true]) {
      const { config } = createConfig();
      const auth = createAuth(config);
      const app = Fastify();
      const options = { prefix: "/v1" };
      if (nested) await app.register(async (inner) => void inner.register(auth.plugin), options);
      else await app.register(auth.plugin, options);
      const origin = await app.listen({ port: 0, host: "127.0.0.1" });
      const ada = await signIn(origin, "/v1/auth");
      expect(await ada.session()).toMatchObject({ user: { name: "Ada" } });
      const providers = await (await ada.get("/v1/auth/providers")).json();
      expect(providers.credentials.callbackUrl).toBe(`${origin}/v1/auth/callback/credentials`);
      await app.close();
      const again = Fastify();
      await again.register(auth.plugin, options);
      expect((await again.inject("/v1/auth/session")).body).toBe("null");
    }
  });

  it("stops the start for a base path that is not below the prefix, and for a fault of the configuration", async () => {
    const { config } = createConfig({ basePath: "/auth" });
    const app = Fastify();
    void app.register(createAuth(config).plugin, { prefix: "/v1" });
    await expect(app.ready()).rejects.toThrow("is not below the prefix /v1");
    const { secret: _, ...without } = config;
    const other = Fastify();
    void other.register(createAuth({ ...without, env: { NODE_ENV: "production" } }).plugin);
    await expect(other.ready()).rejects.toThrow("AUTH_SECRET");
  });

  it("uses the default base path if the configuration is a function", async () => {
    const { config } = createConfig();
    const { origin } = await start(createAuth(() => config));
    const ada = await signIn(origin);
    expect(await ada.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("works with `inject`, and with schemas of the application", async () => {
    const { config } = createConfig();
    const auth = createAuth(config);
    const app = Fastify({ ajv: { customOptions: { removeAdditional: "all" } } });
    await app.register(auth.plugin);
    const user = {
      type: "object",
      properties: { user: { type: "object", properties: { name: { type: "string" } } } },
    };
    app.get("/me", { schema: { response: { 200: user } } }, (request) => request.requireSession());
    const browser = createBrowser(
      async (request) => {
        const { pathname, search } = new URL(request.url);
        const { statusCode, headers, body } = await app.inject({
          method: request.method as "GET",
          url: pathname + search,
          headers: Object.fromEntries(request.headers),
          ...(request.method === "POST" && { payload: await request.text() }),
        });
        const lines = Object.entries(headers).flatMap(([name, value]) =>
          [value].flat().map((one): [string, string] => [name, String(one)]),
        );
        return new Response(body || null, { status: statusCode, headers: lines });
      },
      { origin: "http://localhost" },
    );
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/me")).json()).toEqual({ user: { name: "Ada" } });
  });

  it("`trustProxy` of the application determines the scheme, but not the client's address", async () => {
    const seen: unknown[] = [];
    const look: Plugin = {
      name: "look",
      setup: ({ hooks }) =>
        hooks.request.tap("look", (ctx) => {
          seen.push([ctx.ip, new URL(ctx.request.url).protocol]);
          return undefined;
        }),
    };
    const { config } = createConfig({ trustHost: true });
    const { origin } = await start(createAuth(config).use(look), undefined, { trustProxy: true });
    const ask = (scheme: string) =>
      fetch(`${origin}/auth/session`, {
        headers: { "x-forwarded-for": "203.0.113.1", "x-forwarded-proto": scheme },
      });
    expect((await ask("https")).status).toBe(200);
    expect(seen).toEqual([["127.0.0.1", "https:"]]);
    for (const scheme of ["gopher", "javascript"]) expect((await ask(scheme)).status).toBe(400);
  });

  it("responds to a malformed Host with Fastify's 400", async () => {
    const { config } = createConfig();
    const { port } = await start(createAuth(config));
    const wire = await dial(port);
    wire.write("GET /auth/session HTTP/1.1\r\nHost: a b\r\n\r\n");
    expect((await wire.answer())?.status).toBe(400);
    wire.close();
  });
});

describe("auth.guard of Fastify", () => {
  it.each(["/locked/%2e%2e/login", "/locked/x/../../login?y", "/locked/x\\..\\..\\login"])(
    "does not accept another spelling of the sign-in page: %s",
    async (path) => {
      const { config } = createConfig();
      const auth = createAuth({ ...config, pages: { signIn: "/login" } });
      const { port } = await start(auth, (app) => {
        app.get("/locked/*", { onRequest: auth.guard }, async () => "inside");
      });
      const wire = await dial(port);
      const headers = "Host: a.example\r\nAccept: text/html\r\nConnection: close";
      wire.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
      const answer = await wire.answer();
      expect([302, 401]).toContain(answer?.status);
      wire.close();
    },
  );

  it("redirects browsers to the sign-in page and back, and refuses other requests", async () => {
    const { config } = createConfig();
    const auth = createAuth(config);
    const { origin } = await start(auth, (app) => {
      app.all("/locked", { onRequest: auth.guard }, async () => toAppBody("locked", ""));
    });
    const ask = (method: string, accept: string) =>
      fetch(`${origin}/locked?x=1`, { method, headers: { accept }, redirect: "manual" });
    const led = await ask("GET", "text/html");
    expect(led.status).toBe(302);
    expect(led.headers.get("cache-control")).toContain("no-store");
    const target = new URL(led.headers.get("location") ?? "");
    expect(target.pathname).toBe("/auth/signin");
    expect(target.searchParams.get("callbackUrl")).toBe(`${origin}/locked?x=1`);
    for (const [method, accept] of [
      ["GET", "application/json"],
      ["POST", "*/*"],
    ] as const) {
      const refused = await ask(method, accept);
      const body = { error: "SessionRequired", message: "Sign in first." };
      expect([refused.status, await refused.json()]).toEqual([401, body]);
    }
    const ada = await signIn(origin);
    expect(await (await ada.get("/locked")).text()).toBe(toAppBody("locked", ""));
  });
});
