import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import {
  backchannelLogout,
  type BackchannelLogoutOptions,
} from "../../plugins/oauth/backchannel-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { standardPreset } from "../../presets/index.ts";
import { definePlugin, defineStore, type StoreBackend } from "../../src/kernel.ts";
import { createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import type { IdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, credentials, LOVELACE, type TestAuthOptions } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { ADA_AT_IDP } from "./_tokens.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

interface Options extends TestAuthOptions {
  logout?: BackchannelLogoutOptions;
  shared?: StoreBackend;
  idp?: IdentityProvider;
}

function createApp(strategy: "jwt" | "database" | "hybrid", options: Options = {}) {
  const { logout, shared = memoryBackend(), idp = createIdentityProvider(), ...rest } = options;
  let sid = 0;
  idp.tamper.idToken ??= (claims) => ({ ...claims, sid: `sid-${++sid}` });
  const app = createTestAuth({
    preset: standardPreset,
    idp,
    providers: [idp.provider()],
    ...(strategy === "hybrid" && { session: { strategy, checkAge: logout?.checkAge ?? 30 } }),
    use: [
      defineStore(shared),
      ...(strategy === "jwt" ? [] : [storeAdapter()]),
      backchannelLogout(logout),
    ],
    ...rest,
  });
  const now = () => Math.floor(Date.now() / 1000);
  let serial = 0;
  const sign = (claims: object, header: object = { typ: "logout+jwt" }) =>
    idp.sign(
      {
        ...{ iss: idp.issuer, aud: "client", iat: now(), exp: now() + 120, jti: `jti-${++serial}` },
        events: { [EVENT]: {} },
        ...claims,
      },
      header as Record<string, unknown>,
    );
  const provider = app.openBrowser();
  return Object.assign(app, {
    idp,
    sign,
    /** Posts a logout token as the provider does. */
    post: (token: string, path = "/auth/backchannel-logout/idp") =>
      provider.post(path, { logout_token: token }, { headers: { origin: idp.issuer } }),
  });
}

const isSignedIn = async ({ browser }: Pick<ReturnType<typeof createApp>, "browser">) =>
  (await browser.session()) !== null;

describe.each(["jwt", "database", "hybrid"] as const)(
  "backchannelLogout() with the strategy %s",
  (strategy) => {
    it("ends only the session that began with the provider's session", async () => {
      const app = createApp(strategy, { logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      const other = app.openBrowser();
      await other.signInAs(ADA_AT_IDP);
      expect(await isSignedIn(app)).toBe(true);
      const response = await app.post(await app.sign({ sid: "sid-1", sub: "ada-1" }));
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(await isSignedIn(app)).toBe(false);
      expect(await isSignedIn({ browser: other })).toBe(true);
    });

    it.each([{ sid: "sid-1", sub: "ada-1" }, { sub: "ada-1" }])(
      "ends a session at once in the process that receives the token: %o",
      async (claims) => {
        const app = createApp(strategy, { logout: { checkAge: 600 } });
        await app.browser.signInAs(ADA_AT_IDP);
        expect(await isSignedIn(app)).toBe(true);
        expect((await app.post(await app.sign(claims))).status).toBe(200);
        expect(await isSignedIn(app)).toBe(false);
      },
    );

    it("ends every session of a user for a token without `sid`, but no session of a later sign-in", async () => {
      using clock = createClock();
      const app = createApp(strategy, { logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      const [second, bob, later] = [app.openBrowser(), app.openBrowser(), app.openBrowser()];
      await second.signInAs(ADA_AT_IDP);
      await bob.signInAs({ sub: "bob-1", email: "bob@example.com" });
      expect((await app.post(await app.sign({ sub: "ada-1" }))).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
      expect(await isSignedIn({ browser: second })).toBe(false);
      expect(await isSignedIn({ browser: bob })).toBe(true);
      clock.advance("1 second");
      await later.signInAs(ADA_AT_IDP);
      expect(await isSignedIn({ browser: later })).toBe(true);
    });

    it.each(["-30 seconds", "30 seconds", "0 seconds"])(
      "ends what began before a logout and nothing that begins after it, even if the receiving process has a clock that is %s off",
      async (skew) => {
        using clock = createClock();
        const app = createApp(strategy, { logout: { checkAge: 0 } });
        let step = Number.parseInt(skew, 10) * 1000;
        for (let round = 0; round < 3; round++) {
          clock.advance(1000);
          const browser = app.openBrowser();
          await browser.signInAs(ADA_AT_IDP);
          clock.advance(step);
          expect((await app.post(await app.sign({ sub: "ada-1" }))).status).toBe(200);
          expect(await isSignedIn({ browser })).toBe(false);
          clock.advance(-step);
          step = -step;
        }
        await app.browser.signInAs(ADA_AT_IDP);
        expect(await isSignedIn(app)).toBe(true);
      },
    );

    it("ends a session that was used for longer than the index keeps its entry, with the user's other sessions", async () => {
      using clock = createClock();
      const app = createApp(strategy, { logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      for (let day = 0; day < 100; day += 20) {
        clock.advance("20 days");
        expect(await isSignedIn(app)).toBe(true);
      }
      const recent = app.openBrowser();
      await recent.signInAs(ADA_AT_IDP);
      expect((await app.post(await app.sign({ sub: "ada-1" }))).status).toBe(200);
      expect(await isSignedIn({ browser: recent })).toBe(false);
      expect(await isSignedIn(app)).toBe(false);
    });

    it("accepts a token once: a replay is refused and ends nothing", async () => {
      using clock = createClock();
      const app = createApp(strategy, { logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      const token = await app.sign({ sub: "ada-1" });
      const all = await Promise.all([app.post(token), app.post(token), app.post(token)]);
      expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        200, 400, 400,
      ]);
      clock.advance("1 second");
      await app.browser.signInAs(ADA_AT_IDP);
      expect((await app.post(token)).status).toBe(400);
      expect(await isSignedIn(app)).toBe(true);
    });

    const now = () => Math.floor(Date.now() / 1000);
    const BAD: readonly [what: string, claims: object, header?: object][] = [
      ["of another issuer", { iss: "https://other.example" }],
      ["for another client", { aud: "other" }],
      ["without an audience", { aud: undefined }],
      ["that has expired", { exp: now() - 120 }],
      ["without an expiry", { exp: undefined }],
      ["that was issued long ago", { iat: now() - 3600 }],
      ["of the future", { iat: now() + 3600, exp: now() + 7200 }],
      ["without a time", { iat: undefined }],
      ["without an id", { jti: undefined }],
      ["with an id that is not text", { jti: 1 }],
      ["without events", { events: undefined }],
      ["with another event", { events: { "https://other.example/event": {} } }],
      ["whose event is not an object", { events: { [EVENT]: true } }],
      ["whose events are a list", { events: [EVENT] }],
      ["with a nonce", { nonce: "n" }],
      ["with an empty nonce", { nonce: "" }],
      ["without a user and a session", { sub: undefined, sid: undefined }],
      ["with an empty session", { sid: "" }],
      ["with a user that is not text", { sub: { $ne: null } }],
      ["typed as an access token", {}, { typ: "at+jwt" }],
      ["typed as another token", {}, { typ: "secevent+jwt" }],
    ];
    it.each(BAD)(
      "refuses a token %s with status 400, and ends nothing",
      async (_, claims, header) => {
        const app = createApp(strategy, { logout: { checkAge: 0 } });
        await app.browser.signInAs(ADA_AT_IDP);
        const response = await app.post(
          await app.sign({ sub: "ada-1", sid: "sid-1", ...claims }, header),
        );
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: "invalid_request" });
        expect(response.headers.get("cache-control")).toContain("no-store");
        expect(await isSignedIn(app)).toBe(true);
      },
    );

    it("refuses what is not a logout token of the provider: another key, no signature, an ID token, nonsense", async () => {
      const app = createApp(strategy, { logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      const token = await app.sign({ sub: "ada-1" });
      const [head = "", payload = ""] = token.split(".");
      const other = createIdentityProvider();
      const unsigned = btoa('{"alg":"none","typ":"logout+jwt"}').replaceAll("=", "");
      const now = Math.floor(Date.now() / 1000);
      const idToken = { iss: app.idp.issuer, aud: "client", sub: "ada-1", iat: now, exp: now + 60 };
      const bad = [
        await other.sign({ ...JSON.parse(atob(payload)) }, { typ: "logout+jwt" }),
        `${unsigned}.${payload}.`,
        `${head}.${payload}.AAAA`,
        await app.idp.sign(idToken),
        "nonsense",
        "",
        "x".repeat(20_000),
      ];
      for (const one of bad) expect((await app.post(one)).status).toBe(400);
      expect(await isSignedIn(app)).toBe(true);
    });

    it("accepts only POST requests, and only for known providers", async () => {
      const app = createApp(strategy);
      app.log.ignoreErrors();
      const token = await app.sign({ sub: "ada-1" });
      expect((await app.post(token, "/auth/backchannel-logout/other")).status).toBe(404);
      const response = await app.browser.get("/auth/backchannel-logout/idp");
      expect(response.status).toBe(405);
    });

    it("ends the session in every process of a shared store", async () => {
      const shared = memoryBackend();
      const idp = createIdentityProvider();
      const [one, other] = [
        createApp(strategy, { shared, idp, logout: { checkAge: 0 } }),
        createApp(strategy, { shared, idp, logout: { checkAge: 0 } }),
      ];
      await one.browser.signInAs(ADA_AT_IDP);
      expect((await other.post(await other.sign({ sid: "sid-1" }))).status).toBe(200);
      expect(await isSignedIn(one)).toBe(false);
    });

    it("ends a session that continued with a linked account, with the session it began with", async () => {
      const idp = createIdentityProvider();
      const app = createApp(strategy, {
        idp,
        providers: [idp.provider(), idp.provider({ id: "second" })],
        use: [
          defineStore(memoryBackend()),
          storeAdapter(),
          backchannelLogout({ checkAge: 0, frontchannel: true }),
        ],
        session: { strategy, ...(strategy === "hybrid" && { checkAge: 0 }) },
      });
      await app.browser.signInAs(ADA_AT_IDP);
      const away = app.openBrowser();
      await away.signInAs(ADA_AT_IDP);
      await app.browser.signInAs({ sub: "second-1", name: "Ada" }, "second", { link: "true" });
      expect(await isSignedIn(app)).toBe(true);
      expect((await app.post(await app.sign({ sid: "sid-1", sub: "ada-1" }))).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
      expect(await isSignedIn({ browser: away })).toBe(true);
    });

    it("keeps the session of another user who signs in with the same browser", async () => {
      const logout = { checkAge: 0, frontchannel: true };
      const app = createApp(strategy, {
        session: { strategy, ...(strategy === "hybrid" && { checkAge: 0 }) },
        use: [
          defineStore(memoryBackend()),
          ...(strategy === "jwt" ? [] : [storeAdapter()]),
          backchannelLogout(logout),
          {
            name: "reader",
            // The session that the sign-in replaces may be read during the sign-in.
            setup: ({ hooks }) =>
              hooks.signIn.tap("reader", async (_, ctx) => void (await ctx.session())),
          },
        ],
      });
      await app.browser.signInAs(ADA_AT_IDP);
      expect(await isSignedIn(app)).toBe(true);
      await app.browser.signInAs({ sub: "bob-1", email: "bob@example.com" });
      expect((await app.post(await app.sign({ sid: "sid-1", sub: "ada-1" }))).status).toBe(200);
      expect((await app.post(await app.sign({ sub: "ada-1" }))).status).toBe(200);
      expect(await isSignedIn(app)).toBe(true);
      expect((await app.post(await app.sign({ sid: "sid-2", sub: "bob-1" }))).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
    });

    it("ends the session of an ID token whose profile, from the userinfo endpoint, has no `sid`", async () => {
      const idp = createIdentityProvider();
      const app = createApp(strategy, {
        idp,
        providers: [idp.provider({ idToken: false })],
        logout: { checkAge: 0 },
      });
      await app.browser.signInAs(ADA_AT_IDP);
      const other = app.openBrowser();
      await other.signInAs(ADA_AT_IDP);
      expect((await app.post(await app.sign({ sid: "sid-1" }))).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
      expect(await isSignedIn({ browser: other })).toBe(true);
    });

    it("leaves no record in the store forever", async () => {
      const records = new Map<string, { expires: number }>();
      const app = createApp(strategy, {
        shared: memoryBackend(records),
        logout: { checkAge: 0, frontchannel: true },
      });
      await app.browser.signInAs(ADA_AT_IDP);
      for (const claims of [{ sid: "sid-9" }, { sub: "eve-1" }]) {
        expect((await app.post(await app.sign(claims))).status).toBe(200);
      }
      const own = [...records].filter(([key]) => /^(?:provider-|logout-)/.test(key));
      expect(own.length).toBeGreaterThanOrEqual(4);
      expect(own.filter(([, { expires }]) => !Number.isFinite(expires))).toEqual([]);
    });

    it("requires a store for the sessions that providers have ended", () => {
      const { namespaces } = createApp(strategy).auth.inspect().store;
      const own = namespaces.filter(({ plugin }) => plugin === "oauth/backchannel-logout");
      expect(
        Object.fromEntries(own.map(({ namespace, requirements }) => [namespace, requirements])),
      ).toMatchObject({
        "provider-logouts": { durable: true },
        "provider-sessions": { durable: true },
        "logout-tokens": { atomic: true },
      });
    });

    it("lets the provider retry when the store was down, and ends nothing before", async () => {
      const backend = memoryBackend();
      let isDown = false;
      const shared: StoreBackend = {
        ...backend,
        put: (...args) => (isDown ? Promise.reject(new Error("down")) : backend.put(...args)),
        scan: (...args) => (isDown ? Promise.reject(new Error("down")) : backend.scan(...args)),
      };
      const app = createApp(strategy, { shared, logout: { checkAge: 0 } });
      await app.browser.signInAs(ADA_AT_IDP);
      const token = await app.sign({ sid: "sid-1", sub: "ada-1" });
      isDown = true;
      expect((await app.post(token)).status).toBe(400);
      app.log.ignoreErrors();
      isDown = false;
      app.log.expectErrors("StoreError");
      expect(await isSignedIn(app)).toBe(true);
      expect((await app.post(token)).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
    });

    it("ends the session at the second attempt when the first attempt failed", async () => {
      const backend = memoryBackend();
      let isDown = false;
      const fail = () => Promise.reject(new Error("down"));
      const shared: StoreBackend = {
        ...backend,
        put: (...args) => (isDown ? fail() : backend.put(...args)),
        take: (key) => (isDown ? fail() : (backend.take as (key: string) => string | null)(key)),
      };
      const app = createApp(strategy, { shared, logout: { checkAge: 0 }, errors: "read" });
      await app.browser.signInAs(ADA_AT_IDP);
      const token = await app.sign({ sid: "sid-1" });
      isDown = true;
      expect((await app.post(token)).status).toBe(400);
      isDown = false;
      expect(app.log.errors).toHaveLength(1);
      expect((await app.post(token)).status).toBe(200);
      expect(await isSignedIn(app)).toBe(false);
    });

    it("ends the sessions of a user with many sign-ins concurrently", async () => {
      const backend = memoryBackend();
      let running = 0;
      let most = 0;
      const shared: StoreBackend = {
        ...backend,
        async delete(key) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 1));
          running--;
          return backend.delete(key);
        },
      };
      // With `frontchannel`, the sessions are looked up for the strategy `jwt` too.
      const app = createApp(strategy, { shared, logout: { checkAge: 0, frontchannel: true } });
      app.idp.tamper.idToken = (claims) => ({ ...claims, sid: "sid-1" });
      for (let count = 0; count < 20; count++) {
        app.browser.cookies.clear();
        await app.browser.signInAs(ADA_AT_IDP);
      }
      most = 0;
      expect((await app.post(await app.sign({ sid: "sid-1", sub: "ada-1" }))).status).toBe(200);
      expect(most).toBeGreaterThanOrEqual(20);
      expect(await isSignedIn(app)).toBe(false);
    });

    describe("with `frontchannel`", () => {
      const path = (iss: string, sid: string) =>
        `/auth/frontchannel-logout/idp?${new URLSearchParams({ iss, sid })}`;

      it("ends the session of `sid` in a frame that only the provider may embed", async () => {
        const app = createApp(strategy, { logout: { checkAge: 0, frontchannel: true } });
        await app.browser.signInAs(ADA_AT_IDP);
        const response = await app.openBrowser().get(path(app.idp.issuer, "sid-1"));
        expect(response.status).toBe(200);
        expect(response.headers.get("cache-control")).toContain("no-store");
        expect(response.headers.get("content-security-policy")).toBe(
          `default-src 'none'; frame-ancestors ${app.idp.issuer}`,
        );
        expect(response.headers.has("x-frame-options")).toBe(false);
        expect(await isSignedIn(app)).toBe(false);
      });

      it.each([
        ["used for longer than its cookie lives", {}, 80],
        ["used for as long as the application allows", { maxAge: 200 * 86_400 }, 180],
      ])("ends a session that was %s, and no other one", async (_, session, days) => {
        using clock = createClock();
        const app = createApp(strategy, {
          logout: { checkAge: 0, frontchannel: true },
          session: {
            strategy,
            ...(strategy === "hybrid" && { checkAge: 0 }),
            ...session,
          } as NonNullable<TestAuthOptions["session"]>,
        });
        await app.browser.signInAs(ADA_AT_IDP);
        for (let day = 0; day < days; day += 20) {
          clock.advance("20 days");
          expect(await isSignedIn(app)).toBe(true);
        }
        const recent = app.openBrowser();
        await recent.signInAs(ADA_AT_IDP);
        expect((await app.openBrowser().get(path(app.idp.issuer, "sid-1"))).status).toBe(200);
        expect(await isSignedIn(app)).toBe(false);
        expect(await isSignedIn({ browser: recent })).toBe(true);
      });

      it("reports which sessions could not be ended", async () => {
        const backend = memoryBackend();
        let isDown = false;
        const shared: StoreBackend = {
          ...backend,
          scan: (...args) => (isDown ? Promise.reject(new Error("down")) : backend.scan(...args)),
        };
        const logout = { checkAge: 0, frontchannel: true };
        const app = createApp(strategy, { shared, logout, errors: "read" });
        await app.browser.signInAs(ADA_AT_IDP);
        isDown = true;
        expect((await app.openBrowser().get(path(app.idp.issuer, "sid-1"))).status).toBe(400);
        expect(app.log.errors.map(({ type }) => type)).toContain("StoreError");
        isDown = false;
        expect(await isSignedIn(app)).toBe(true);
      });

      it.each([
        ["another issuer", "https://other.example", "sid-1", 400],
        ["no issuer", "", "sid-1", 400],
        ["no session", "https://idp.example", "", 400],
        ["an unknown session", "https://idp.example", "sid-2", 200],
      ])("changes nothing for a request with %s", async (_, iss, sid, status) => {
        const app = createApp(strategy, { logout: { checkAge: 0, frontchannel: true } });
        await app.browser.signInAs(ADA_AT_IDP);
        expect((await app.browser.get(path(iss, sid))).status).toBe(status);
        expect(await isSignedIn(app)).toBe(true);
      });

      it("is absent without the option", async () => {
        const app = createApp(strategy);
        expect((await app.browser.get(path(app.idp.issuer, "sid-1"))).status).toBe(404);
      });
    });
  },
);

describe("backchannelLogout()", () => {
  it("ends a session in a cookie within `checkAge` in other processes, and at once in the receiving process", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    const logout = { checkAge: 30 };
    const [one, other] = [
      createApp("jwt", { shared, idp, logout }),
      createApp("jwt", { shared, idp, logout }),
    ];
    await one.browser.signInAs(ADA_AT_IDP);
    const copy = other.browser;
    for (const [name, value] of one.browser.cookies) copy.cookies.set(name, value);
    expect(await isSignedIn(one)).toBe(true);
    await other.post(await other.sign({ sid: "sid-1" }));
    expect(await isSignedIn(other)).toBe(false);
    clock.advance("29 seconds");
    expect(await isSignedIn(one)).toBe(true);
    clock.advance("2 seconds");
    expect(await isSignedIn(one)).toBe(false);
  });

  it("ends the sessions of a later sign-in in a process that has read an earlier logout of the user", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    const logout = { checkAge: 30 };
    const [one, other] = [
      createApp("jwt", { shared, idp, logout }),
      createApp("jwt", { shared, idp, logout }),
    ];
    await one.browser.signInAs(ADA_AT_IDP);
    await other.post(await other.sign({ sub: "ada-1" }));
    expect(await isSignedIn(one)).toBe(false);
    clock.advance("1 minute");
    await one.browser.signInAs(ADA_AT_IDP);
    expect(await isSignedIn(one)).toBe(true);
    await other.post(await other.sign({ sub: "ada-1" }));
    clock.advance("31 seconds");
    expect(await isSignedIn(one)).toBe(false);
  });

  it("ends at once in the process that has received the logout, and stays ended for copies of its cookie", async () => {
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    const logout = { checkAge: 30 };
    const [one, other] = [
      createApp("jwt", { shared, idp, logout }),
      createApp("jwt", { shared, idp, logout }),
    ];
    await one.browser.signInAs(ADA_AT_IDP);
    const copies = [one.openBrowser(), other.openBrowser(), other.openBrowser()];
    for (const { cookies } of copies)
      for (const [name, value] of one.browser.cookies) cookies.set(name, value);
    expect(await isSignedIn(one)).toBe(true);
    await one.post(await one.sign({ sid: "sid-1" }));
    expect(await isSignedIn(one)).toBe(false);
    for (const browser of copies) expect(await isSignedIn({ browser })).toBe(false);
  });

  it("sends no store request for sessions of other sign-in methods", async () => {
    const backend = memoryBackend();
    const gets: string[] = [];
    const shared: StoreBackend = {
      ...backend,
      get(key) {
        gets.push(key);
        return backend.get(key);
      },
    };
    const app = createApp("jwt", { shared, logout: { checkAge: 0 }, providers: [credentials()] });
    await app.browser.signInWith("credentials", LOVELACE);
    gets.length = 0;
    expect(await isSignedIn(app)).toBe(true);
    expect(gets).toEqual([]);
  });

  it.each(["jwt", "database"] as const)(
    "ends when any of its last five sessions at providers ends (strategy %s)",
    async (strategy) => {
      const idp = createIdentityProvider();
      const ids = ["b", "c", "d", "e", "f"];
      const app = createApp(strategy, {
        idp,
        providers: [idp.provider(), ...ids.map((id) => idp.provider({ id }))],
        use: [defineStore(memoryBackend()), storeAdapter(), backchannelLogout({ checkAge: 0 })],
        session: { strategy },
      });
      await app.browser.signInAs(ADA_AT_IDP);
      for (const id of ids) await app.browser.signInAs({ sub: `${id}-1` }, id, { link: "true" });
      await app.post(await app.sign({ sid: "sid-1" }));
      expect(await isSignedIn(app)).toBe(true);
      await app.post(await app.sign({ sid: "sid-2" }), "/auth/backchannel-logout/b");
      expect(await isSignedIn(app)).toBe(false);
    },
  );

  it("keeps its claim although an earlier plugin creates its own token", async () => {
    const app = createApp("jwt", {
      use: [
        defineStore(memoryBackend()),
        {
          name: "own-token",
          setup: ({ hooks }) =>
            hooks.jwt.tap("own-token", ({ sub, name }) => ({ sub, name }) as never),
        },
        backchannelLogout({ checkAge: 0 }),
      ],
    });
    await app.browser.signInAs(ADA_AT_IDP);
    expect(await isSignedIn(app)).toBe(true);
    await app.post(await app.sign({ sid: "sid-1" }));
    expect(await isSignedIn(app)).toBe(false);
  });

  it("ends the sessions that it knows if the adapter cannot end all sessions of a user", async () => {
    const { deleteSessionsByUserId: _, ...adapter } = adapterOn(memoryBackend());
    const app = createApp("database", {
      adapter,
      use: [defineStore(memoryBackend()), databaseStrategy(), backchannelLogout()],
      session: { strategy: "database" },
    });
    await app.browser.signInAs(ADA_AT_IDP);
    expect(await isSignedIn(app)).toBe(true);
    expect((await app.post(await app.sign({ sub: "ada-1" }))).status).toBe(200);
    expect(await isSignedIn(app)).toBe(false);
  });

  it("refuses a strategy that neither stores sessions nor keeps them in a token", () => {
    const app = createApp("jwt", {
      errors: "allowed",
      session: { strategy: "own" } as unknown as NonNullable<TestAuthOptions["session"]>,
      use: [
        defineStore(memoryBackend()),
        definePlugin({
          name: "own-strategy",
          provides: ["strategy:own"],
          setup(kernel) {
            kernel.addStrategy("own", {
              create: () => () => {},
              read: () => null,
              update: () => null,
              current: () => null,
              destroy: () => undefined,
            });
          },
        }),
        backchannelLogout(),
      ],
    });
    expect(() => app.auth.inspect()).toThrow(/backchannelLogout\(\).*not of "own"/);
  });

  it("checks the store without delay after the clock is set back", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    const [one, other] = [
      createApp("jwt", { shared, idp, logout: { checkAge: 30 } }),
      createApp("jwt", { shared, idp, logout: { checkAge: 30 } }),
    ];
    await one.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    expect(await isSignedIn(one)).toBe(true);
    clock.advance(-3_590_000);
    await other.post(await other.sign({ sid: "sid-1" }));
    clock.advance("31 seconds");
    expect(await isSignedIn(one)).toBe(false);
  });

  it("keeps its claim, whatever the application's `jwt` callback and the client's data do", async () => {
    const app = createApp("jwt", {
      logout: { checkAge: 0 },
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update"
            ? { ...token, ...(session as object), "keyhook.provider_logins": [] }
            : { sub: token.sub, name: token.name },
      } as NonNullable<TestAuthOptions["callbacks"]>,
    });
    await app.browser.signInAs(ADA_AT_IDP);
    await app.browser.send("/auth/session", { json: { data: { "keyhook.provider_logins": [] } } });
    expect(await isSignedIn(app)).toBe(true);
    expect(JSON.stringify(await app.browser.session())).not.toContain("sid-1");
    await app.post(await app.sign({ sid: "sid-1" }));
    expect(await isSignedIn(app)).toBe(false);
  });

  it("does not show a session while the store that could have ended it is down", async () => {
    const backend = memoryBackend();
    let isDown = false;
    const shared: StoreBackend = {
      ...backend,
      get: (key) => (isDown ? Promise.reject(new Error("down")) : backend.get(key)),
    };
    const app = createApp("jwt", { shared, logout: { checkAge: 0 } });
    await app.browser.signInAs(ADA_AT_IDP);
    isDown = true;
    app.log.ignoreErrors();
    const response = await app.browser.get("/auth/session");
    expect(response.status).toBe(500);
    isDown = false;
    expect(await isSignedIn(app)).toBe(true);
  });

  it("ends all sessions of the user when the index does not know the provider's session", async () => {
    const app = createApp("database");
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.post(await app.sign({ sid: "unknown", sub: "ada-1" }))).status).toBe(200);
    expect(await isSignedIn(app)).toBe(false);
  });

  it("reports each logout as an event", async () => {
    const app = createApp("jwt");
    const seen: unknown[] = [];
    app.auth.use({
      name: "listener",
      setup: ({ events }) =>
        void events.hook("providerLogout", (message) => void seen.push(message)),
    });
    await app.post(await app.sign({ sid: "sid-9" }));
    expect(seen).toEqual([{ provider: "idp", sid: "sid-9" }]);
  });

  it.each([{ checkAge: -1 }, { checkAge: 1.5 }, { checkAge: 86_400 }])(
    "refuses the options %j at boot",
    (logout) => {
      const app = createApp("jwt", { logout, errors: "allowed" });
      expect(() => app.auth.inspect()).toThrow("backchannelLogout()");
    },
  );
});
