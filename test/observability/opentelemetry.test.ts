import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { openTelemetry } from "../../plugins/observability/opentelemetry.ts";
import type { OpenTelemetryOptions } from "../../plugins/observability/opentelemetry.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { BadRequest } from "../../src/errors.ts";
import type { Plugin } from "../../src/kernel.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  Rows,
  type TestAuthOptions,
} from "../_app.ts";
import type { Given } from "../flows/_passkey.ts";
import { registerSdk } from "./_spans.ts";

const sdk = registerSdk();
afterAll(() => sdk.stop());
beforeEach(() => sdk.reset());

const create = (app: TestAuthOptions = {}, options?: OpenTelemetryOptions) =>
  createTestAuth({ ...app, use: [openTelemetry(options), ...(app.use ?? [])] });

/** An application with every sign-in method, which stores users. */
function createFullApp(options?: OpenTelemetryOptions) {
  const idp = createIdentityProvider();
  return create(
    {
      preset: standardPreset,
      idp,
      providers: [idp.provider(), credentials()],
      plugins: [memoryStore(), storeAdapter()],
      strategy: "database",
      mail: {},
      passkey: {},
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    },
    options,
  );
}

const route = (path: string, handler: Plugin["setup"]): Plugin => ({
  name: `test/route${path.replaceAll(/[/:]/g, "-")}`,
  setup: handler,
});

describe("openTelemetry()", () => {
  it("a request has a span of kind SERVER with its method, route, path and status", async () => {
    const { browser } = create();
    await browser.get("/auth/session?secret=1");
    const span = sdk.one("GET /auth/session");
    expect(span.kind).toBe(SpanKind.SERVER);
    expect(span.attributes).toEqual({
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "http.route": "/auth/session",
      "url.path": "/auth/session",
      "url.scheme": "http",
    });
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.instrumentationScope.name).toBe("keyhook");
  });

  it("the name of a request's span has the route's pattern, and the path the provider's id", async () => {
    const { browser, log } = create();
    await browser.signInWith("credentials", { username: "ada", password: "wrong" });
    log.expectErrors("CredentialsSignin");
    const span = sdk.one("POST /auth/callback/:provider");
    expect(span.attributes).toMatchObject({
      "http.route": "/auth/callback/:provider",
      "url.path": "/auth/callback/credentials",
      "keyhook.provider": "credentials",
      "error.type": "CredentialsSignin",
    });
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("no span contains the text of a client's path or method", async () => {
    const { auth, browser, log } = create({
      use: [
        route("/notes/:id", (kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/notes/:id",
            handler: (ctx) => ctx.json(null),
          }),
        ),
      ],
    });
    await browser.get("/auth/notes/needle");
    await browser.get("/auth/needle");
    await browser.get("/auth/callback/needle");
    log.expectErrors("InvalidProvider");
    await auth.fetch(new Request(`${ORIGIN}/auth/session`, { method: "NEEDLE" }));
    expect(JSON.stringify(sdk.all().map(({ name, attributes }) => [name, attributes]))).not.toMatch(
      /needle/i,
    );
    expect(sdk.one("GET /auth/notes/:id").attributes["url.path"]).toBe("/auth/notes/:id");
    const refused = sdk.one("GET /auth/callback/:provider").attributes;
    expect(refused["url.path"]).toBe("/auth/callback/:provider");
    expect(sdk.one("GET").attributes).toMatchObject({
      "http.response.status_code": 404,
      "error.type": "UnknownAction",
    });
    expect(sdk.one("HTTP").attributes["http.request.method"]).toBe("_OTHER");
  });

  it("a server-side call has a span of kind INTERNAL that is a child of the active span", async () => {
    const { auth } = create();
    await trace.getTracer("app").startActiveSpan("page", async (page) => {
      await auth.getSession(new Request(`${ORIGIN}/`));
      page.end();
    });
    const span = sdk.one("keyhook.getSession");
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.attributes).toEqual({ "keyhook.operation": "getSession" });
    expect(sdk.parentOf(span)).toBe("page");
  });

  it("a refused server-side call has the type of its error, and no status", async () => {
    const { auth, log } = create();
    const call = auth.signIn(new Request(`${ORIGIN}/`), "credentials", {
      username: "ada",
      password: "wrong",
    });
    await expect(call).rejects.toThrow();
    log.expectErrors("CredentialsSignin");
    const span = sdk.one("keyhook.signIn");
    expect(span.attributes["error.type"]).toBe("CredentialsSignin");
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("hooks with taps have a span, with a child span for each tap", async () => {
    const { browser } = create({
      use: [
        {
          name: "company",
          setup({ hooks }) {
            hooks.request.tap("first", async () => {});
            hooks.request.tap("second", () => undefined);
          },
        },
      ],
    });
    await browser.get("/auth/csrf");
    expect(sdk.names()).toEqual([
      "keyhook.tap.first",
      "keyhook.tap.second",
      "keyhook.hook.request",
      "GET /auth/csrf",
    ]);
    const tap = sdk.one("keyhook.tap.first");
    expect(tap.attributes).toEqual({ "keyhook.hook": "request", "keyhook.plugin": "company" });
    expect(sdk.parentOf(tap)).toBe("keyhook.hook.request");
    expect(sdk.parentOf(sdk.one("keyhook.hook.request"))).toBe("GET /auth/csrf");
  });

  it("a tap that throws has the type of its error, and only the server's own errors set the status", async () => {
    let thrown: Error = new BadRequest("needle");
    const { browser, log } = create({
      errors: "allowed",
      use: [
        {
          name: "company",
          setup: ({ hooks }) =>
            hooks.request.tap("check", () => {
              throw thrown;
            }),
        },
      ],
    });
    const spans = ["keyhook.tap.check", "keyhook.hook.request", "GET /auth/csrf"];
    await browser.get("/auth/csrf");
    for (const name of spans) {
      expect(sdk.one(name).attributes["error.type"], name).toBe("BadRequest");
      expect(sdk.one(name).status.code, name).toBe(SpanStatusCode.UNSET);
    }
    sdk.reset();
    thrown = new TypeError("needle");
    await browser.get("/auth/csrf");
    for (const name of spans) {
      expect(sdk.one(name).attributes["error.type"], name).toBe("TypeError");
      expect(sdk.one(name).status, name).toEqual({ code: SpanStatusCode.ERROR });
    }
    expect(log.errors).not.toEqual([]);
    expect(sdk.all().flatMap(({ events }) => events)).toEqual([]);
  });

  it("an error that becomes a redirect to the error page is still the server's error", async () => {
    const adapter = {
      ...plainAdapter(new Rows()),
      getUserByAccount: () => Promise.reject(new Error("needle")),
    };
    const idp = createIdentityProvider();
    const { browser, log } = create({
      preset: standardPreset,
      adapter,
      idp,
      providers: [idp.provider()],
      strategy: "jwt",
    });
    await expect(browser.signInAs()).rejects.toThrow("Configuration");
    log.expectErrors("AdapterError");
    const span = sdk.one("GET /auth/callback/:provider");
    expect(span.attributes).toMatchObject({
      "http.response.status_code": 302,
      "error.type": "AdapterError",
    });
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    expect(sdk.one("keyhook.adapter.getUserByAccount").status.code).toBe(SpanStatusCode.ERROR);
  });

  it("adapter calls contain the store's operations, with driver and namespace", async () => {
    const { browser } = createFullApp();
    await browser.signInAs({ sub: "1", email: "ada@example.com" });
    sdk.reset();
    await browser.session();
    const read = sdk.one("keyhook.adapter.getSessionAndUser");
    expect(sdk.parentOf(read)).toBe("GET /auth/session");
    const stored = sdk.all().filter(({ name }) => name === "keyhook.store.get");
    expect(stored.length).toBeGreaterThan(0);
    for (const span of stored) {
      expect(sdk.parentOf(span)).toBe("keyhook.adapter.getSessionAndUser");
      expect(span.attributes["keyhook.store.driver"]).toBe("memory");
      expect(span.attributes["keyhook.store.namespace"]).toMatch(/^[a-z-]+$/);
    }
  });

  it("requests to an identity provider have spans of kind CLIENT with only the server's name", async () => {
    const { browser, idp } = createFullApp();
    await browser.signInAs({ sub: "1" });
    const span = sdk.all().find(({ name, kind }) => name === "POST" && kind === SpanKind.CLIENT);
    expect(span?.attributes).toEqual({
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "server.address": new URL(idp.issuer).hostname,
      "server.port": 443,
    });
    expect(sdk.parentOf(span!)).toBe("GET /auth/callback/:provider");
  });

  it("traceparent is sent only to the URLs that `propagate` accepts", async () => {
    const silent = createFullApp();
    await silent.browser.signInAs({ sub: "1" });
    expect(silent.idp.requests.length).toBeGreaterThan(0);
    for (const { headers } of silent.idp.requests) expect(headers.has("traceparent")).toBe(false);
    sdk.reset();
    const { browser, idp } = createFullApp({ propagate: ({ pathname }) => /token/.test(pathname) });
    await browser.signInAs({ sub: "1" });
    const sent = idp.requests.filter(({ headers }) => headers.has("traceparent"));
    expect(sent).toHaveLength(1);
    const parents = sdk.all().map((span) => {
      const { traceId, spanId } = span.spanContext();
      return `00-${traceId}-${spanId}-01`;
    });
    expect(parents).toContain(sent[0]?.headers.get("traceparent"));
  });

  it("spans contain no secret, token, address, cookie, query or user id, whatever the sign-in", async () => {
    const app = createFullApp();
    const { browser, log } = app;
    const profile = { sub: "needle-sub", name: "Needle Name", email: "needle@example.com" };

    await browser.signInAs(profile);
    const userId = await app.getUserId();
    await browser.session();
    await browser.get("/auth/account");
    await browser.signOut();

    await browser.signInWith("credentials", LOVELACE);
    await browser.signInWith("credentials", { username: "ada", password: "needle-password" });
    log.expectErrors("CredentialsSignin");
    await app.requestLink("needle-mail@example.com");
    const link = new URL(app.mails.at(-1)?.url ?? "");
    await app.followLink();

    const other = app.openBrowser();
    const options = async (query: string) => {
      const response = await other.get(`/auth/webauthn-options/passkey?${query}`);
      return ((await response.json()) as Given).options;
    };
    const respond = (action: string, data: unknown) =>
      other.signInWith("passkey", { action, data: JSON.stringify(data) });
    const given = await options("action=register&email=needle-passkey@example.com");
    await respond("register", await app.authenticator.create(given));
    await respond(
      "authenticate",
      await app.authenticator.get(await options("action=authenticate")),
    );
    expect(await other.session()).not.toBeNull();

    const spans = sdk.all();
    expect(spans.length).toBeGreaterThan(100);
    const text = JSON.stringify(
      spans.map(({ name, attributes, events, links, status, resource }) => [
        ...[name, attributes, events, links, status, resource.attributes],
      ]),
    );
    const secrets = [
      ...[...browser.cookies.values(), ...other.cookies.values()],
      ...app.idp.requests.flatMap(({ url, body }) => [
        ...new URL(url).searchParams.values(),
        ...new URLSearchParams(body).values(),
      ]),
      ...link.searchParams.values(),
      ...[userId, LOVELACE.password, given.challenge, "@", "?", "needle", "Needle"],
    ].filter((secret) => secret !== undefined && secret !== "");
    expect(secrets.length).toBeGreaterThan(15);
    const leaked = secrets.filter((secret) => text.includes(secret as string));
    expect(leaked).toEqual([]);
  });

  it("an adapter that is a frozen class instance works, and an outer wrap may spread it", async () => {
    const { browser } = create({
      adapter: Object.freeze(new Rows()),
      providers: [credentials()],
      strategy: "jwt",
      use: [
        {
          name: "outer",
          setup: (kernel) => kernel.wrap("adapter", (inner) => ({ ...inner })),
        },
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
  });

  it("`tracerProvider` replaces the global one", async () => {
    const { browser } = create({}, { tracerProvider: new BasicTracerProvider() });
    await browser.session();
    expect(sdk.all()).toEqual([]);
  });

  it("taps of other plugins see the span of the request as the active one", async () => {
    const seen: unknown[] = [];
    const { browser } = create({
      use: [
        {
          name: "company",
          setup: ({ events }) =>
            void events.hook("signIn", () => void seen.push(trace.getSpan(context.active()))),
        },
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(seen).toEqual([expect.objectContaining({ name: "POST /auth/callback/:provider" })]);
  });
});

describe("openTelemetry() without @opentelemetry/api", () => {
  it("requests fail with InitError, whose cause names the package to install", () => {
    const script = fileURLToPath(new URL("_without-api.ts", import.meta.url));
    const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toEqual({
      status: 503,
      type: "InitError",
      cause:
        'The package "@opentelemetry/api" cannot be imported. Install it beside an OpenTelemetry SDK.',
    });
  });
});

describe("openTelemetry() without an SDK", () => {
  it("requests and calls work, and nothing is recorded", async () => {
    sdk.stop();
    const { auth, browser } = createFullApp();
    await browser.signInAs({ sub: "1" });
    expect(await browser.session()).not.toBeNull();
    expect(await auth.getSession(new Request(ORIGIN))).toBeNull();
    expect(sdk.all()).toEqual([]);
  });
});
