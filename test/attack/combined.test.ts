import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { createAuth, standardPreset } from "../../presets/index.ts";
import { customFetch, definePreset, type Plugin, resumeLogin } from "../../src/kernel.ts";
import {
  type Browser,
  createBrowser,
  createClock,
  createIdentityProvider,
  createTestAuth as createIdpAuth,
} from "../../src/testing.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  ENV,
  locationOf,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  testPreset,
  unservedOAuth,
} from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { CHALLENGE, createFactorApp } from "../security/_second-factor.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const STAGING = "http://staging.localhost:3000";
const PENDING = "keyhook.pending-login";

const gate: Plugin = {
  name: "gate",
  setup(kernel) {
    kernel.hooks.login.tap("gate", (_, ctx) => `${ctx.base}/gate`);
    kernel.addRoute({ method: "POST", path: "/gate", handler: (ctx) => resumeLogin(ctx, "gate") });
  },
};

const stored = definePreset({
  name: "stored",
  extends: [testPreset],
  plugins: [databaseStrategy()],
});

const pass = async (browser: Browser) =>
  browser.post("/auth/gate", { csrfToken: await browser.csrfToken() });

describe("deployments of an application that share a secret", () => {
  it.each([
    ["jwt", {}],
    ["jwt", { bindOrigin: true }],
    ["database", {}],
  ] as const)(
    "a login paused at one deployment does not resume at another (%s, %j)",
    async (strategy, jwt) => {
      const at = async (origin: string, password: string) => {
        const store = memoryBackend();
        const authorize = (given: Record<string, unknown>) =>
          given.password === password ? { ...ADA } : null;
        const providers = [credentials({ authorize })];
        const common = { preset: stored, store, strategy, jwt, providers, use: [gate] };
        const app = createTestAuth({ ...common, errors: "allowed" });
        // The same person has the same id at both deployments, because one database is a copy of the other.
        await app.adapter.createUser?.({ ...ADA, emailVerified: null });
        return createBrowser(app.auth.fetch, { origin });
      };
      const staging = await at(STAGING, "known to all");
      const production = await at(ORIGIN, "known to Ada");

      const paused = await staging.signInWith("credentials", { password: "known to all" });
      expect(paused.headers.get("location")).toBe(`${STAGING}/auth/gate`);
      production.cookies.set(PENDING, staging.cookies.get(PENDING) ?? "");
      const resumed = await pass(production);
      expect(locationOf(resumed)).toBe("/auth/signin?error=InvalidCheck");
      expect(await production.session()).toBeNull();

      expect((await pass(staging)).headers.get("location")).toBe(`${STAGING}/`);
      expect(await staging.session()).toMatchObject({ user: { name: "Ada" } });
    },
  );

  it("a login paused under one `storeNamespace` does not resume under another at the same origin", async () => {
    const at = (storeNamespace: string) =>
      createTestAuth({ storeNamespace, use: [gate], errors: "allowed" });
    const [{ browser: acme }, { browser: globex, log }] = [at("acme"), at("globex")];
    await acme.signInWith("credentials", LOVELACE);
    globex.cookies.set(PENDING, acme.cookies.get(PENDING) ?? "");
    expect(locationOf(await pass(globex))).toBe("/auth/signin?error=InvalidCheck");
    expect(await globex.session()).toBeNull();
    const dropped = { name: PENDING, reason: "storeNamespace" };
    expect(log.debugs).toContainEqual(["a cookie was dropped", dropped]);
    await pass(acme);
    expect(await acme.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it.each(["jwt", "database"] as const)(
    "an account is linked only at the deployment where its user requested the link (%s)",
    async (strategy) => {
      const idp = createIdentityProvider();
      const adapter = adapterOn(memoryBackend());
      const providers = [idp.provider({ id: "first" }), idp.provider({ id: "second" })];
      const config = { adapter, providers, trustHost: true, session: { strategy } };
      const { auth, browser, log } = createIdpAuth(createAuth, { idp, ...config });
      const staging = createBrowser(auth.fetch, { origin: STAGING, idp });
      await browser.signInAs(undefined, "first");
      await staging.signInAs(undefined, "first");
      const started = await staging.signIn("second", { link: "true" });
      const eve = { sub: "eve", name: "Eve" };
      const { url } = await idp.authorize(started.headers.get("location") ?? "", eve);
      for (const [name, value] of staging.cookies) {
        if (/pkce|state|nonce/.test(name)) browser.cookies.set(name, value);
      }
      const { pathname, search } = new URL(url);
      const response = await browser.get(pathname + search);
      expect(locationOf(response)).toBe("/auth/signin?error=InvalidCheck");
      const account = { provider: "second", providerAccountId: "eve" };
      expect(await adapter.getUserByAccount?.(account)).toBeNull();
      log.errors.splice(0);
    },
  );

  it("an attacker's code is not linked, even if the server ignores the verifier of a code without a challenge", async () => {
    // The server must refuse the verifier, and not all servers do (RFC 9700 section 4.8.2).
    const idp = createIdentityProvider();
    const ignoring: typeof fetch = (input, init) => {
      const { body } = init ?? {};
      if (body instanceof URLSearchParams) body.delete("code_verifier");
      return idp.fetch(input, init);
    };
    const adapter = adapterOn(memoryBackend());
    const second = { ...idp.provider({ id: "second" }), [customFetch]: ignoring };
    const providers = [idp.provider({ id: "first" }), second];
    const { browser, log } = createIdpAuth(createAuth, { idp, adapter, providers });
    await browser.signInAs(undefined, "first");
    await browser.signIn("second", { link: "true" });

    const asked = new URL(idp.endpoints.authorization);
    const callback = `${ORIGIN}/auth/callback/second`;
    const given = { client_id: "client", redirect_uri: callback, response_type: "code" };
    asked.search = new URLSearchParams({ ...given, scope: "openid" }).toString();
    const { url } = await idp.authorize(asked, { sub: "eve", name: "Eve" });
    const { pathname, search } = new URL(url);
    expect(locationOf(await browser.get(pathname + search))).toBe(
      "/auth/signin?error=InvalidCheck",
    );
    const account = { provider: "second", providerAccountId: "eve" };
    expect(await adapter.getUserByAccount?.(account)).toBeNull();
    log.errors.splice(0);
  });

  it("a passkey registration that begins at an open deployment does not complete at another", async () => {
    const env = { ...ENV };
    const open = createPasskeyApp({ env, errors: "allowed" });
    const closed = createPasskeyApp({
      env,
      passkey: { registration: "signed-in" },
      errors: "allowed",
    });
    const staging = createBrowser(open.auth.fetch, { origin: STAGING });
    const { options } = await open.fetchOptions(
      { action: "register", email: "eve@example.com" },
      staging,
    );
    for (const [name, value] of staging.cookies) closed.browser.cookies.set(name, value);
    closed.browser.cookies.delete("authjs.csrf-token");
    const rp = { ...options.rp, id: "localhost" };
    const response = await closed.authenticator.create({ ...options, rp });
    expect(locationOf(await closed.respond("register", response))).toMatch(/error=/);
    expect(await closed.adapter.getUserByEmail?.("eve@example.com")).toBeNull();
  });
});

describe("a sibling host that plants cookies", () => {
  const login = ({ username }: Record<string, unknown>) => {
    const name = String(username);
    return { id: name, name, email: `${name}@example.com` };
  };

  it("a paused login of the attacker does not replace the visitor's own", async () => {
    const app = createFactorApp({
      providers: [credentials({ authorize: login })],
      factor: { required: true },
      errors: "allowed",
    });
    const pend = async (username: string) => {
      const browser = app.openBrowser();
      await browser.signInWith("credentials", { username });
      return `${PENDING}=${browser.cookies.get(PENDING)}`;
    };
    const [own, planted] = [await pend("ada"), await pend("mallory")];
    const ask = async (cookie: string) => {
      const headers = { cookie, accept: "text/html" };
      return app.auth.fetch(new Request(ORIGIN + CHALLENGE, { headers }));
    };
    expect(await (await ask(own)).text()).toContain("otpauth");
    expect((await ask(`${PENDING}=junk; ${own}`)).status).toBe(200);
    for (const cookie of [`${planted}; ${own}`, `${own}; ${planted}`]) {
      expect(locationOf(await ask(cookie))).toBe("/auth/error?error=AmbiguousSession");
    }
  });

  const mailApp = () =>
    createTestAuth({ preset: standardPreset, store: memoryBackend(), mail: {}, errors: "read" });

  const plant = (app: TestAuth, from: Browser, into: Browser) => {
    for (const [name, value] of from.cookies) {
      if (name.includes("email-check")) into.cookies.set(name, value);
    }
    return app;
  };

  it("a link of the attacker replaces no session before the visitor confirms", async () => {
    const app = mailApp();
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    await app.requestLink("ada@example.com", victim);
    await app.followLink(victim);
    const link = await app.requestLink("mallory@example.com", mallory);
    plant(app, mallory, victim);
    const page = await victim.get(link, { headers: { "sec-fetch-dest": "document" } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("mallory@example.com");
    expect(await victim.session()).toMatchObject({ user: { email: "ada@example.com" } });
  });

  it("a link that was requested in the session, or without one, signs in at once", async () => {
    const app = mailApp();
    const { browser } = app;
    for (const email of ["ada@example.com", "grace@example.com", "grace@example.com"]) {
      const link = await app.requestLink(email);
      expect(locationOf(await browser.get(link))).toBe("/");
      expect(await browser.session()).toMatchObject({ user: { email } });
    }
  });

  describe.each(["jwt", "database"] as const)(
    "that plants cookies of an OAuth attempt, %s",
    (strategy) => {
      const MALLORY = { sub: "mallory", name: "Mallory", email: "mallory@idp.example" };
      const createIdpApp = () => {
        const idp = createIdentityProvider();
        const adapter = adapterOn(memoryBackend());
        const providers = [idp.provider({ id: "idp" })];
        return createIdpAuth(createAuth, { idp, adapter, providers, session: { strategy } });
      };
      type IdpApp = ReturnType<typeof createIdpApp>;
      const begin = async ({ idp }: IdpApp, browser: Browser, user?: typeof MALLORY) => {
        const started = await browser.signIn("idp");
        return (await idp.authorize(started.headers.get("location") ?? "", user)).url;
      };

      it("does not replace a session with the attacker's", async () => {
        using clock = createClock();
        const app = createIdpApp();
        const [victim, mallory] = [app.openBrowser(), app.openBrowser()];
        await victim.signInAs();
        await mallory.signInAs(MALLORY);
        clock.advance("1 minute");
        for (const browser of [mallory, app.openBrowser()]) {
          const url = await begin(app, browser, MALLORY);
          for (const [name, value] of browser.cookies) {
            if (/pkce|state|nonce/.test(name)) victim.cookies.set(name, value);
          }
          expect(locationOf(await victim.get(url))).toBe("/auth/signin?error=InvalidCheck");
          expect(await victim.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
        }
        app.log.errors.splice(0);
      });

      it("does not keep visitors from signing in as another user, or in a second tab", async () => {
        const app = createIdpApp();
        const { browser } = app;
        const urls = [
          await begin(app, browser),
          await begin(app, browser),
          await begin(app, browser),
        ];
        for (const url of urls) {
          expect(locationOf(await browser.get(url))).toBe("/");
          expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
        }
        const url = await begin(app, browser, MALLORY);
        expect(locationOf(await browser.get(url))).toBe("/");
        expect(await browser.session()).toMatchObject({ user: { name: "Mallory" } });
        const late = await begin(app, browser, MALLORY);
        await browser.signOut();
        expect(locationOf(await browser.get(late))).toBe("/");
      });
    },
  );

  it("a posted form that the application passes to signIn() links no account", async () => {
    const app = createTestAuth({
      preset: stored,
      store: memoryBackend(),
      errors: "allowed",
      providers: [credentials(), unservedOAuth("idp")],
      use: [standardPreset],
    });
    await app.browser.signInWith("credentials", LOVELACE);
    const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const request = new Request(`${ORIGIN}/login`, { method: "POST", headers: { cookie } });
    const call = (fields: object) => app.auth.signIn(request, "idp", { ...fields });
    await expect(call({ link: "true" })).rejects.toMatchObject({ type: "MissingCSRF" });
    await expect(call({ link: "1", csrfToken: "x" })).rejects.toMatchObject({
      type: "MissingCSRF",
    });
    const csrfToken = await app.browser.csrfToken();
    expect(await call({ link: "true", csrfToken })).toHaveProperty("status", 302);
    expect(await call({ link: true })).toHaveProperty("status", 302);
    expect(await call({})).toHaveProperty("status", 302);
  });
});

describe("a stranger", () => {
  it("spellings that a loosely comparing database treats as one name are counted together", async () => {
    let tried = 0;
    const authorize = () => (tried++, null);
    const app = createTestAuth({
      preset: standardPreset,
      errors: "allowed",
      providers: [credentials({ authorize })],
    });
    const names = [
      ["victim", "v\u00edctim", "vict\u00eem", "v\u200bictim", "\uff36\uff29CTIM", "victi\u0307m"],
      ["stra\u00dfe@example.com", "strasse@example.com", "str\u00e4sse@example.com"],
      // Names that MariaDB compares as equal with `utf8mb4_uca1400_ai_ci`, `utf8mb4_unicode_520_ci` and
      // `utf8mb4_general_ci`.
      [
        "lloyd1815",
        "\u0142loyd1815",
        "ll\u00f8yd1815",
        "lloy\u0111\u0661\u096e15",
        "L\u0140oyd1815",
      ],
      ["aether", "\u00e6ther", "aet\u0127er", "ae\ua787her", "\u0363ether", "aether\u0345"],
      ["ada.smith", "ada.\u00dfmith", "\ud83c\udd30da.smith", "a\u00f0a.smith", "ada.\ua785mith"],
    ];
    for (const spellings of names) {
      tried = 0;
      for (let at = 0; at < 30; at++) {
        const username = spellings[at % spellings.length] ?? "";
        await app.openBrowser().signInWith("credentials", { username, password: "x" });
      }
      expect(tried).toBe(20);
    }
    tried = 0;
    for (const username of ["\u0915\u0940", "\u0915\u093e"]) {
      await app.openBrowser().signInWith("credentials", { username, password: "x" });
    }
    expect(tried).toBe(2);
  });
});
