import { describe, expect, it } from "vitest";
import { createAuth as createH3 } from "../../presets/h3.ts";
import { createAuth as createNode } from "../../presets/node.ts";
import { createAuth } from "../../presets/standard.ts";
import { skipCSRFCheck } from "../../src/kernel.ts";
import type { AuthConfig, Env } from "../../src/kernel.ts";
import {
  createTestAuth,
  createLog,
  credentials,
  ENV,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  Rows,
  SECRET,
  setCookie,
  setCookieNames,
} from "../_app.ts";

const resolve = (config: AuthConfig = {}) => createTestAuth(config).kernel().config;
const withEnv = (env: Env, config: AuthConfig = {}) =>
  resolve({ env: { ...ENV, ...env }, ...config });

describe("SPEC Top-level configuration", () => {
  it("providers: default `[]`", async () => {
    const { browser } = createTestAuth({ providers: undefined as never });
    expect(await (await browser.get("/auth/providers")).json()).toEqual({});
  });

  it("adapter: the strategy defaults to database with an adapter, and an explicit jwt wins", () => {
    const adapter = plainAdapter(new Rows());
    const { auth, log } = createTestAuth({ adapter });
    expect(() => auth.inspect()).toThrow('No plugin provides the session strategy "database"');
    log.expectErrors("UnsupportedStrategy");
    expect(resolve({ adapter, session: { strategy: "jwt" } }).adapter).toBe(adapter);
  });

  it.each([
    ["standard", createAuth],
    ["h3", createH3],
    ["node", createNode],
  ])("basePath: `/auth` in the %s integration", (_, create) => {
    const { logger } = createLog();
    expect(create({ secret: SECRET, env: ENV, logger }).inspect().basePath).toBe("/auth");
  });

  it("callbacks: every callback is optional", async () => {
    const { browser } = createTestAuth({ callbacks: {} });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
  });

  it("cookies: names and options of any cookie can be overridden", async () => {
    const { browser } = createTestAuth({
      cookies: {
        sessionToken: { name: "sid", options: { sameSite: "strict", domain: "localhost" } },
        csrfToken: { name: "xsrf", options: { maxAge: 60 } },
        callbackUrl: { name: "back", options: { path: "/auth" } },
      },
    });
    const csrf = await browser.get("/auth/csrf");
    expect(setCookie(csrf, "xsrf")).toContain("; Max-Age=60; Path=/; HttpOnly; SameSite=Lax");
    const response = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/x" });
    expect(setCookie(response, "sid")).toMatch(/; Domain=localhost; Path=\/; .*SameSite=Strict$/);
    expect(setCookie(response, "back")).toContain("; Path=/auth; HttpOnly");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("debug: default false; true is warned about", () => {
    expect(resolve().debug).toBe(false);
    const { kernel, log } = createTestAuth({ debug: true });
    expect(kernel().config.debug).toBe(true);
    expect(log.warnings).toEqual(["debug-enabled"]);
  });

  it("events: default `{}`", () => {
    expect(resolve().events).toEqual({});
  });

  it("experimental: enableWebAuthn defaults to false, and enabling it is warned about", () => {
    expect(resolve().experimental).toEqual({ enableWebAuthn: false });
    expect(resolve({ experimental: {} }).experimental).toEqual({ enableWebAuthn: false });
    const { kernel, log } = createTestAuth({ experimental: { enableWebAuthn: true } });
    expect(kernel().config.experimental).toEqual({ enableWebAuthn: true });
    expect(log.warnings).toEqual(["experimental-webauthn"]);
  });

  it("jwt: enabled by default when no adapter is given", () => {
    expect(resolve().session.strategy).toBe("jwt");
  });

  it("logger: the application's error, warn and debug are called", async () => {
    const { browser, log } = createTestAuth({ secret: "short" });
    await browser.post("/auth/signout");
    expect(log.warnings).toEqual(["secret-short"]);
    log.expectErrors("MissingCSRF");
  });

  it("pages: override the built-in pages", async () => {
    const { browser } = createTestAuth({
      pages: {
        signIn: "/login",
        signOut: "/logout",
        error: "/oops",
        verifyRequest: "/mailed",
      },
    });
    const at = async (path: string) => (await browser.get(path)).headers.get("location");
    expect(await at("/auth/signin")).toMatch(/^http:\/\/localhost:3000\/login\b/);
    expect(await at("/auth/signout")).toMatch(/^http:\/\/localhost:3000\/logout\b/);
    expect(await at("/auth/error?error=AccessDenied")).toBe(`${ORIGIN}/oops?error=AccessDenied`);
    expect(await at("/auth/verify-request")).toMatch(/^http:\/\/localhost:3000\/mailed\b/);
  });

  it("redirectProxyUrl: defaults to AUTH_REDIRECT_PROXY_URL", () => {
    expect(resolve().redirectProxyUrl).toBeUndefined();
    const url = "https://proxy.example/auth";
    expect(withEnv({ AUTH_REDIRECT_PROXY_URL: url }).redirectProxyUrl).toBe(url);
    const own = "https://own.example/auth";
    expect(
      withEnv({ AUTH_REDIRECT_PROXY_URL: url }, { redirectProxyUrl: own }).redirectProxyUrl,
    ).toBe(own);
  });

  it("secret: a string or an array of strings", () => {
    expect(resolve({ secret: SECRET }).secret).toEqual([SECRET]);
    const other = "another-secret-0123456789abcdefghij";
    expect(resolve({ secret: [other, SECRET] }).secret).toEqual([other, SECRET]);
  });

  it("skipCSRFCheck: only the marker value switches the check off", async () => {
    const { browser } = createTestAuth({ skipCSRFCheck });
    const response = await browser.post("/auth/callback/credentials", LOVELACE);
    expect(setCookieNames(response)).toContain("authjs.session-token");
    for (const not of [true, Symbol("keyhook.skipCSRFCheck"), "skip", 1]) {
      expect(resolve({ skipCSRFCheck: not as never }).skipCSRFCheck).toBe(false);
    }
  });

  it("skipCSRFCheck: GET /csrf responds with 404, and a warning is logged", async () => {
    const { browser, log } = createTestAuth({ skipCSRFCheck });
    const response = await browser.get("/auth/csrf");
    expect(response.status).toBe(404);
    expect(setCookieNames(response)).toEqual([]);
    expect(log.warnings).toEqual(["csrf-disabled"]);
  });

  it("theme: applies to the built-in pages", async () => {
    const theme = { colorScheme: "dark", brandColor: "#123456", buttonText: "#fedcba" } as const;
    const { browser } = createTestAuth({ theme: { ...theme, logo: "/logo.svg" } });
    const html = await (await browser.get("/auth/signin")).text();
    expect(html).toContain("#123456");
    expect(html).toContain("/logo.svg");
    expect(resolve().theme).toEqual({});
  });

  it("trustHost: must be true for the Host header to be used in production", async () => {
    const trusting = createTestAuth({ trustHost: true, env: { NODE_ENV: "production" } });
    const browser = trusting.openBrowser("https://app.example");
    expect(await (await browser.get("/auth/providers")).text()).toContain("https://app.example/");
    const { auth, log } = createTestAuth({ env: { NODE_ENV: "production" } });
    expect(() => auth.inspect()).toThrow("not trusted");
    log.expectErrors("UntrustedHost");
  });

  it("useSecureCookies: unset by default, see Authentication 7", () => {
    expect(resolve().useSecureCookies).toBeUndefined();
    expect(resolve({ useSecureCookies: true }).useSecureCookies).toBe(true);
    expect(resolve({ useSecureCookies: false }).useSecureCookies).toBe(false);
  });
});

describe("SPEC Session options", () => {
  it("session.strategy: default `jwt`", () => {
    expect(resolve().session.strategy).toBe("jwt");
  });

  it("session.maxAge: default 2592000 (30 days)", () => {
    expect(resolve().session.maxAge).toBe(2_592_000);
    expect(resolve({ session: { maxAge: 60 } }).session.maxAge).toBe(60);
  });

  it("session.updateAge: default 86400 (1 day)", () => {
    expect(resolve().session.updateAge).toBe(86_400);
    expect(resolve({ session: { updateAge: 60 } }).session.updateAge).toBe(60);
  });

  it("session.generateSessionToken: default a random UUID", () => {
    const { generateSessionToken } = resolve().session;
    const [one, two] = [generateSessionToken(), generateSessionToken()];
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(one).not.toBe(two);
    const own = () => "mine";
    expect(resolve({ session: { generateSessionToken: own } }).session.generateSessionToken).toBe(
      own,
    );
  });
});

describe("SPEC JWT options", () => {
  it("jwt.maxAge: default 2592000, or session.maxAge", () => {
    expect(resolve().jwt.maxAge).toBe(2_592_000);
    expect(resolve({ session: { maxAge: 60 } }).jwt.maxAge).toBe(60);
    expect(resolve({ jwt: { maxAge: 30 }, session: { maxAge: 60 } }).jwt.maxAge).toBe(30);
  });

  it("jwt.secret: default the configuration's secret", () => {
    expect(resolve().jwt.secret).toBe(SECRET);
    expect(resolve({ jwt: { secret: "own" } }).jwt.secret).toBe("own");
  });

  it("jwt.encode, jwt.decode: unset by default", () => {
    expect(Object.keys(resolve().jwt).sort()).toEqual(["maxAge", "maxSize", "secret"]);
  });
});

describe("SPEC Authentication: the environment", () => {
  it("1. secret: AUTH_SECRET, or its legacy alias NEXTAUTH_SECRET", () => {
    const of = (env: Env) => withEnv(env, { secret: undefined as never }).secret;
    expect(of({ AUTH_SECRET: SECRET })).toEqual([SECRET]);
    expect(of({ NEXTAUTH_SECRET: SECRET })).toEqual([SECRET]);
    expect(of({ AUTH_SECRET: SECRET, NEXTAUTH_SECRET: "legacy" })).toEqual([SECRET]);
  });

  it("1. secret: the `secret` option takes precedence over the environment", () => {
    expect(withEnv({ AUTH_SECRET: "environment" }).secret).toEqual([SECRET]);
  });

  it("1. secret: AUTH_SECRET_1 to _3 rotate, and the highest one comes first", () => {
    const secrets = ["3", "2", "1", "0"].map((digit) => digit.repeat(32));
    const [AUTH_SECRET_3, AUTH_SECRET_2, AUTH_SECRET_1, AUTH_SECRET] = secrets;
    const all = { AUTH_SECRET, AUTH_SECRET_1, AUTH_SECRET_2, AUTH_SECRET_3 } as Env;
    expect(withEnv(all, { secret: [] }).secret).toEqual(secrets);
    const some = { AUTH_SECRET, AUTH_SECRET_2, AUTH_SECRET_1: "" } as Env;
    expect(withEnv(some, { secret: [] }).secret).toEqual([AUTH_SECRET_2, AUTH_SECRET]);
  });

  it("1. secret: MissingSecretError is thrown without one in production", () => {
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
    const { auth, log } = createTestAuth({ env, secret: "" });
    expect(() => auth.inspect()).toThrow("No secret");
    log.expectErrors("MissingSecret");
  });

  it("3. base URL: AUTH_URL, or its legacy alias NEXTAUTH_URL", () => {
    const url = "https://app.example/api/auth";
    const expected = { origin: "https://app.example", basePath: "/api/auth" };
    expect(withEnv({ AUTH_URL: url })).toMatchObject(expected);
    expect(withEnv({ NEXTAUTH_URL: url })).toMatchObject(expected);
    expect(withEnv({ AUTH_URL: url, NEXTAUTH_URL: "https://old.example" })).toMatchObject(expected);
  });

  it("4. host trust: AUTH_TRUST_HOST set to true", () => {
    const env = { NODE_ENV: "production", AUTH_TRUST_HOST: "true" };
    expect(resolve({ env }).trustHost).toBe(true);
  });
});

describe("SPEC Authentication 7: useSecureCookies", () => {
  const names = async (origin: string, config: AuthConfig = {}) =>
    setCookieNames(await createTestAuth(config).openBrowser(origin).get("/auth/csrf"));

  it("useSecureCookies defaults to false for http:// URLs and true for https:// URLs", async () => {
    expect(await names("http://app.example")).toEqual(["authjs.csrf-token"]);
    expect(await names("https://app.example")).toEqual(["__Host-authjs.csrf-token"]);
  });

  it("useSecureCookies follows the scheme of AUTH_URL when it is set", async () => {
    const env = { ...ENV, AUTH_URL: "https://app.example" };
    expect(await names("http://10.0.0.1", { env })).toEqual(["__Host-authjs.csrf-token"]);
  });

  it("a session cookie named __Host-... has no prefix over http, where browsers refuse the prefix", async () => {
    const cookies = { sessionToken: { name: "__Host-authjs.session-token" } };
    const { browser, openBrowser } = createTestAuth({ cookies });
    const plain = await browser.signInWith("credentials", LOVELACE);
    expect(setCookie(plain, "authjs.session-token")).not.toContain("Secure");
    expect(setCookieNames(plain)).not.toContain("__Host-authjs.session-token");
    expect(await browser.session()).not.toBeNull();
    const secure = await openBrowser("https://app.example").signInWith("credentials", LOVELACE);
    expect(setCookie(secure, "__Host-authjs.session-token")).toContain("; Secure");
  });

  it("every cookie of a sign-in over https has its name prefix and the Secure attribute", async () => {
    const { openBrowser } = createTestAuth();
    const browser = openBrowser("https://app.example");
    const csrf = await browser.get("/auth/csrf");
    const response = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/x" });
    const cookies = [...csrf.headers.getSetCookie(), ...response.headers.getSetCookie()];
    expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual([
      "__Host-authjs.csrf-token",
      "__Secure-authjs.callback-url",
      "__Secure-authjs.session-token",
      "__Host-authjs.csrf-token",
    ]);
    for (const cookie of cookies) {
      expect(cookie).toContain("; HttpOnly; Secure; SameSite=Lax");
      expect(cookie).toContain("; Path=/;");
    }
  });
});

describe("SPEC Provider configuration", () => {
  it("provider id, name and type: part of the URL, label on the button, and the flow", async () => {
    const { browser } = createTestAuth({
      providers: [credentials({ id: "staff", name: "Staff & Co" })],
    });
    expect(await (await browser.get("/auth/providers")).json()).toEqual({
      staff: {
        id: "staff",
        name: "Staff & Co",
        type: "credentials",
        signinUrl: `${ORIGIN}/auth/signin/staff`,
        callbackUrl: `${ORIGIN}/auth/callback/staff`,
        direct: true,
      },
    });
    expect(await (await browser.get("/auth/signin")).text()).toContain(
      "Sign in with Staff &amp; Co",
    );
  });

  it("provider id: unique among configured providers", () => {
    const { auth, log } = createTestAuth({ providers: [credentials(), credentials()] });
    expect(() => auth.inspect()).toThrow('Two providers have the id "credentials"');
    log.expectErrors("InvalidConfig");
  });
});
