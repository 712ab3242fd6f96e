import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { definePlugin, defineStore, getPendingLogin, resumeLogin } from "../../src/kernel.ts";
import { type Browser, createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, locationOf, type TestAuthOptions } from "../_app.ts";
import { ADA_AT_IDP } from "../oauth/_tokens.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Pauses the sign-ins of browsers that ask for it, until they accept. */
const terms = definePlugin({
  name: "terms",
  setup({ hooks, addRoute }) {
    hooks.login.tap("terms", (_, ctx) => {
      const isAsked = ctx.request.headers.get("cookie")?.includes("terms=1");
      return isAsked ? `${ctx.base}/terms` : undefined;
    });
    addRoute({
      method: "GET",
      path: "/terms",
      handler: async (ctx) =>
        ctx.json({ waits: (await getPendingLogin(ctx, "terms")) !== undefined }),
    });
    addRoute({ method: "POST", path: "/terms", handler: (ctx) => resumeLogin(ctx, "terms") });
  },
});

function createApp(options: TestAuthOptions, use: TestAuthOptions["use"] = []) {
  const idp = createIdentityProvider();
  const make = () =>
    createTestAuth({
      preset: standardPreset,
      errors: "read",
      idp,
      providers: [idp.provider()],
      ...options,
      use: [...use, terms],
    });
  return { ...make(), make, idp };
}

type App = Pick<ReturnType<typeof createApp>, "openBrowser" | "log">;

async function openPaused(app: App): Promise<Browser> {
  const browser = app.openBrowser();
  browser.cookies.set("terms", "1");
  expect(locationOf(await browser.signInAs(ADA_AT_IDP))).toBe("/auth/terms");
  return browser;
}

const accept = async (browser: Browser) =>
  browser.post("/auth/terms", { csrfToken: await browser.csrfToken() });

const endOthers = async (browser: Browser) =>
  browser.post("/auth/account", { sessions: "others", csrfToken: await browser.csrfToken() });

async function expectEnded({ log }: App, browser: Browser): Promise<void> {
  expect(await (await browser.get("/auth/terms")).json()).toEqual({ waits: false });
  expect(locationOf(await accept(browser))).toBe("/auth/signin?error=InvalidCheck");
  expect(await browser.session()).toBeNull();
  log.expectErrors("InvalidCheck");
}

async function expectResumed(browser: Browser): Promise<void> {
  expect(locationOf(await accept(browser))).toBe("/");
  expect(await browser.session()).not.toBeNull();
}

describe.each(["database", "hybrid"])(
  "a user who ends all other sessions, with the strategy %s",
  (strategy) => {
    it.each([
      ["a store", true],
      ["only an adapter", false],
    ])(
      "ends waiting sign-ins too, but not those that begin later, with %s",
      async (_, hasStore) => {
        using clock = createClock();
        const store = memoryBackend();
        const app = createApp({ strategy, store }, hasStore ? [defineStore(store)] : []);
        await app.browser.signInAs(ADA_AT_IDP);
        const before = await openPaused(app);
        expect(locationOf(await endOthers(app.browser))).toBe("/auth/account?done");
        clock.advance(1);
        const later = await openPaused(app);
        await expectEnded(app, before);
        await expectResumed(later);
        expect(await app.browser.session()).not.toBeNull();
      },
    );

    it("does not end sign-ins of another user", async () => {
      const store = memoryBackend();
      const app = createApp({ strategy, store }, [defineStore(store)]);
      await app.browser.signInAs({ sub: "bob-1", email: "bob@example.com" });
      const adas = await openPaused(app);
      await endOthers(app.browser);
      await expectResumed(adas);
    });

    it("ends waiting sign-ins of other processes that share the store", async () => {
      const store = memoryBackend();
      const app = createApp({ strategy, store }, [defineStore(store)]);
      const other = app.make();
      await app.browser.signInAs(ADA_AT_IDP);
      const waiting = await openPaused(other);
      await endOthers(app.browser);
      await expectEnded(other, waiting);
    });

    it.each([
      ["ahead", 60_000],
      ["ahead", 600_000],
      ["behind", -60_000],
      ["behind", -600_000],
    ])(
      "ends those of a process whose clock is %s by %i ms, but not those that begin there later",
      async (_, skew) => {
        using clock = createClock();
        const store = memoryBackend();
        const app = createApp({ strategy, store }, [defineStore(store)]);
        const other = app.make();
        const withSkew = async <T>(work: () => Promise<T>): Promise<T> => {
          clock.advance(skew);
          const result = await work();
          clock.advance(-skew);
          return result;
        };
        const elsewhere = other.openBrowser();
        await withSkew(() => elsewhere.signInAs(ADA_AT_IDP));
        await withSkew(() => endOthers(elsewhere));
        await app.browser.signInAs(ADA_AT_IDP);
        const before = await withSkew(() => openPaused(other));
        clock.advance(1000);
        expect(locationOf(await endOthers(app.browser))).toBe("/auth/account?done");
        clock.advance(1000);
        const later = await withSkew(() => openPaused(other));
        await withSkew(() => expectEnded(other, before));
        await withSkew(() => expectResumed(later));
      },
    );
  },
);

it.each(["jwt", "database", "hybrid"])(
  "a sign-out ends a waiting sign-in in its browser, with the strategy %s",
  async (strategy) => {
    const store = memoryBackend();
    const app = createApp({ strategy, store }, [defineStore(store)]);
    await app.browser.signInAs(ADA_AT_IDP);
    app.browser.cookies.set("terms", "1");
    expect(locationOf(await app.browser.signInAs(ADA_AT_IDP))).toBe("/auth/terms");
    await app.browser.signOut();
    await expectEnded(app, app.browser);
  },
);

describe.each(["jwt", "database", "hybrid"])(
  "a provider that ends a session, with the strategy %s",
  (strategy) => {
    it.each([
      ["all of a user's", {}],
      ["one", { sid: "sid-1" }],
    ])("ends waiting sign-ins too: %s", async (_, claims) => {
      const app = createApp({ strategy }, [
        defineStore(memoryBackend()),
        storeAdapter(),
        backchannelLogout({ checkAge: 0 }),
      ]);
      app.idp.tamper.idToken = (given) => ({ ...given, sid: "sid-1" });
      const waiting = await openPaused(app);
      const iat = Math.floor(Date.now() / 1000);
      const token = await app.idp.sign(
        {
          ...{ iss: app.idp.issuer, aud: "client", iat, exp: iat + 120, jti: "jti-1" },
          ...{ events: { [EVENT]: {} }, sub: ADA_AT_IDP.sub, ...claims },
        },
        { typ: "logout+jwt" },
      );
      const path = "/auth/backchannel-logout/idp";
      const response = await app.openBrowser().post(path, { logout_token: token });
      expect(response.status).toBe(200);
      await expectEnded(app, waiting);
    });
  },
);
