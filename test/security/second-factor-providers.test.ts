import { describe, expect, it } from "vitest";
import { secondFactor, type SecondFactorOptions } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore, type Plugin } from "../../src/kernel.ts";
import { type Browser, createClock, createIdentityProvider } from "../../src/testing.ts";
import { acme, ADA, identityFlow, isSignedIn, locationOf, queryOf } from "../_app.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { messengerPlugin, sign } from "../flows/_signed-parameters.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createFactorApp,
  enterPassword,
  type FactorApp,
  type FactorAppOptions,
  open,
  setUp,
  SETUP,
} from "./_second-factor.ts";

const ADA_THERE = { sub: "ada", name: "Ada" };
const TO_INBOX = { callbackUrl: "/inbox" };

type Enter = (app: FactorApp, browser: Browser) => Promise<Response>;

const KEY = "key of the messenger";
/** The flag of authenticator data (WebAuthn level 3, section 6.1). */
const USER_VERIFIED = 4;

async function enterByMessenger(_: FactorApp, browser: Browser): Promise<Response> {
  await browser.signIn("messenger", TO_INBOX);
  const parameters = { id: "42", name: "Ada", date: String(Math.floor(Date.now() / 1000)) };
  const hash = sign(parameters, KEY).toString("hex");
  return browser.get(`/auth/callback/messenger?${new URLSearchParams({ ...parameters, hash })}`);
}

async function enterByMail(app: FactorApp, browser: Browser): Promise<Response> {
  await browser.signIn("mail", { email: ADA.email, ...TO_INBOX });
  return app.followLink(browser);
}

/** A sign-in method of each provider type, and what its application needs. */
const TYPES: [type: string, getOptions: () => FactorAppOptions, enter: Enter][] = [
  ["oidc", useIdp, (_, browser) => browser.signInAs(ADA_THERE, "idp", TO_INBOX)],
  [
    "oauth",
    () => {
      const idp = createIdentityProvider();
      return { preset: standardPreset, idp, providers: [idp.provider({ type: "oauth" })] };
    },
    (_, browser) => browser.signInAs(ADA_THERE, "idp", TO_INBOX),
  ],
  ["credentials", () => ({}), (_, browser) => enterPassword(browser)],
  ["email", () => ({ preset: standardPreset, mail: {} }), enterByMail],
  [
    "a type of its own",
    () => ({ use: [messengerPlugin({ key: KEY })], providers: [] }),
    enterByMessenger,
  ],
];

function useIdp(): FactorAppOptions {
  const idp = createIdentityProvider();
  return { preset: standardPreset, idp, providers: [idp.provider()] };
}

describe.each(["jwt", "database"])(
  "second factor of every provider type, %s sessions",
  (strategy) => {
    it.each(TYPES)("%s: a session starts only with the code", async (_, getOptions, enter) => {
      using clock = createClock();
      const app = createFactorApp({ strategy, ...getOptions() });
      expect(locationOf(await enter(app, app.browser))).toBe("/inbox");
      const factor = await setUp(app.browser);

      const browser = app.openBrowser();
      clock.advance("1 minute");
      expect(locationOf(await enter(app, browser))).toBe(CHALLENGE);
      expect(await isSignedIn(browser)).toBe(false);
      expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/inbox");
      expect(await app.getUserId(browser)).toBeDefined();
      expect(await app.getUserId(browser)).toBe(await app.getUserId(app.browser));
    });

    it.each(TYPES)(
      "%s: a new user sets up a required factor first",
      async (_, getOptions, enter) => {
        const app = createFactorApp({ strategy, factor: { required: true }, ...getOptions() });
        expect(locationOf(await enter(app, app.browser))).toBe(CHALLENGE);
        expect(await isSignedIn(app.browser)).toBe(false);
        expect((await setUp(app.browser, CHALLENGE)).html).toContain("/inbox");
        expect(await isSignedIn(app.browser)).toBe(true);
      },
    );

    it("a new account that is linked to a stored user by address requires the code of that user", async () => {
      using clock = createClock();
      let account = "first";
      const app = createFactorApp({
        strategy,
        providers: [acme({ allowDangerousEmailAccountLinking: true })],
        use: [
          identityFlow(() => ({ emailVerified: true, account: { providerAccountId: account } })),
        ],
      });
      await app.browser.get("/auth/callback/acme");
      const userId = (await app.getUserId()) ?? "";
      await app.adapter.updateUser?.({ id: userId, emailVerified: new Date(0) });
      const factor = await setUp(app.browser);

      // The attacker has an account of the provider with Ada's address.
      account = "attacker's";
      const attacker = app.openBrowser();
      expect(locationOf(await attacker.get("/auth/callback/acme"))).toBe(CHALLENGE);
      expect(await isSignedIn(attacker)).toBe(false);
      // At the next sign-in, when the account already belongs to Ada, too.
      expect(locationOf(await attacker.get("/auth/callback/acme"))).toBe(CHALLENGE);
      expect(await isSignedIn(attacker)).toBe(false);
      clock.advance("30 seconds");
      await answer(attacker, codeOf(factor));
      expect(await app.getUserId(attacker)).toBe(userId);
    });

    it("a signed-in user who links an account is not asked again, but later sign-ins with the account are", async () => {
      const app = createFactorApp({
        strategy,
        ...useIdp(),
        mail: {},
      });
      await enterByMail(app, app.browser);
      const userId = await app.getUserId();
      await setUp(app.browser);
      const user = { sub: "other-ada", name: "Ada" };
      const linked = await app.browser.signInAs(user, "idp", {
        link: "true",
        callbackUrl: "/inbox",
      });
      expect(locationOf(linked)).toBe("/inbox");
      expect(await app.getUserId()).toBe(userId);
      const other = app.openBrowser();
      expect(locationOf(await other.signInAs(user))).toBe(CHALLENGE);
      expect(await isSignedIn(other)).toBe(false);
    });

    it("a link that another plugin paused requires the code when its session has ended", async () => {
      let mustWait = false;
      const slow: Plugin = {
        name: "slow",
        setup({ hooks }) {
          hooks.login.tap({ name: "slow", stage: -200 }, async (login, ctx) => {
            if (!mustWait || login.outcome !== "link") return;
            // A pause of minutes may include a sign-out.
            await ctx.kernel.strategy.destroy(ctx);
          });
        },
      };
      const app = createFactorApp({
        strategy,
        ...useIdp(),
        mail: {},
        use: [slow],
      });
      await enterByMail(app, app.browser);
      await setUp(app.browser);
      mustWait = true;
      const user = { sub: "other-ada", name: "Ada" };
      const response = await app.browser.signInAs(user, "idp", { link: "true" });
      expect(locationOf(response)).toBe(CHALLENGE);
      expect(await isSignedIn(app.browser)).toBe(false);
    });

    it("the first verification of an address removes a factor that an attacker set up before", async () => {
      const app = createFactorApp({
        strategy,
        ...useIdp(),
        mail: {},
      });
      // The attacker registers Ada's address, and sets up a second factor.
      const attacker = app.openBrowser();
      await attacker.signInAs({ sub: "attacker", email: ADA.email });
      const factor = await setUp(attacker);
      expect(app.events.map(([name]) => name)).toEqual(["added"]);

      expect(locationOf(await enterByMail(app, app.browser))).toBe("/inbox");
      expect(await isSignedIn(app.browser)).toBe(true);
      expect(app.events.map(([name]) => name)).toEqual(["added", "removed"]);
      expect(await open(app.browser, SETUP)).toContain("Set up two\u2011step");

      // The session that the attacker may still have in a cookie cannot set up another factor.
      expect(locationOf(await attacker.get(SETUP))).toMatch(/^\/auth\/signin/);
      const csrfToken = await attacker.csrfToken();
      const code = codeOf(factor);
      const posted = await attacker.post(SETUP, { csrfToken, code });
      expect(queryOf(posted)).toEqual({ error: "SessionRequired" });
      app.log.ignoreErrors();
    });
  },
);

describe.each(["jwt", "database"])("second factor and passkeys, %s sessions", (strategy) => {
  const createApp = (factor: SecondFactorOptions) => {
    const store = memoryBackend();
    return createPasskeyApp({ strategy, store, use: [defineStore(store), secondFactor(factor)] });
  };

  it("a passkey counts as two factors: no code is required, even if a factor is", async () => {
    const app = createApp({ required: true });
    await app.register();
    expect(await isSignedIn(app.browser)).toBe(true);
    await setUp(app.browser);
    const browser = app.openBrowser();
    await app.signIn({}, browser);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("a passkey without user verification at its registration is one factor", async () => {
    const store = memoryBackend();
    const app = createPasskeyApp({
      strategy,
      store,
      passkey: { verifyRegistrationOptions: { requireUserVerification: false } },
      use: [defineStore(store), secondFactor()],
    });
    await app.register();
    await setUp(app.browser);
    expect(locationOf(await app.signIn({}, app.openBrowser()))).toBe(CHALLENGE);
  });

  it("a passkey without user verification at sign-in is one factor: a code is required", async () => {
    using clock = createClock();
    const store = memoryBackend();
    const app = createPasskeyApp({
      strategy,
      store,
      passkey: { verifyAuthenticationOptions: { requireUserVerification: false } },
      use: [defineStore(store), secondFactor()],
    });
    await app.register();
    const factor = await setUp(app.browser);
    const browser = app.openBrowser();
    const touched = { flags: (flags: number) => flags & ~USER_VERIFIED };
    expect(locationOf(await app.signIn(touched, browser))).toBe(CHALLENGE);
    expect(await isSignedIn(browser)).toBe(false);
    clock.advance("30 seconds");
    await answer(browser, codeOf(factor));
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("skip: () => false asks users with passkeys too", async () => {
    using clock = createClock();
    const app = createApp({ skip: () => false });
    await app.register();
    const factor = await setUp(app.browser);
    const browser = app.openBrowser();
    expect(locationOf(await app.signIn({}, browser))).toBe(CHALLENGE);
    expect(await isSignedIn(browser)).toBe(false);
    clock.advance("30 seconds");
    await answer(browser, codeOf(factor));
    expect(await isSignedIn(browser)).toBe(true);
  });
});
