import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth, standardPreset } from "../../presets/index.ts";
import { defineFlow, type Plugin, resumeLogin } from "../../src/kernel.ts";
import {
  type Browser,
  createIdentityProvider,
  createTestAuth as createIdpAuth,
} from "../../src/testing.ts";
import { createTestAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const ORIGIN = "https://app.example.com";
const SESSION = "__Host-authjs.session-token";
const MALLORY = { sub: "mallory", name: "Mallory", email: "mallory@idp.example" };

// The cookies that evil.example.com, or an attacker between the visitor and any plain http host of the domain, can set.
// Browsers accept no cookie from them whose name starts with `__Host-`.
function plant(from: Browser, into: Browser): string[] {
  const planted = [...from.cookies].filter(([name]) => !name.startsWith("__Host-"));
  for (const [name, value] of planted) into.cookies.set(name, value);
  return planted.map(([name]) => name);
}

const locationOf = (response: Response) =>
  (response.headers.get("location") ?? "").replace(ORIGIN, "");

const formPost = { authorization: { params: { response_mode: "form_post" } } };
const PROVIDERS = {
  "only PKCE": { checks: ["pkce"] },
  state: { checks: ["state"] },
  "all checks": { checks: ["pkce", "state", "nonce"] },
  "no check": { checks: ["none"] },
  "a posted response": { checks: ["pkce", "state", "nonce"], ...formPost },
} as const;
const STRATEGIES = {
  "jwt without adapter": () => ({}),
  jwt: () => ({ adapter: adapterOn(memoryBackend()), session: { strategy: "jwt" as const } }),
  database: () => ({ adapter: adapterOn(memoryBackend()) }),
};

describe.each(Object.entries(STRATEGIES))("a planted OAuth attempt, %s", (_, strategy) => {
  const open = (more: object) => {
    const idp = createIdentityProvider();
    const providers = [idp.provider({ id: "idp", ...more })];
    // The session cookie has the name of Auth.js. Only the application can choose another name.
    const cookies = { sessionToken: { name: SESSION } };
    return createIdpAuth(createAuth, {
      idp,
      providers,
      origin: ORIGIN,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      cookies,
      ...strategy(),
    });
  };

  // Mallory signs in, holds the response back, and leads the visitor there.
  const lead = async (app: ReturnType<typeof open>, victim: Browser) => {
    const mallory = app.openBrowser();
    const started = await mallory.signIn("idp");
    const { url, fields } = await app.idp.authorize(started.headers.get("location") ?? "", MALLORY);
    plant(mallory, victim);
    const headers = { origin: app.idp.issuer };
    return fields ? victim.post(url, fields, { headers }) : victim.get(url);
  };

  it.each(Object.entries(PROVIDERS))(
    "signs no visitor in as the attacker (%s)",
    async (_name, more) => {
      const app = open(more);
      const visitor = app.openBrowser();
      expect(locationOf(await lead(app, visitor))).toBe("/auth/signin?error=InvalidCheck");
      expect(await visitor.session()).toBeNull();
      await visitor.signInAs();
      expect(await visitor.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
      expect(locationOf(await lead(app, visitor))).toBe("/auth/signin?error=InvalidCheck");
      expect(await visitor.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
      app.log.errors.splice(0);
    },
  );

  // Without a state, an attacker's response ends an attempt in progress, with or without planted cookies (R9).
  it.each(Object.entries(PROVIDERS).filter(([, { checks }]) => checks.join().includes("state")))(
    "neither completes, nor ends the visitor's own attempt (%s)",
    async (_name, more) => {
      const app = open(more);
      const [visitor, mallory, jar] = [app.openBrowser(), app.openBrowser(), app.openBrowser()];
      const begin = async (browser: Browser, user?: typeof MALLORY) => {
        const started = await browser.signIn("idp");
        return app.idp.authorize(started.headers.get("location") ?? "", user);
      };
      const own = await begin(visitor);
      const planted = await begin(mallory, MALLORY);
      plant(mallory, jar);
      const join = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join("=")).join("; ");
      const headers = { origin: app.idp.issuer, cookie: `${join(jar)}; ${join(visitor)}` };
      const follow = (browser: Browser, { url, fields }: typeof own) =>
        fields ? browser.post(url, fields, { headers }) : browser.get(url, { headers });
      expect(locationOf(await follow(visitor, planted))).toBe("/auth/signin?error=InvalidCheck");
      expect(await visitor.session()).toBeNull();
      await follow(visitor, own);
      expect(await visitor.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
      app.log.errors.splice(0);
    },
  );
});

// Over plain http no cookie name has a prefix, so the cookie that identifies the browser can be planted too.
describe.each(["jwt", "database"] as const)("a planted OAuth attempt over http, %s", (strategy) => {
  afterEach(() => void vi.useRealTimers());

  /** Plants a user's attempt in Ada's browser, whose session is older, and completes it there. */
  async function plant(user?: typeof MALLORY) {
    vi.useFakeTimers({ toFake: ["Date"] });
    const idp = createIdentityProvider();
    const app = createIdpAuth(createAuth, {
      idp,
      providers: [idp.provider({ id: "idp" })],
      env: { NODE_ENV: "test" },
      ...STRATEGIES[strategy](),
    });
    const [visitor, other] = [app.openBrowser(), app.openBrowser()];
    await visitor.signInAs();
    vi.setSystemTime(Date.now() + 2000);
    const started = await other.signIn("idp");
    const { url } = await idp.authorize(started.headers.get("location") ?? "", user);
    for (const [name, value] of other.cookies) visitor.cookies.set(name, value);
    const response = await visitor.get(url);
    return { app, visitor, location: response.headers.get("location") };
  }

  it("does not replace an older session of another user", async () => {
    const { app, visitor, location } = await plant(MALLORY);
    expect(location).toMatch(/\/auth\/signin\?error=InvalidCheck$/);
    expect(await visitor.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
    app.log.errors.splice(0);
  });

  it("replaces an older session of the same user", async () => {
    const { visitor, location } = await plant();
    expect(location).not.toContain("error");
    expect(await visitor.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });
});

describe("other cookies of Keyhook that a sibling host could plant", () => {
  const codes = defineFlow("codes", {
    start: () => new Response("sent"),
    finish: () => ({ user: { name: "Mallory" }, account: { providerAccountId: "mallory" } }),
  });

  it("an attempt of a `defineFlow` flow is bound to its browser", async () => {
    const app = createTestAuth({
      preset: standardPreset,
      origin: ORIGIN,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      errors: "allowed",
      providers: [{ id: "codes", name: "Codes", type: "codes" } as never],
      use: [codes()],
    });
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    await mallory.signIn("codes");
    expect(plant(mallory, victim).join()).not.toMatch(/attempt/);
    const refused = await victim.signInWith("codes", {});
    expect(locationOf(refused)).toBe("/auth/signin?error=InvalidCheck");
    await mallory.signInWith("codes", {});
    expect(await mallory.session()).toMatchObject({ user: { name: "Mallory" } });
  });

  const gate: Plugin = {
    name: "gate",
    setup(kernel) {
      kernel.hooks.login.tap("gate", (_, ctx) => `${ctx.base}/gate`);
      const handler = (ctx: Parameters<typeof resumeLogin>[0]) => resumeLogin(ctx, "gate");
      kernel.addRoute({ method: "POST", path: "/gate", handler });
    },
  };

  it("two paused logins of users without an id: neither is resumed", async () => {
    const names = ["Mallory", "Ada"];
    const named = defineFlow("named", {
      start: () => new Response("sent"),
      finish: () => {
        const name = names.shift() ?? "";
        return { user: { name }, account: { providerAccountId: name } };
      },
    });
    const app = createTestAuth({
      preset: standardPreset,
      origin: ORIGIN,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      errors: "allowed",
      providers: [{ id: "named", name: "Named", type: "named" } as never],
      use: [named(), gate],
    });
    const pause = async () => {
      const browser = app.openBrowser();
      await browser.signIn("named");
      await browser.signInWith("named", {});
      return browser;
    };
    const [mallory, ada] = [await pause(), await pause()];
    const paused = [...mallory.cookies].filter(([name]) => name.includes("pending-login"));
    expect(paused).toHaveLength(1);
    const csrfToken = await ada.csrfToken();
    const cookie = [...paused, ...ada.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await ada.post("/auth/gate", { csrfToken }, { headers: { cookie } });
    expect(locationOf(response)).toContain("error=AmbiguousSession");
  });

  it("a paused login is resumed only in its own browser", async () => {
    const app = createTestAuth({
      origin: ORIGIN,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      errors: "allowed",
      use: [gate],
    });
    const pass = async (browser: Browser) =>
      browser.post("/auth/gate", { csrfToken: await browser.csrfToken() });
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    await mallory.signInWith("credentials", { username: "ada", password: "lovelace" });
    plant(mallory, victim);
    expect(locationOf(await pass(victim))).toContain("error=InvalidCheck");
    expect(await victim.session()).toBeNull();
    await pass(mallory);
    expect(await mallory.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a link of the attacker shows a confirmation page to a visitor without a session", async () => {
    const app = createTestAuth({
      preset: standardPreset,
      origin: ORIGIN,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      store: memoryBackend(),
      mail: {},
    });
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    await app.requestLink("mallory@example.com", mallory);
    const link = app.mails.at(-1)?.url.replace(ORIGIN, "") ?? "";
    plant(mallory, victim);
    const page = await victim.get(link, { headers: { "sec-fetch-dest": "document" } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("mallory@example.com");
    expect(await victim.session()).toBeNull();
  });
});

describe("the cookie that identifies a browser", () => {
  const BROWSER = "__Host-keyhook.browser";
  const open = (more: object = {}) => {
    const idp = createIdentityProvider();
    const providers = [
      idp.provider({ id: "idp", checks: ["pkce", "state"] }),
      idp.provider({ id: "posting", checks: ["state"], ...formPost }),
    ];
    const env = { NODE_ENV: "test", AUTH_URL: ORIGIN };
    return createIdpAuth(createAuth, { idp, providers, origin: ORIGIN, env, ...more });
  };
  type App = ReturnType<typeof open>;
  const locate = (response: Response) => response.headers.get("location") ?? "";

  it("is the same for two sign-ins that start at once, which both complete", async () => {
    const app = open();
    const { browser } = app;
    const csrfToken = await browser.csrfToken();
    const start = () => browser.post("/auth/signin/idp", { csrfToken });
    const marks = (await Promise.all([start(), start()])).map((response) =>
      response.headers.getSetCookie().find((cookie) => cookie.startsWith(BROWSER)),
    );
    expect(marks[0]).toMatch(
      /^__Host-keyhook\.browser=[\w-]{22}; .*Path=\/; .*Secure; SameSite=Lax$/,
    );
    expect(marks[1]).toBe(marks[0]);
  });

  it("differs between two browsers, also if a server function starts a sign-in without cookies", async () => {
    const { auth } = open();
    const start = async () => {
      const response = (await auth.signIn(new Request(`${ORIGIN}/`), "idp")) as Response;
      return response.headers.getSetCookie().find((cookie) => cookie.startsWith(BROWSER));
    };
    const [one, other] = [await start(), await start()];
    expect(one).toMatch(/^__Host-keyhook\.browser=[\w-]{22};/);
    expect(other).not.toBe(one);
  });

  it("lets posted and other attempts complete side by side, in any order", async () => {
    const begin = async ({ browser, idp }: App, provider: string) =>
      idp.authorize(locate(await browser.signIn(provider)));
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const app = open();
      const responses = [];
      for (const provider of ["posting", "idp", "posting"]) {
        responses.push(await begin(app, provider));
      }
      for (const at of order) {
        const { url, fields } = responses[at] as (typeof responses)[number];
        const sent = [...app.browser.cookies].filter(([name]) => /state|browser\.post/.test(name));
        const cookie = sent.map((pair) => pair.join("=")).join("; ");
        const headers = { origin: app.idp.issuer, cookie };
        const response = await (fields
          ? app.browser.post(url, fields, { headers })
          : app.browser.get(url));
        expect(locate(response)).toBe(`${ORIGIN}/`);
      }
    }
  });

  it("is replaced if Keyhook did not write its value", async () => {
    const app = open();
    for (const value of ["x", "x".repeat(5000), "x".repeat(23), "ab cd".repeat(4)]) {
      app.browser.cookies.set(BROWSER, value);
      await app.browser.signInAs();
      expect(app.browser.cookies.get(BROWSER)).toMatch(/^[\w-]{22}$/);
      expect(app.browser.cookies.get(BROWSER)).not.toBe(value);
    }
  });

  it("may be renamed, and still binds renamed cookies", async () => {
    const app = open({
      cookies: { browser: { name: "__Host-mark" }, state: { name: "my-state" } },
    });
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    const { url } = await app.idp.authorize(locate(await mallory.signIn("idp")), MALLORY);
    expect(plant(mallory, victim)).toContain("my-state");
    expect(locationOf(await victim.get(url))).toBe("/auth/signin?error=InvalidCheck");
    expect(await victim.session()).toBeNull();
    expect(locationOf(await mallory.get(url))).toBe("/");
    expect(mallory.cookies.has("__Host-mark")).toBe(true);
    app.log.errors.splice(0);
  });

  it("boot refuses a domain for a cookie whose name starts with __Host-, and accepts it with another name", () => {
    const options = { domain: "example.com" };
    const boot = (cookie: object) => open({ cookies: { pendingLogin: cookie } }).auth.inspect();
    expect(() => boot({ options })).toThrow("__Host- cookie has no domain");
    expect(() => boot({ name: "__Secure-pending", options })).not.toThrow();
  });
});

describe("a planted challenge of a passkey ceremony", () => {
  it("completes only in its own browser", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register("mallory@example.com");
    const [mallory, victim] = [app.openBrowser(), app.openBrowser()];
    const { options } = await app.fetchOptions({ action: "authenticate" }, mallory);
    const response = await app.authenticator.get(options);
    for (const [name, value] of mallory.cookies) {
      if (name.includes("challenge")) victim.cookies.set(name, value);
    }
    expect(await app.respond("authenticate", response, victim)).toHaveProperty("status", 302);
    expect(await victim.session()).toBeNull();
    await app.respond("authenticate", response, mallory);
    expect(await mallory.session()).not.toBeNull();
  });
});
