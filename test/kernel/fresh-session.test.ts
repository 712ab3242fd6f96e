import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { decode } from "../../src/jwt/jwt.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { Adapter, Route } from "../../src/kernel.ts";
import { type Browser, createClock } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  ENV,
  isSignedIn,
  locationOf,
  LOVELACE,
  ORIGIN,
  queryOf,
  type TestAuth,
  type TestAuthOptions,
  SECRET,
} from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { createClaimsApp } from "./_claims-app.ts";

const routes = (...given: Partial<Route>[]) =>
  definePlugin({
    name: "test/routes",
    setup(kernel) {
      for (const one of given) {
        kernel.addRoute({
          method: "POST",
          path: "/keys",
          auth: "fresh",
          handler: (ctx) => ctx.json({ done: true }),
          ...one,
        });
      }
    },
  });

/** Adapters and strategies that keep the time of the sign-in in different places. */
const PLACES: [place: string, options: () => TestAuthOptions][] = [
  ["the session token (jwt)", () => ({ store: memoryBackend(), strategy: "jwt" })],
  ["the record of the store adapter (database)", () => ({ store: memoryBackend() })],
  ["a sealed cookie (database, an adapter of Auth.js)", () => ({ adapter: authJsAdapter() })],
];

/** Keeps only the session fields of the Auth.js contract. */
function authJsAdapter(): Adapter {
  const { getSessionStart: _, ...adapter } = adapterOn(memoryBackend());
  return adapter;
}

const post = async (browser: Browser, path: string, fields: Record<string, string> = {}) =>
  browser.post(path, { csrfToken: await browser.csrfToken(), ...fields });

const toRequest = ({ cookies }: Browser) =>
  new Request(ORIGIN, {
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  });

const signIn = (app: TestAuth, browser = app.browser) =>
  browser.signInWith("credentials", LOVELACE);

describe.each(PLACES)("fresh sessions, with the time of the sign-in in %s", (_, getOptions) => {
  const open = (more: TestAuthOptions = {}) =>
    createTestAuth({
      preset: standardPreset,
      use: [routes({}, { method: "GET", path: "/keys", json: true })],
      ...getOptions(),
      ...more,
    });
  const isFresh = async ({ browser }: TestAuth) =>
    (await post(browser, "/auth/keys")).status === 200;

  it("a session is fresh for an hour and then no longer", async () => {
    using clock = createClock();
    const app = open();
    await signIn(app);
    clock.advance("59 minutes");
    expect(await isFresh(app)).toBe(true);
    clock.advance("2 minutes");
    expect(await isFresh(app)).toBe(false);
    expect(await isSignedIn(app.browser)).toBe(true);
  });

  it("auth.requireFreshSession() resolves to a fresh session, and rejects with an older one and without one", async () => {
    using clock = createClock();
    const app = open();
    const { auth } = app;
    await expect(auth.requireFreshSession(new Request(ORIGIN))).rejects.toMatchObject({
      type: "SessionRequired",
      status: 401,
    });
    await signIn(app);
    const fresh = await auth.requireFreshSession(toRequest(app.browser));
    expect(fresh).toEqual(await app.browser.session());
    clock.advance("61 minutes");
    await expect(auth.requireFreshSession(toRequest(app.browser))).rejects.toMatchObject({
      type: "FreshSessionRequired",
      status: 401,
    });
    expect(await auth.requireSession(toRequest(app.browser))).toMatchObject({ user: fresh.user });
  });

  it("neither reading, extending nor updating a session makes it fresh", async () => {
    using clock = createClock();
    const app = open({
      session: { updateAge: 0 },
      callbacks: {
        jwt: ({ token, session }) => ({ ...token, ...(session as object) }),
        session: ({ session }) => session,
      },
    });
    await signIn(app);
    for (let at = 0; at < 3; at++) {
      clock.advance("30 minutes");
      await app.browser.session();
      const data = { auth_time: Math.floor(Date.now() / 1000) };
      await post(app.browser, "/auth/session", { data: JSON.stringify(data) });
      await app.auth.update(toRequest(app.browser), data);
    }
    expect(await isFresh(app)).toBe(false);
  });

  it("a sign-in makes it fresh again", async () => {
    using clock = createClock();
    const app = open();
    await signIn(app);
    clock.advance("5 hours");
    expect(await isFresh(app)).toBe(false);
    await signIn(app);
    expect(await isFresh(app)).toBe(true);
  });

  it("`session.freshAge` sets the limit in seconds, and 0 turns it off", async () => {
    for (const [freshAge, expected] of [
      [60, [true, false, false]],
      [7200, [true, true, false]],
      [0, [true, true, true]],
    ] as const) {
      using clock = createClock();
      const app = open({ session: { freshAge } });
      await signIn(app);
      const seen = [];
      for (const pause of ["50 seconds", "1 hour", "10 hours"] as const) {
        clock.advance(pause);
        seen.push(await isFresh(app));
      }
      expect([freshAge, seen]).toEqual([freshAge, expected]);
    }
  });

  it("a session without a known sign-in time is not fresh, and stays", async () => {
    const app = open();
    await signIn(app);
    const { browser } = app;
    if (getOptions().store && getOptions().strategy !== "jwt") return;
    const token = browser.cookies.get("authjs.session-token") ?? "";
    browser.cookies.delete("keyhook.auth-time");
    if (getOptions().strategy === "jwt") {
      const { tokens, config } = app.kernel();
      const salt = "authjs.session-token";
      const { payload } = (await tokens.read({ token, secret: config.secret, salt }))!;
      const { auth_time: __, ...older } = payload;
      const value = await tokens.encode({ token: older, secret: config.secret, salt, maxAge: 900 });
      browser.cookies.set(salt, value);
    }
    expect(await isFresh(app)).toBe(false);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("a time that is sealed for one session makes no other session fresh", async () => {
    using clock = createClock();
    const app = open();
    await signIn(app);
    clock.advance("5 hours");
    const eve = app.openBrowser();
    await signIn(app, eve);
    const sealed = eve.cookies.get("keyhook.auth-time");
    if (sealed !== undefined) app.browser.cookies.set("keyhook.auth-time", sealed);
    expect(await isFresh(app)).toBe(false);
  });

  it("a JSON route responds to an older session with FreshSessionRequired and a page to sign in", async () => {
    using clock = createClock();
    const app = open();
    await signIn(app);
    clock.advance("2 hours");
    const referer = `${ORIGIN}/settings?tab=keys`;
    const response = await app.browser.get("/auth/keys", { headers: { referer } });
    expect(response.status).toBe(401);
    const callbackUrl = encodeURIComponent(referer);
    expect(await response.json()).toEqual({
      error: "FreshSessionRequired",
      message: "Sign in again before you make this change.",
      url: `${ORIGIN}/auth/signin?error=FreshSessionRequired&callbackUrl=${callbackUrl}`,
    });
  });
});

describe("the way back after FreshSessionRequired", () => {
  const visit = async (path: string, given: RequestInit & { fields?: Record<string, string> }) => {
    using clock = createClock();
    const app = createTestAuth({
      use: [
        routes(
          {},
          { path: "/keys/:id" },
          { path: "/other" },
          { method: "GET", path: "/keys", auth: true },
          { method: "GET", path: "/secret" },
        ),
      ],
    });
    await signIn(app);
    clock.advance("2 hours");
    const { fields, ...init } = given;
    const csrfToken = await app.browser.csrfToken();
    const response = fields
      ? await app.browser.post(path, { csrfToken, ...fields }, init)
      : await app.browser.get(path, init);
    expect(response.status).toBe(302);
    expect(locationOf(response)).toContain("/auth/signin?error=FreshSessionRequired");
    return queryOf(response).callbackUrl;
  };

  it("a visit leads back to the URL that was visited", async () => {
    for (const headers of [{}, { referer: `${ORIGIN}/auth/account` }]) {
      expect(await visit("/auth/secret?a=1", { headers })).toBe(`${ORIGIN}/auth/secret?a=1`);
    }
  });

  it("a form leads back to its page, without the results of an earlier change", async () => {
    const headers = { referer: `${ORIGIN}/settings?tab=1&done=&error=x` };
    expect(await visit("/auth/other", { fields: {}, headers })).toBe(`${ORIGIN}/settings?tab=1`);
  });

  it("without a referring page, the target is the page of the form's path, or else the posted target", async () => {
    expect(await visit("/auth/keys", { fields: {} })).toBe(`${ORIGIN}/auth/keys`);
    expect(await visit("/auth/keys/1", { fields: { callbackUrl: "/here" } })).toBe(
      `${ORIGIN}/here`,
    );
    expect(await visit("/auth/other", { fields: {} })).toBeUndefined();
  });

  it.each(["https://evil.example/", "//evil.example", "javascript:alert(1)", "x"])(
    "the way back never leads to %j",
    async (url) => {
      const fields = { callbackUrl: url };
      const back = await visit("/auth/other", { fields, headers: { referer: url } });
      expect(new URL(back ?? ORIGIN).origin).toBe(ORIGIN);
    },
  );

  it("the sign-in page says why, and its form leads back", async () => {
    using clock = createClock();
    const app = createTestAuth({ use: [routes({ method: "GET", path: "/secret" })] });
    await signIn(app);
    clock.advance("2 hours");
    const page = await app.browser.get(locationOf(await app.browser.get("/auth/secret")));
    const html = await page.text();
    expect(html).toContain("To protect your account, sign in again before you make this change.");
    expect(html).toContain(`value="${ORIGIN}/auth/secret"`);
    const fields = { ...LOVELACE, callbackUrl: `${ORIGIN}/auth/secret` };
    expect(locationOf(await app.browser.signInWith("credentials", fields))).toBe("/auth/secret");
    expect((await app.browser.get("/auth/secret")).status).toBe(200);
  });
});

describe("operations that require a fresh session", () => {
  const github = { provider: "claims", providerAccountId: "1" };
  const claims = { sub: "1", email: "ada@example.com", email_verified: true };

  it.each(["jwt", "database"])(
    "linking an account requires one when the attempt begins, and not when it ends (%s)",
    async (strategy) => {
      using clock = createClock();
      const app = createClaimsApp({ strategy });
      await app.signIn(claims);
      clock.advance("59 minutes");
      await app.startSignIn(app.browser, true, "key");
      clock.advance("5 minutes");
      await app.finishSignIn({ sub: "2" }, app.browser, "key");
      expect(app.log.errors).toEqual([]);
      expect(app.calls).toContain("linkAccount");
      clock.advance("2 hours");
      const refused = await app.startSignIn(app.browser, true, "trusted");
      expect(locationOf(refused)).toContain("/auth/signin?error=FreshSessionRequired");
      // Without `link`, it is an ordinary sign-in.
      expect(locationOf(await app.startSignIn())).toContain("/?state=");
    },
  );

  it("auth.signIn() with `link` throws FreshSessionRequired", async () => {
    using clock = createClock();
    const app = createClaimsApp();
    await app.signIn(claims);
    clock.advance("2 hours");
    const call = app.auth.signIn(toRequest(app.browser), "key", { link: true });
    await expect(call).rejects.toMatchObject({ type: "FreshSessionRequired", status: 401 });
  });

  it.each(["jwt", "database"])("removing an account requires one (%s)", async (strategy) => {
    using clock = createClock();
    const app = createClaimsApp({ strategy, use: [await accountPage()] });
    await app.signIn(claims);
    await app.adapter.linkAccount?.({
      provider: "key",
      providerAccountId: "2",
      type: "key",
      userId: (await app.getUserId()) ?? "",
    });
    clock.advance("2 hours");
    const fields = { provider: github.provider, account: github.providerAccountId };
    const refused = await post(app.browser, "/auth/account", fields);
    expect(locationOf(refused)).toBe(
      `/auth/signin?error=FreshSessionRequired&callbackUrl=${encodeURIComponent(`${ORIGIN}/auth/account`)}`,
    );
    expect(await app.adapter.getUserByAccount?.(github)).not.toBeNull();
    await app.signIn({ sub: "2" }, app.browser, false, "key");
    expect(locationOf(await post(app.browser, "/auth/account", fields))).toBe("/auth/account?done");
    expect(await app.adapter.getUserByAccount?.(github)).toBeNull();
  });

  it.each([
    ["one other session", async (id: string) => ({ session: id })],
    ["all other sessions", async () => ({ sessions: "others" })],
  ])("ending %s requires one", async (_, getFields) => {
    using clock = createClock();
    const app = createClaimsApp({ use: [await accountPage()] });
    await app.signIn(claims);
    const other = app.openBrowser();
    await app.signIn(claims, other);
    const userId = (await app.getUserId()) ?? "";
    const token = app.browser.cookies.get("authjs.session-token");
    const listed = (await app.adapter.listSessionsByUserId?.(userId, token)) ?? [];
    const fields = await getFields(listed.find(({ isCurrent }) => !isCurrent)?.id ?? "");
    clock.advance("2 hours");
    const refused = await post(app.browser, "/auth/account", fields as Record<string, string>);
    expect(locationOf(refused)).toContain("FreshSessionRequired");
    expect(await isSignedIn(other)).toBe(true);
    await app.signIn(claims);
    await post(app.browser, "/auth/account", fields as Record<string, string>);
    expect(await isSignedIn(other)).toBe(false);
  });

  it.each(["jwt", "database"])(
    "adding and removing a passkey requires one (%s)",
    async (strategy) => {
      using clock = createClock();
      const app = createPasskeyApp({ strategy, env: ENV });
      await app.register();
      const userId = (await app.getUserId()) ?? "";
      const [passkey] = (await app.adapter.listAuthenticatorsByUserId?.(userId)) ?? [];
      clock.advance("2 hours");
      const path = "/auth/webauthn-options/passkey?action=register";
      const refused = await app.browser.get(path);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: "FreshSessionRequired" });
      const fields = { passkey: passkey?.credentialID ?? "" };
      const kept = await post(app.browser, "/auth/passkeys", fields);
      expect(locationOf(kept)).toContain("FreshSessionRequired");
      // A sign-in by passkey is not affected, and makes the session fresh.
      await app.signIn();
      expect((await app.browser.get(path)).status).toBe(200);
      expect(locationOf(await post(app.browser, "/auth/passkeys", fields))).toBe(
        "/auth/account?failed=last",
      );
    },
  );

  it("setting up a second factor, renewing its recovery codes and turning it off require one", async () => {
    using clock = createClock();
    const { createFactorApp, setUp } = await import("../security/_second-factor.ts");
    const app = createFactorApp();
    await signIn(app);
    await setUp(app.browser);
    clock.advance("2 hours");
    const shown = await app.browser.get("/auth/second-factor/setup");
    expect(locationOf(shown)).toContain("/auth/signin?error=FreshSessionRequired");
    for (const path of ["setup", "recovery-codes", "remove"]) {
      const refused = await post(app.browser, `/auth/second-factor/${path}`, { code: "000000" });
      expect(locationOf(refused)).toContain("FreshSessionRequired");
    }
  });
});

describe("boot and `auth: fresh`", () => {
  it("an unknown `auth` of a route is a PluginError that names the plugin", () => {
    const auth = "recent" as "fresh";
    const app = createTestAuth({ use: [routes({ auth })] });
    expect(() => app.auth.inspect()).toThrow(/POST \/keys.*test\/routes.*"fresh"/);
    app.log.expectErrors("PluginError");
  });

  it("inspect() lists the routes that require a fresh session", () => {
    const { routes: listed } = createTestAuth({ use: [routes({})] }).auth.inspect();
    expect(listed.find(({ path }) => path === "/keys")?.auth).toBe("fresh");
  });

  it.each([-1, Number.NaN, Infinity, "1h"])("session.freshAge of %j is a fault", (freshAge) => {
    const app = createTestAuth({ session: { freshAge: freshAge as number } });
    expect(() => app.auth.inspect()).toThrow("session.freshAge");
    app.log.expectErrors("InvalidConfig");
  });

  it("a strategy that does not report the time of the sign-in is an error with the fix", async () => {
    const use = [
      routes({}),
      definePlugin({
        name: "test/strategy",
        provides: ["strategy:own"],
        setup(kernel) {
          kernel.addStrategy("own", {
            create: () => () => {},
            read: () => ({ id: "1", session: { expires: new Date().toISOString() } }),
            update: () => null,
            current: () => null,
            destroy: () => undefined,
          });
        },
      }),
    ];
    for (const freshAge of [0, 60]) {
      const app = createTestAuth({ use, session: { strategy: "own", freshAge } });
      const response = await post(app.browser, "/auth/keys");
      expect(response.status).toBe(freshAge ? 302 : 200);
      const [error] = app.log.expectErrors(...(freshAge ? ["PluginError"] : []));
      if (freshAge) expect(error?.message).toContain("authTime");
    }
  });

  it("a handler that requires one without an adapter and a declared route gets an error with the fix", async () => {
    const handler: Route["handler"] = async (ctx) => ctx.json(await ctx.requireFreshSession());
    const app = createTestAuth({ use: [routes({ auth: true, handler })] });
    await signIn(app);
    expect((await post(app.browser, "/auth/keys")).status).toBe(302);
    expect(app.log.expectErrors("PluginError")[0]?.message).toContain('`auth: "fresh"`');
  });

  it("an adapter that keeps the start of sessions needs no cookie, nor does `freshAge: 0`", async () => {
    for (const [options, has] of [
      [{ store: memoryBackend() }, false],
      [{ adapter: authJsAdapter() }, true],
      [{ adapter: authJsAdapter(), session: { freshAge: 0 } }, false],
    ] as const) {
      const app = createTestAuth({ preset: standardPreset, ...options });
      await signIn(app);
      expect(app.browser.cookies.has("keyhook.auth-time")).toBe(has);
      await post(app.browser, "/auth/signout");
      expect(app.browser.cookies.has("keyhook.auth-time")).toBe(false);
    }
  });
});

it("the cookie with the time of the sign-in expires after `freshAge`, and scripts cannot read it", async () => {
  const app = createTestAuth({
    preset: standardPreset,
    adapter: authJsAdapter(),
    session: { freshAge: 600 },
  });
  const response = await app.browser.signInWith("credentials", LOVELACE);
  const [cookie] = response.headers.getSetCookie().filter((one) => one.includes("auth-time"));
  expect(cookie).toMatch(/Max-Age=600;.* Expires=.*HttpOnly; SameSite=Lax/);
  const salt = "keyhook.auth-time";
  const token = app.browser.cookies.get(salt) ?? "";
  const claims = await decode({ token, secret: SECRET, salt });
  expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(600);
});

async function accountPage() {
  return (await import("../../plugins/pages/account.ts")).accountPage();
}
