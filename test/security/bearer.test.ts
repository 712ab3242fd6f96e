import { describe, expect, it, vi } from "vitest";
import { providerLogout } from "../../plugins/oauth/provider-logout.ts";
import Email from "../../plugins/providers/email.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { joinCookie, readBearerToken } from "../../plugins/security/bearer/credentials.ts";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import createAuth, { standardPreset } from "../../presets/index.ts";
import { createAuthClient } from "../../src/client.ts";
import { getToken } from "../../src/jwt.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { AuthConfig, CookieToSet, StoreBackend } from "../../src/types.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  SECRET,
  unservedOAuth,
} from "../_app.ts";

const BASE = `${ORIGIN}/api/auth`;
const COOKIE = "authjs.session-token";
const TOKEN = "set-auth-token";

interface OpenOptions extends AuthConfig {
  use?: NonNullable<Parameters<typeof createTestAuth>[0]>["use"];
  errors?: "allowed";
  store?: StoreBackend;
  strategy?: string;
  without?: NonNullable<NonNullable<Parameters<typeof createTestAuth>[0]>["without"]>;
}

// An API of bearer tokens, and a client that keeps the token as a native application does.
function open({ use = [], ...options }: OpenOptions = {}) {
  const app = createTestAuth({
    preset: standardPreset,
    basePath: "/api/auth",
    ...options,
    use: [bearer(), ...use],
  });
  const client = {
    token: "",
    responses: [] as Response[],
    async fetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      if (client.token && !headers.has("authorization")) {
        headers.set("authorization", `Bearer ${client.token}`);
      }
      const response = await app.auth.fetch(new Request(url, { ...init, headers }));
      client.responses.push(response);
      client.token = response.headers.get(TOKEN) ?? client.token;
      return response;
    },
    get: (path: string, headers: HeadersInit = {}) => client.fetch(BASE + path, { headers }),
    post: (path: string, fields: Record<string, string> = {}, headers: HeadersInit = {}) =>
      client.fetch(BASE + path, { method: "POST", headers, body: new URLSearchParams(fields) }),
    session: async () => (await client.get("/session")).json(),
    signIn: () => client.post("/callback/credentials", LOVELACE),
  };
  return { app, client };
}

const withToken = (token: string) => ({ authorization: `Bearer ${token}` });

const STRATEGIES = [
  ["jwt", () => ({ strategy: "jwt" })],
  ["database", () => ({ strategy: "database", store: memoryBackend() })],
  ["hybrid", () => ({ strategy: "hybrid", store: memoryBackend() })],
] as const;

describe.each(STRATEGIES)("bearer tokens under the strategy %s", (strategy, options) => {
  // Sessions of credentials are stored too: they have a user of the adapter.
  const start = (more: OpenOptions = {}) => open({ ...options(), ...more });

  it("the response to a sign-in has the token, which the next request sends", async () => {
    const { client } = start();
    const response = await client.signIn();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: `${ORIGIN}/` });
    expect(response.headers.get(TOKEN)).toMatch(/^[\w.-]+$/);
    expect(await client.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("the response to a sign-in over https has the token too, although its cookie would have a prefix", async () => {
    const { client } = start();
    const base = "https://app.example/api/auth";
    const body = new URLSearchParams(LOVELACE);
    await client.fetch(`${base}/callback/credentials`, { method: "POST", body });
    expect(client.token).toMatch(/^[\w.-]+$/);
    const session: unknown = await (await client.fetch(`${base}/session`)).json();
    expect(session).toMatchObject({ user: { name: "Ada" } });
  });

  it("no response sets a cookie, may be cached or is shared by different tokens", async () => {
    const { client } = start();
    await client.signIn();
    await client.session();
    await client.get("/csrf");
    await client.get("/providers");
    await client.post("/signout");
    for (const { headers } of client.responses) {
      expect(headers.getSetCookie()).toEqual([]);
      expect(headers.get("vary")).toContain("authorization");
      expect(headers.get("cache-control")).toContain("no-store");
    }
  });

  it("a session that is only in a cookie is not read", async () => {
    const { client } = start();
    await client.signIn();
    const { token } = client;
    client.token = "";
    const response = await client.get("/session", { cookie: `${COOKIE}=${token}` });
    expect(await response.json()).toBeNull();
  });

  it("a sign-out in a handler that auth.auth() wraps is not undone by a pending token renewal", async () => {
    const { app, client } = start({ session: { updateAge: 0 } });
    await client.signIn();
    const { auth } = app;
    const wrapped = auth.auth((request) => auth.signOut(request) as Promise<Response>);
    const response = (await wrapped(
      new Request(ORIGIN, { headers: withToken(client.token) }),
    )) as Response;
    expect(response.headers.get(TOKEN)).toBe("");
  });

  it("a sign-out ends the session and returns an empty token", async () => {
    const { client } = start();
    await client.signIn();
    const { token } = client;
    const response = await client.post("/signout");
    expect(await response.json()).toEqual({ url: `${ORIGIN}/` });
    expect(response.headers.get(TOKEN)).toBe("");
    expect(client.token).toBe("");
    if (strategy === "jwt") return;
    expect(await (await client.get("/session", withToken(token))).json()).toBeNull();
  });

  it("an update changes the session without a CSRF token", async () => {
    const { client } = start({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
      },
    });
    await client.signIn();
    const response = await client.fetch(`${BASE}/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: { name: "Countess" } }),
    });
    expect(response.status).toBe(200);
    const name = strategy === "database" ? "Ada" : "Countess";
    expect(await client.session()).toMatchObject({ user: { name } });
  });

  it("the package's client works unchanged", async () => {
    const { app, client } = start();
    const published = createAuthClient({
      baseUrl: ORIGIN,
      basePath: "/api/auth",
      fetch: client.fetch as typeof fetch,
    });
    const wrong = { username: "ada", password: "wrong", redirect: false };
    expect(await published.signIn("credentials", wrong)).toMatchObject({
      ok: false,
      error: "CredentialsSignin",
      code: "credentials",
      status: 401,
    });
    app.log.expectErrors("CredentialsSignin");
    expect(client.token).toBe("");
    expect(await published.signIn("credentials", { ...LOVELACE, redirect: false })).toMatchObject({
      ok: true,
    });
    expect(await published.getSession()).toMatchObject({ user: { name: "Ada" } });
    expect(await published.getCsrfToken()).toBe("");
    expect(await published.update({ name: "x" })).toMatchObject({ user: { name: "Ada" } });
    expect(Object.keys((await published.getProviders()) ?? {})).toEqual(["credentials"]);
    expect(await published.signOut({ redirect: false })).toMatchObject({ ok: true });
    expect(await published.getSession()).toBeNull();
    expect(app.log.warnings).toEqual([]);
  });

  it("server functions read the token of the request", async () => {
    const { app, client } = start();
    await client.signIn();
    const request = new Request(`${ORIGIN}/api/notes`, { headers: withToken(client.token) });
    expect(await app.auth.getSession(request)).toMatchObject({ user: { name: "Ada" } });
    expect(await app.auth.requireSession(request)).toMatchObject({ user: { name: "Ada" } });
    const without = new Request(`${ORIGIN}/api/notes`, {
      headers: { cookie: `${COOKIE}=${client.token}` },
    });
    expect(await app.auth.getSession(without)).toBeNull();
  });

  it("calls of one request see the sign-in and the sign-out before them", async () => {
    const { app } = start();
    const headers = new Headers();
    const event = { req: new Request(`${ORIGIN}/api/enter`, { method: "POST" }), res: { headers } };
    await app.auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    expect(headers.get(TOKEN)).toMatch(/^[\w.-]+$/);
    expect(await app.auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    await app.auth.signOut(event, { redirect: false });
    expect(headers.get(TOKEN)).toBe("");
    expect(headers.getSetCookie()).toEqual([]);
    expect(await app.auth.getSession(event)).toBeNull();
  });

  it("a framework that accepts only cookies gets none", async () => {
    const { app } = start();
    const taken: string[] = [];
    const cookies = { set: (name: string) => void taken.push(name) };
    const event = { req: new Request(`${ORIGIN}/enter`, { method: "POST" }), res: { cookies } };
    await app.auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    expect(taken).toEqual([]);
    expect(await app.auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
  });

  it("a session of the browser's Auth is valid here, and ends for both", async () => {
    const shared = options();
    const web = createTestAuth({ preset: standardPreset, ...shared });
    await web.browser.signInWith("credentials", LOVELACE);
    const { client } = open(shared);
    client.token = web.browser.cookies.get(COOKIE) ?? "";
    expect(await client.session()).toMatchObject({ user: { name: "Ada" } });
    if (strategy === "jwt") return;
    await client.post("/signout");
    // `hybrid` trusts its cookie for a while.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect(await web.browser.session()).toBeNull();
  });
});

it("responses of a plugin's route are unchanged, such as a fetched one; a 401 gets a challenge", async () => {
  const routes = definePlugin({
    name: "test/routes",
    setup(kernel) {
      const fetched = () => fetch("data:text/plain,hello");
      const refused = () => new Response("no", { status: 401 });
      kernel.addRoute({ method: "GET", path: "/fetched", handler: fetched });
      kernel.addRoute({ method: "GET", path: "/refused", handler: refused });
    },
  });
  const { client } = open({ use: [routes] });
  expect(await (await client.get("/fetched")).text()).toBe("hello");
  const { status, headers } = await client.get("/refused");
  expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
});

it("a token in the application's own format is encoded in the header, and accepted in that form", async () => {
  const session = { generateSessionToken: () => "of the application: 1/2 = 50%" };
  const { client } = open({ strategy: "database", store: memoryBackend(), session });
  await client.signIn();
  expect(client.token).toContain(encodeURIComponent(session.generateSessionToken()));
  expect(await client.session()).toMatchObject({ user: { name: "Ada" } });
});

describe("bearer(): what clients send", () => {
  it.each([
    ["no credentials", ""],
    ["another scheme", "Basic YWRhOmxvdmVsYWNl"],
    ["no token", "Bearer"],
    ["no token after the blank", "Bearer "],
    ["two tokens", "Bearer a, Bearer b"],
    ["a token with a parameter of a cookie", "Bearer a; authjs.session-token=b"],
    ["a token with a blank", "Bearer a b"],
    ["an equals sign inside the token", "Bearer a=b"],
    ["a longer scheme", "BearerX abc"],
    ["more characters than a token may have", `Bearer ${"a".repeat(65_537)}`],
  ])("%s is not a token", (_, authorization) => {
    expect(readBearerToken(new Headers(authorization ? { authorization } : {}))).toBeUndefined();
  });

  it.each([
    ["a JWE", "Bearer eyJhbGciOiJkaXIifQ..a-b_c", "eyJhbGciOiJkaXIifQ..a-b_c"],
    ["a token with padding", "Bearer YWJj==", "YWJj=="],
    ["the scheme in lower case", "bearer abc", "abc"],
    ["a token after several blanks", "Bearer   abc", "abc"],
    ["percent-encoding", "Bearer a%3Bb", "a%3Bb"],
  ])("%s is read", (_, authorization, token) => {
    expect(readBearerToken(new Headers({ authorization }))).toBe(token);
  });

  it.each(["GET", "POST"])(
    "%s of a guarded route without a session is 401 with a challenge",
    async (method) => {
      const notes = definePlugin({
        name: "notes",
        setup: (kernel) =>
          kernel.addRoute({
            method: method as "GET",
            path: "/notes",
            auth: true,
            handler: (ctx) => ctx.json("notes"),
          }),
      });
      const { client } = open({ use: [notes], errors: "allowed" });
      const send = (headers: HeadersInit) => client.fetch(`${BASE}/notes`, { method, headers });
      const without = await send({});
      expect([without.status, without.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(await without.json()).toMatchObject({ error: "SessionRequired" });
      const refused = await send(withToken("eyJ.forged.token"));
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
      expect(refused.headers.get("location")).toBeNull();
      await client.signIn();
      expect(await (await send({})).json()).toBe("notes");
    },
  );

  it("an application's guard refuses with 401 instead of a redirect", async () => {
    const { app, client } = open({ callbacks: { authorized: ({ auth }) => Boolean(auth) } });
    const visit = (headers: HeadersInit = {}) =>
      app.auth.authorize(new Request(`${ORIGIN}/api/notes`, { headers }));
    const refused = await visit();
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get("www-authenticate")).toBe("Bearer");
    expect(refused?.headers.get("cache-control")).toContain("no-store");
    await client.signIn();
    expect(await visit(withToken(client.token))).toBeUndefined();
  });

  it("a page of another site cannot post a sign-out, whatever cookies the browser has", async () => {
    const { client } = open({ strategy: "database", store: memoryBackend() });
    await client.signIn();
    const { token } = client;
    client.token = "";
    await client.post(
      "/signout",
      {},
      {
        cookie: `${COOKIE}=${token}`,
        origin: "https://evil.example",
        "sec-fetch-site": "cross-site",
      },
    );
    client.token = token;
    expect(await client.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a made-up token gets no session, and an empty token replaces it", async () => {
    const { client } = open({ errors: "allowed" });
    const response = await client.get("/session", withToken("eyJ.forged.token"));
    expect(response.status).toBe(200);
    expect(await response.json()).toBeNull();
    expect(response.headers.get(TOKEN)).toBe("");
  });

  it("wrong credentials are 401 with the error as data", async () => {
    const { app, client } = open();
    const response = await client.post("/callback/credentials", { username: "ada" });
    app.log.expectErrors("CredentialsSignin");
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: "CredentialsSignin",
      code: "credentials",
      message: expect.any(String),
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      url: `${BASE}/signin?error=CredentialsSignin&code=credentials`,
    });
    expect(response.headers.get(TOKEN)).toBeNull();
  });

  it("a lock after wrong credentials is 429 with the error as data and the time to wait", async () => {
    const { client, app } = open({ errors: "allowed" });
    const wrong = { ...LOVELACE, password: "wrong" };
    const attempt = () =>
      app.auth.handle(
        new Request(`${BASE}/callback/credentials`, {
          method: "POST",
          headers: { accept: "*/*", authorization: `Bearer ${client.token}` },
          body: new URLSearchParams(wrong),
        }),
        { ip: "192.0.2.1" },
      );
    for (let at = 0; at < 5; at++) expect((await attempt())?.status).toBe(401);
    const locked = await attempt();
    expect(locked?.status).toBe(429);
    expect(Number(locked?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await locked?.json()).toMatchObject({
      error: "CredentialsSignin",
      code: "rate_limited",
    });
  });

  it("a `Location` that a route of the application sets is not a redirect", async () => {
    const { client } = open({
      use: [
        definePlugin({
          name: "orders",
          setup: (kernel) =>
            kernel.addRoute({
              method: "POST",
              path: "/orders",
              handler: () =>
                Response.json({ id: 1 }, { status: 201, headers: { location: "/orders/1" } }),
            }),
        }),
      ],
    });
    const made = await client.post("/orders");
    expect([made.status, made.headers.get("location")]).toEqual([201, "/orders/1"]);
    expect(await made.json()).toEqual({ id: 1 });
  });

  it("a session that is too old for a change is 401 with the challenge of RFC 9470", async () => {
    const change = definePlugin({
      name: "change",
      setup: (kernel) =>
        kernel.addRoute({
          method: "POST",
          path: "/change",
          auth: "fresh",
          handler: (ctx) => ctx.json("changed"),
        }),
    });
    const { client } = open({ use: [change] });
    await client.signIn();
    expect(await (await client.post("/change")).json()).toBe("changed");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
    const response = await client.post("/change");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_user_authentication"',
    );
    expect(await response.json()).toMatchObject({ error: "FreshSessionRequired" });
  });

  it("a session is fresh for `freshAge` after its sign-in, also with an Auth.js adapter", async () => {
    const change = definePlugin({
      name: "change",
      setup: (kernel) =>
        kernel.addRoute({
          method: "POST",
          path: "/change",
          auth: "fresh",
          handler: (ctx) => ctx.json("changed"),
        }),
    });
    const { client } = open({
      use: [change],
      strategy: "database",
      store: memoryBackend(),
      without: ["getSessionStart"],
    });
    await client.signIn();
    expect((await client.post("/change")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
    expect((await client.post("/change")).status).toBe(401);
    await client.signIn();
    expect((await client.post("/change")).status).toBe(200);
  });

  it("a token in the application's own format does not contain the time of the sign-in", async () => {
    const store = memoryBackend();
    const without = ["getSessionStart"] as const;
    const session = { generateSessionToken: () => "a-token-of-the-application.zzzzzzz" };
    const web = createTestAuth({
      preset: standardPreset,
      store,
      without: [...without],
      strategy: "database",
      session,
    });
    await web.browser.signInWith("credentials", LOVELACE);
    const check = definePlugin({
      name: "check",
      setup: (kernel) =>
        kernel.addRoute({
          method: "POST",
          path: "/check",
          auth: "fresh",
          handler: (ctx) => ctx.json("fresh"),
        }),
    });
    const { client } = open({ use: [check], store, without: [...without], strategy: "database" });
    client.token = web.browser.cookies.get(COOKIE) ?? "";
    expect(await client.session()).not.toBeNull();
    expect((await client.post("/check")).status).toBe(401);
  });

  it("wrong credentials do not end the session of the token that was sent with them", async () => {
    const { app, client } = open();
    await client.signIn();
    const response = await client.post("/callback/credentials", { username: "eve" });
    app.log.expectErrors("CredentialsSignin");
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await client.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("an error that quotes the token is logged without it", async () => {
    const token = "opaque-token-of-a-client";
    const failing = definePlugin({
      name: "failing",
      setup: (kernel) =>
        kernel.hooks.request.tap("failing", ({ request }) => {
          throw new Error(`cannot use ${request.headers.get("authorization")?.slice(7)}`);
        }),
    });
    const { app, client } = open({ use: [failing] });
    expect((await client.post("/signout", {}, withToken(token))).status).toBe(500);
    const [error] = app.log.errors.splice(0);
    expect(error?.message).toContain("cannot use");
    expect(`${error?.message} ${error?.stack}`).not.toContain(token);
  });

  it("`getToken` of keyhook/jwt reads the same header", async () => {
    const { client } = open();
    await client.signIn();
    const req = new Request(`${ORIGIN}/api/notes`, { headers: withToken(client.token) });
    expect(await getToken({ req, secret: SECRET })).toMatchObject({ name: "Ada" });
  });
});

describe("bearer(): tokens of several cookies", () => {
  const cookie = (name: string, value: string, maxAge?: number): CookieToSet => ({
    name,
    value,
    attributes: maxAge === undefined ? {} : { maxAge },
  });

  it("a token too long for one cookie is sent and accepted in one piece", async () => {
    const { client } = open({
      callbacks: {
        jwt: ({ token }) => ({ ...token, long: "x".repeat(5000) }),
        session: ({ session, token }) => ({ ...session, length: String(token.long).length }),
      },
    });
    await client.signIn();
    expect(client.token.length).toBeGreaterThan(5000);
    expect(await client.session()).toMatchObject({ length: 5000 });
  });

  it.each([
    ["a whole value", [cookie("s", "a")], "a"],
    ["parts in any order", [cookie("s.1", "b"), cookie("s.0", "a")], "ab"],
    ["parts in place of a whole value", [cookie("s", "", 0), cookie("s.0", "a")], "a"],
    ["a whole value in place of parts", [cookie("s.0", "", 0), cookie("s", "a")], "a"],
    ["fewer parts", [cookie("s.0", "a"), cookie("s.1", "", 0)], "a"],
    ["a cleared value", [cookie("s", "", 0)], ""],
    ["cleared parts", [cookie("s.0", "", 0), cookie("s.1", "", 0)], ""],
    ["a value that expires at once", [cookie("s", "a", 0)], ""],
    ["another cookie", [cookie("other", "a")], undefined],
  ])("%s becomes the value that the browser would send", (_, cookies, value) => {
    expect(joinCookie(cookies, "s")).toBe(value);
  });
});

describe("bearer(): at boot", () => {
  it.each([
    ["OAuth", { providers: [credentials(), unservedOAuth("idp")] }, '"idp"'],
    [
      "email",
      {
        adapter: createTestAuth({ store: memoryBackend() }).adapter,
        providers: [Email({ id: "mail", sendVerificationRequest: async () => {} })],
      },
      '"mail"',
    ],
  ])("a provider of the type %s is refused by name", (_, config, id) => {
    const boot = () =>
      createAuth({
        secret: SECRET,
        env: { NODE_ENV: "test" },
        logger: { error() {} },
        ...config,
      } as AuthConfig)
        .use(bearer())
        .inspect();
    expect(boot).toThrow(id);
    expect(boot).toThrow("Configure these providers in an Auth without bearer()");
  });

  it.each([
    ["second factor", () => secondFactor({ issuer: "Keyhook" } as never)],
    ["provider logout", () => providerLogout()],
  ])("the plugin of the %s, which needs cookies, is refused", (_, plugin) => {
    const { app } = open({ use: [plugin()], errors: "allowed", store: memoryBackend() });
    expect(() => app.auth.inspect()).toThrow("conflicts with");
  });

  it("two bearer() plugins are refused", () => {
    const { app } = open({ use: [{ ...bearer(), name: "other" }], errors: "allowed" });
    expect(() => app.auth.inspect()).toThrow("a session transport");
  });

  it.each(["sid", "__Host-sid"])(
    "the names of the session's cookies are those of the configuration: %s",
    async (name) => {
      const { client } = open({ cookies: { sessionToken: { name } } });
      await client.signIn();
      expect(await client.session()).toMatchObject({ user: { name: ADA.name } });
    },
  );
});
