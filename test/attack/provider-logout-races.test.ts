import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { definePlugin, defineStore, type Plugin, resumeLogin } from "../../src/kernel.ts";
import { type Browser, createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth } from "../_app.ts";
import { ADA_AT_IDP } from "../oauth/_tokens.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const LINKED = { sub: "second-1", name: "Ada" };

/** Pauses the sign-ins of browsers that ask for it, until they accept. The value 2 pauses twice. */
const terms = (name: string, times: number): Plugin =>
  definePlugin({
    name,
    setup({ hooks, addRoute }) {
      hooks.login.tap(name, (_, ctx) => {
        const [, asked = 0] = /terms=(\d)/.exec(ctx.request.headers.get("cookie") ?? "") ?? [];
        return Number(asked) >= times ? `${ctx.base}/${name}` : undefined;
      });
      addRoute({ method: "POST", path: `/${name}`, handler: (ctx) => resumeLogin(ctx, name) });
    },
  });

/** Two processes of one application, which share a store. The second one receives what the provider sends. */
function createApp(strategy: string) {
  const idp = createIdentityProvider();
  const shared = memoryBackend();
  let sid = 0;
  idp.tamper.idToken = (claims) => ({ ...claims, sid: `sid-${++sid}` });
  let during: (() => Promise<void>) | undefined;
  const make = () =>
    createTestAuth({
      preset: standardPreset,
      errors: "read",
      idp,
      providers: [idp.provider(), idp.provider({ id: "second" })],
      session: { strategy, ...(strategy === "hybrid" && { checkAge: 0 }) },
      use: [
        defineStore(shared),
        ...(strategy === "jwt" ? [] : [storeAdapter()]),
        backchannelLogout({ checkAge: strategy === "jwt" ? 0 : 600 }),
        terms("terms", 1),
        definePlugin({
          name: "slow",
          setup: ({ hooks }) =>
            hooks.login.tap("slow", async () => {
              const work = during;
              during = undefined;
              await work?.();
              return undefined;
            }),
        }),
        terms("more-terms", 2),
      ],
    });
  const app = make();
  const provider = make().openBrowser();
  let serial = 0;
  const logout = async (claims: object) => {
    const iat = Math.floor(Date.now() / 1000);
    const token = await idp.sign(
      {
        ...{ iss: idp.issuer, aud: "client", iat, exp: iat + 120, jti: `jti-${++serial}` },
        ...{ events: { [EVENT]: {} }, ...claims },
      },
      { typ: "logout+jwt" },
    );
    const headers = { origin: idp.issuer };
    const path = "/auth/backchannel-logout/idp";
    expect((await provider.post(path, { logout_token: token }, { headers })).status).toBe(200);
  };
  return {
    ...app,
    logout,
    /** Sets what happens during the next sign-in. */
    while(work: () => Promise<void>) {
      during = work;
    },
  };
}

const accept = async (browser: Browser, path: string) =>
  browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken() });

const CLAIMS = [{ sid: "sid-1" }, { sub: "ada-1" }, { sid: "sid-1", sub: "ada-1" }];

describe.each(["jwt", "database", "hybrid"])(
  "a logout by the provider, under the strategy %s",
  (strategy) => {
    it.each(CLAIMS)("ends a sign-in in progress: %o", async (claims) => {
      const app = createApp(strategy);
      app.while(() => app.logout(claims));
      await app.browser.signInAs(ADA_AT_IDP);
      expect(await app.browser.session()).toBeNull();
      await app.browser.signInAs(ADA_AT_IDP);
      expect(await app.browser.session()).not.toBeNull();
    });

    it.each(CLAIMS)("ends a paused sign-in, which cannot be resumed: %o", async (claims) => {
      const app = createApp(strategy);
      app.browser.cookies.set("terms", "1");
      await app.browser.signInAs(ADA_AT_IDP);
      await app.logout(claims);
      await accept(app.browser, "terms");
      expect(await app.browser.session()).toBeNull();
      expect(app.log.errors.filter(({ type }) => type !== "InvalidCheck")).toEqual([]);
    });

    it.each(CLAIMS)("ends a sign-in that is paused a second time: %o", async (claims) => {
      using clock = createClock();
      const app = createApp(strategy);
      app.browser.cookies.set("terms", "2");
      await app.browser.signInAs(ADA_AT_IDP);
      clock.advance(1000);
      app.while(async () => {
        await app.logout(claims);
        clock.advance(1000);
      });
      await accept(app.browser, "terms");
      clock.advance(1000);
      await accept(app.browser, "more-terms");
      expect(await app.browser.session()).toBeNull();
      expect(app.log.errors.filter(({ type }) => type !== "InvalidCheck")).toEqual([]);
    });

    it.each([0, 60_000, -60_000])(
      "does not end a paused sign-in that began later, whatever the clock of the receiving process: %i ms",
      async (skew) => {
        using clock = createClock();
        const app = createApp(strategy);
        await app.browser.signInAs(ADA_AT_IDP);
        clock.advance(skew);
        await app.logout({ sub: "ada-1" });
        clock.advance(1000 - skew);
        app.browser.cookies.set("terms", "1");
        await app.browser.signInAs(ADA_AT_IDP);
        clock.advance(1000);
        await accept(app.browser, "terms");
        expect(await app.browser.session()).not.toBeNull();
      },
    );

    it.each([60_000, -60_000])(
      "ends a paused sign-in, although the clock of the receiving process differs: %i ms",
      async (skew) => {
        using clock = createClock();
        const app = createApp(strategy);
        app.browser.cookies.set("terms", "1");
        await app.browser.signInAs(ADA_AT_IDP);
        clock.advance(1000 + skew);
        await app.logout({ sub: "ada-1" });
        clock.advance(1000 - skew);
        await accept(app.browser, "terms");
        expect(await app.browser.session()).toBeNull();
        expect(app.log.errors.filter(({ type }) => type !== "InvalidCheck")).toEqual([]);
      },
    );
  },
);

describe.each(["database", "hybrid"])(
  "a user who has signed in before, under the strategy %s",
  (strategy) => {
    it("gets no session from a sign-in that ended while it was paused a second time", async () => {
      const app = createApp(strategy);
      const elsewhere = app.openBrowser();
      await elsewhere.signInAs(ADA_AT_IDP);
      app.browser.cookies.set("terms", "2");
      await app.browser.signInAs(ADA_AT_IDP);
      app.while(async () => {
        const csrfToken = await elsewhere.csrfToken();
        await elsewhere.post("/auth/account", { sessions: "others", csrfToken });
      });
      await accept(app.browser, "terms");
      await accept(app.browser, "more-terms");
      expect(await app.browser.session()).toBeNull();
      app.log.expectErrors("InvalidCheck");
    });

    it("gets no session from a sign-in that the provider ends while it is in progress", async () => {
      const app = createApp(strategy);
      await app.openBrowser().signInAs(ADA_AT_IDP);
      app.while(() => app.logout({ sub: "ada-1" }));
      await app.browser.signInAs(ADA_AT_IDP);
      expect(await app.browser.session()).toBeNull();
    });
  },
);

describe.each(["database", "hybrid"])(
  "a session that continues with a linked account, under the strategy %s",
  (strategy) => {
    it.each(CLAIMS)("ends with the session that it came from: %o", async (claims) => {
      const app = createApp(strategy);
      await app.browser.signInAs(ADA_AT_IDP);
      app.while(() => app.logout(claims));
      await app.browser.signInAs(LINKED, "second", { link: "true" });
      expect(await app.browser.session()).toBeNull();
    });

    it("does not end with an earlier logout", async () => {
      const app = createApp(strategy);
      await app.browser.signInAs(ADA_AT_IDP);
      await app.logout({ sub: "ada-1" });
      await app.browser.signInAs(ADA_AT_IDP);
      await app.browser.signInAs(LINKED, "second", { link: "true" });
      expect(await app.browser.session()).not.toBeNull();
    });
  },
);
