import { describe, expect, it, vi } from "vitest";
import { memoryStore, memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import { AccessDenied, InvalidCheck } from "../../src/errors.ts";
import { definePreset, defineStore, getPendingLogin, resumeLogin } from "../../src/kernel.ts";
import type { Adapter, Login, Plugin, SignInParams } from "../../src/types.ts";
import {
  acme,
  createTestAuth,
  identityFlow,
  locationOf,
  LOVELACE,
  plainAdapter,
  queryOf,
  Rows,
  testPreset,
} from "../_app.ts";

const storedSessions = definePreset({
  name: "stored-sessions",
  extends: [testPreset],
  plugins: [databaseStrategy(), hybridStrategy()],
});

/** Pauses each login at a page, whose POST resumes it. */
function gate(name: string, seen: Login[] = []): Plugin {
  return {
    name,
    setup(kernel) {
      kernel.hooks.login.tap(name, (login, ctx) => {
        seen.push(login);
        return `${ctx.base}/${name}`;
      });
      kernel.addRoute({
        method: "GET",
        path: `/${name}`,
        json: true,
        async handler(ctx) {
          const login = await getPendingLogin(ctx, name);
          return ctx.json(login ? { user: login.user, outcome: login.outcome } : null);
        },
      });
      kernel.addRoute({
        method: "POST",
        path: `/${name}`,
        handler: (ctx) => resumeLogin(ctx, name),
      });
    },
  };
}

const pass = async (browser: ReturnType<typeof createTestAuth>["browser"], name = "gate") =>
  browser.post(`/auth/${name}`, { csrfToken: await browser.csrfToken() });

describe.each(["jwt", "database", "hybrid"])("the login hook, %s sessions", (strategy) => {
  const store = () => ({ preset: storedSessions, store: memoryBackend(), strategy });

  it("a URL pauses the login: there is no session until it is resumed", async () => {
    const signedIn: unknown[] = [];
    const paused: unknown[] = [];
    const { browser } = createTestAuth({
      ...store(),
      use: [gate("gate")],
      events: {
        signIn: (message) => void signedIn.push(message),
        signInPaused: (message) => void paused.push(message),
      },
    });
    const response = await browser.signInWith("credentials", {
      ...LOVELACE,
      callbackUrl: "/inbox",
    });
    expect(locationOf(response)).toBe("/auth/gate");
    expect(await browser.session()).toBeNull();
    expect(signedIn).toEqual([]);
    const account = { provider: "credentials", type: "credentials" };
    expect(paused).toMatchObject([{ user: { name: "Ada" }, account, tap: "gate" }]);

    const resumed = await pass(browser);
    expect(locationOf(resumed)).toBe("/inbox");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(signedIn).toMatchObject([{ user: { name: "Ada" }, account }]);
    expect(paused).toHaveLength(1);
    expect([...browser.cookies.keys()]).not.toContain("keyhook.pending-login");
  });

  it("taps receive the stored user and how it was found, for new, known and linked accounts", async () => {
    const seen: Login[] = [];
    const identity = { user: { name: "Ada", email: "ada@example.com" }, emailVerified: true };
    let id = "first";
    const app = createTestAuth({
      ...store(),
      providers: [acme({ allowDangerousEmailAccountLinking: true })],
      use: [
        identityFlow(() => ({ ...identity, account: { providerAccountId: id } })),
        gate("gate", seen),
      ],
    });
    const { adapter } = app;
    const enter = async () => {
      await app.openBrowser().get("/auth/callback/acme");
      return seen.at(-1);
    };
    const created = await enter();
    expect(created).toMatchObject({ outcome: "create", isNewUser: true });
    const { id: userId = "" } = created?.user ?? {};
    expect(await enter()).toMatchObject({ outcome: "signIn", user: { id: userId } });

    // The owner verified the address here, so another account may be linked by it.
    await adapter.updateUser?.({ id: userId, emailVerified: new Date() });
    id = "second";
    expect(await enter()).toMatchObject({ outcome: "linkByEmail", user: { id: userId } });
  });

  it("a login is paused with a profile of 7 kB, and refused with one of 11 kB, whose cookie servers would refuse", async () => {
    let pad = "x".repeat(7000);
    const app = createTestAuth({
      ...store(),
      providers: [acme()],
      use: [
        identityFlow(() => ({
          user: { name: "Ada" },
          account: { providerAccountId: "1" },
          profile: { pad },
        })),
        gate("gate"),
      ],
    });
    expect(locationOf(await app.browser.get("/auth/callback/acme"))).toBe("/auth/gate");
    expect(locationOf(await pass(app.browser))).toBe("/");

    pad = "x".repeat(11_000);
    const other = app.openBrowser();
    expect(queryOf(await other.get("/auth/callback/acme"))).toEqual({ error: "SessionTooLarge" });
    app.log.expectErrors("SessionTooLarge");
    expect([...other.cookies.keys()].join()).not.toContain("pending-login");
  });

  it("a Response is sent instead of the redirect", async () => {
    const stop: Plugin = {
      name: "stop",
      setup: ({ hooks }) =>
        hooks.login.tap("stop", () => new Response("a code, please", { status: 403 })),
    };
    const { browser } = createTestAuth({ ...store(), use: [stop] });
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.status).toBe(403);
    expect(await response.text()).toBe("a code, please");
    expect(await browser.session()).toBeNull();
  });

  it("an error of a tap refuses the login", async () => {
    const refuse = (error: Error): Plugin => ({
      name: "refuse",
      setup: ({ hooks }) =>
        hooks.login.tap("refuse", () => {
          throw error;
        }),
    });
    for (const error of [new Error("no"), new AccessDenied("no")]) {
      const { browser, log } = createTestAuth({ ...store(), use: [refuse(error)] });
      const response = await browser.signInWith("credentials", LOVELACE);
      expect(queryOf(response)).toEqual({ error: "AccessDenied" });
      expect(await browser.session()).toBeNull();
      log.expectErrors("AccessDenied");
    }
  });

  it("a resumed login continues after the tap that paused it, so each tap runs once", async () => {
    const seen: Login[] = [];
    const asked: SignInParams[] = [];
    const { browser } = createTestAuth({
      ...store(),
      use: [gate("gate", seen), gate("terms", seen)],
      callbacks: { signIn: (params) => Boolean(asked.push(params as SignInParams)) },
    });
    expect(locationOf(await browser.signInWith("credentials", LOVELACE))).toBe("/auth/gate");
    expect(locationOf(await pass(browser))).toBe("/auth/terms");
    expect(await browser.session()).toBeNull();
    await pass(browser, "terms");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(seen).toHaveLength(2);
    expect(asked).toHaveLength(1);
  });

  it("a resumed login that a later tap refuses is reported as a failed sign-in of its user", async () => {
    const failed: unknown[] = [];
    const refuse: Plugin = {
      name: "refuse",
      requires: ["gate"],
      setup({ hooks, events }) {
        hooks.login.tap("refuse", () => {
          throw new AccessDenied("no");
        });
        events.hook("signInFailed", ({ provider, error, identity }) => {
          failed.push([provider, error instanceof AccessDenied, identity?.user.name]);
        });
      },
    };
    const { browser, log } = createTestAuth({ ...store(), use: [gate("gate"), refuse] });
    await browser.signInWith("credentials", LOVELACE);
    expect(failed).toEqual([]);
    expect(queryOf(await pass(browser))).toEqual({ error: "AccessDenied" });
    expect(failed).toEqual([["credentials", true, "Ada"]]);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("a plugin resumes only logins that its own tap paused, so no other plugin's page can skip it", async () => {
    const { browser, log } = createTestAuth({ ...store(), use: [gate("gate"), gate("terms")] });
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/auth/terms")).json()).toBeNull();
    expect(queryOf(await pass(browser, "terms"))).toEqual({ error: "InvalidCheck" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidCheck");

    // The login still waits where it was paused.
    expect(locationOf(await pass(browser))).toBe("/auth/terms");
    expect(queryOf(await pass(browser))).toEqual({ error: "InvalidCheck" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidCheck");
    await pass(browser, "terms");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a login is resumed once, and a copy of its cookie gets no second session", async () => {
    const { browser, openBrowser, log } = createTestAuth({ ...store(), use: [gate("gate")] });
    await browser.signInWith("credentials", LOVELACE);
    const thief = openBrowser();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    await pass(browser);
    expect(queryOf(await pass(thief))).toEqual({ error: "InvalidCheck" });
    expect(await thief.session()).toBeNull();
    log.expectErrors("InvalidCheck");
  });

  it("exactly one of several concurrent resumes starts a session", async () => {
    const { browser, openBrowser, log } = createTestAuth({ ...store(), use: [gate("gate")] });
    await browser.signInWith("credentials", LOVELACE);
    const csrfToken = await browser.csrfToken();
    const browsers = Array.from({ length: 8 }, () => {
      const one = openBrowser();
      for (const [name, value] of browser.cookies) one.cookies.set(name, value);
      return one;
    });
    await Promise.all(browsers.map((one) => one.post("/auth/gate", { csrfToken })));
    const sessions = await Promise.all(browsers.map((one) => one.session()));
    expect(sessions.filter(Boolean)).toHaveLength(1);
    log.expectErrors(...Array.from({ length: 7 }, () => "InvalidCheck"));
  });

  it("no login is pending without a sign-in, with a forged cookie, or after it is resumed", async () => {
    const { browser, log } = createTestAuth({ ...store(), use: [gate("gate")] });
    const pending = async () => (await browser.get("/auth/gate")).json();
    expect(await pending()).toBeNull();
    expect(queryOf(await pass(browser))).toEqual({ error: "InvalidCheck" });
    browser.cookies.set("keyhook.pending-login", "forged");
    expect(await pending()).toBeNull();
    await browser.signInWith("credentials", LOVELACE);
    expect(await pending()).toMatchObject({ user: { name: "Ada" } });
    await pass(browser);
    expect(await pending()).toBeNull();
    log.expectErrors("InvalidCheck");
  });

  it("a login ends when its user is removed, or has lost the account", async () => {
    const lose = async (how: "user" | "account") => {
      const seen: Login[] = [];
      const { browser, adapter, log } = createTestAuth({
        ...store(),
        providers: [acme()],
        use: [identityFlow(() => ({})), gate("gate", seen)],
      });
      await browser.get("/auth/callback/acme");
      const [login] = seen;
      if (how === "user") await adapter.deleteUser?.(String(login?.user.id));
      else await adapter.unlinkAccount?.({ provider: "acme", providerAccountId: "acme-1" });
      expect(queryOf(await pass(browser))).toEqual({ error: "InvalidCheck" });
      expect(await browser.session()).toBeNull();
      log.expectErrors("InvalidCheck");
    };
    await lose("user");
    await lose("account");
  });
});

describe("the outcome of a login by credentials", () => {
  it.each([
    ["database", ["create", "signIn"], [true, false]],
    ["jwt", ["none", "none"], [undefined, undefined]],
  ])("under %s sessions, says whether the user is new", async (strategy, ...expected) => {
    const seen: Login[] = [];
    const { openBrowser } = createTestAuth({
      preset: storedSessions,
      store: memoryBackend(),
      strategy,
      use: [gate("gate", seen)],
    });
    await openBrowser().signInWith("credentials", LOVELACE);
    await openBrowser().signInWith("credentials", LOVELACE);
    expect(seen.map(({ outcome }) => outcome)).toEqual(expected[0]);
    expect(seen.map(({ isNewUser }) => isNewUser)).toEqual(expected[1]);
  });
});

describe("redirects of taps to another origin", () => {
  it.each(["signIn", "login"] as const)(
    "a redirect to %s is logged, and goes to the origin instead",
    async (hook) => {
      const elsewhere: Plugin = {
        name: "elsewhere",
        setup: ({ hooks }) => hooks[hook].tap("elsewhere", () => "https://terms.example/"),
      };
      const { browser, log } = createTestAuth({ use: [elsewhere] });
      const response = await browser.signInWith("credentials", LOVELACE);
      expect(response.headers.get("location")).toBe("http://localhost:3000/");
      expect(log.warnings).toContain("redirect-refused");
      expect(await browser.session()).toBeNull();
    },
  );

  it("a redirect to an origin that the redirect callback allows is followed without a warning", async () => {
    const elsewhere: Plugin = {
      name: "elsewhere",
      setup: ({ hooks }) => hooks.login.tap("elsewhere", () => "https://terms.example/"),
    };
    const { browser, log } = createTestAuth({
      use: [elsewhere],
      callbacks: { redirect: ({ url }) => url },
    });
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe("https://terms.example/");
    expect(log.warnings).not.toContain("redirect-refused");
  });
});

describe("a flow that hangs", () => {
  it("ends after 10.5 seconds with an error that names flow, provider and step", async () => {
    const hanging: Plugin = {
      name: "flows/hanging",
      provides: ["flow:oauth"],
      setup: (kernel) => kernel.addFlow("oauth", { finish: () => new Promise<never>(() => {}) }),
    };
    const { browser, log } = createTestAuth({ providers: [acme()], use: [hanging] });
    vi.useFakeTimers();
    const pending = browser.get("/auth/callback/acme");
    await vi.advanceTimersByTimeAsync(10_500);
    expect(queryOf(await pending)).toEqual({ error: "Configuration" });
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(
      '`finish` of the flow "oauth" (provider "acme") has not settled',
    );
  });
});

describe("a pending login", () => {
  it("tokens, profile and target of an OAuth sign-in reach the jwt callback when it is resumed", async () => {
    const params: unknown[] = [];
    const { browser } = createTestAuth({
      providers: [acme()],
      use: [identityFlow(() => ({ callbackUrl: "/deep" })), gate("gate")],
      callbacks: {
        jwt({ token, account, profile, trigger }) {
          if (account) params.push({ account, profile, trigger });
          return token;
        },
      },
    });
    await browser.get("/auth/callback/acme");
    const resumed = await pass(browser);
    expect(locationOf(resumed)).toBe("/deep");
    expect(params).toEqual([
      {
        account: {
          provider: "acme",
          type: "oauth",
          providerAccountId: "acme-1",
          access_token: "at",
        },
        profile: { sub: "acme-1" },
        trigger: "signIn",
      },
    ]);
  });

  it.each([
    ["a bigint as id, and another", (row: object) => ({ ...row, id: 42n, credits: 7n })],
    ["a column of any size", (row: object) => ({ ...row, biography: "x".repeat(100_000) })],
  ])("of a stored user with %s is resumed with the row", async (_, toRow) => {
    const rows = new Rows();
    const base = plainAdapter(rows);
    const find = async (user: unknown) => (user ? toRow(user as object) : null) as never;
    const adapter: Adapter = {
      ...base,
      createUser: async (user) => find(await base.createUser?.(user)),
      getUser: () => find(rows.users[0]),
      getUserByAccount: () => find(rows.accounts.length && rows.users[0]),
    };
    const users: unknown[] = [];
    const { browser } = createTestAuth({
      adapter,
      strategy: "jwt",
      providers: [acme()],
      use: [identityFlow(() => ({})), gate("gate")],
      events: { signIn: ({ user }) => void users.push(user) },
    });
    expect(locationOf(await browser.get("/auth/callback/acme"))).toBe("/auth/gate");
    await pass(browser);
    expect(await browser.session()).toMatchObject({ user: { name: expect.any(String) } });
    expect(users).toEqual([expect.objectContaining(toRow({ name: expect.any(String) }))]);
  });

  it("is sealed for 5 minutes, in an HttpOnly cookie", async () => {
    const { browser } = createTestAuth({ use: [gate("gate")] });
    const response = await browser.signInWith("credentials", LOVELACE);
    const cookie = response.headers.getSetCookie().find((one) => one.includes("pending-login"));
    expect(cookie).toMatch(/; Max-Age=300;/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).not.toContain("Ada");
  });

  it("is sealed for no longer than its use is remembered, whatever the configuration", async () => {
    const cookies = { pendingLogin: { options: { maxAge: 86_400 } } };
    const { browser } = createTestAuth({ use: [gate("gate")], cookies });
    const response = await browser.signInWith("credentials", LOVELACE);
    const cookie = response.headers.getSetCookie().find((one) => one.includes("pending-login"));
    expect(cookie).toMatch(/; Max-Age=900;/);
  });

  it("ends when its provider is no longer configured", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const before = createTestAuth({
      secret,
      providers: [acme()],
      use: [identityFlow(() => ({})), gate("gate")],
    });
    await before.browser.get("/auth/callback/acme");
    const { browser, log } = createTestAuth({ secret, use: [gate("gate")] });
    for (const [name, value] of before.browser.cookies) browser.cookies.set(name, value);
    expect(queryOf(await pass(browser))).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });

  it("runs every tap again when the tap that paused it is gone after a deployment", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const before = createTestAuth({ secret, use: [gate("gate")] });
    await before.browser.signInWith("credentials", LOVELACE);
    const resume: Plugin = {
      name: "resume",
      setup: (kernel) =>
        kernel.addRoute({
          method: "POST",
          path: "/gate",
          handler: (ctx) => resumeLogin(ctx, "gate"),
        }),
    };
    const { browser } = createTestAuth({ secret, use: [gate("terms"), resume] });
    for (const [name, value] of before.browser.cookies) browser.cookies.set(name, value);
    expect(locationOf(await pass(browser))).toBe("/auth/terms");
    expect(await browser.session()).toBeNull();
  });
});

describe("HEAD and a paused login", () => {
  it("a HEAD request to a route that resumes signs no one in, and the login can still be resumed", async () => {
    const { browser, auth, log } = createTestAuth({
      use: [
        gate("gate"),
        {
          name: "by-link",
          setup: (kernel) =>
            kernel.addRoute({
              method: "GET",
              path: "/gate-link",
              handler: (ctx) => resumeLogin(ctx, "gate"),
            }),
        },
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const url = "http://localhost:3000/auth/gate-link";
    const head = await auth.fetch(new Request(url, { method: "HEAD", headers: { cookie } }));
    expect([head.status, head.headers.get("allow")]).toEqual([405, "GET, POST"]);
    expect(head.headers.getSetCookie()).toEqual([]);
    expect((await browser.get("/auth/gate-link")).status).toBe(302);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(log.errors).toEqual([]);
  });
});

describe("kernel.useOnce()", () => {
  it("exactly one of concurrent calls gets true, across kernels that share a store", async () => {
    const backend = memoryBackend();
    const kernels = [1, 2, 3].map(() => createTestAuth({ use: [defineStore(backend)] }).kernel());
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, at) => kernels[at % 3]?.useOnce("test", "value")),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await kernels[0]?.useOnce("other", "value")).toBe(true);
  });

  it("without a store a value is used once in this process", async () => {
    const kernel = createTestAuth().kernel();
    expect([await kernel.useOnce("test", "v"), await kernel.useOnce("test", "v")]).toEqual([
      true,
      false,
    ]);
  });
});

describe("storedUser of the signIn hook", () => {
  const listen = (seen: unknown[]): Plugin => ({
    name: "listen",
    setup: ({ hooks }) =>
      hooks.signIn.tap("listen", ({ user, storedUser }) => {
        seen.push({ user: user.id, storedUser: storedUser && storedUser.id });
      }),
  });

  it("is the user to which an account is linked, not the identity's", async () => {
    const seen: { storedUser?: string }[] = [];
    let id = "first";
    const { adapter, openBrowser } = createTestAuth({
      preset: storedSessions,
      store: memoryBackend(),
      providers: [acme({ allowDangerousEmailAccountLinking: true })],
      use: [
        identityFlow(() => ({ account: { providerAccountId: id }, emailVerified: true })),
        listen(seen),
      ],
    });
    await openBrowser().get("/auth/callback/acme");
    const user = await adapter.getUserByEmail?.("ada@example.com");
    await adapter.updateUser?.({ id: String(user?.id), emailVerified: new Date() });
    id = "second";
    await openBrowser().get("/auth/callback/acme");
    expect(seen.map(({ storedUser }) => storedUser)).toEqual([null, user?.id]);
  });

  it("is the stored user of credentials under stored sessions, and null the first time", async () => {
    const seen: { storedUser?: string }[] = [];
    const { adapter, openBrowser } = createTestAuth({
      preset: storedSessions,
      store: memoryBackend(),
      strategy: "database",
      use: [listen(seen)],
    });
    await openBrowser().signInWith("credentials", LOVELACE);
    await openBrowser().signInWith("credentials", LOVELACE);
    const user = await adapter.getUserByEmail?.("ada@example.com");
    expect(seen.map(({ storedUser }) => storedUser)).toEqual([null, user?.id]);
  });

  it("is absent without an adapter", async () => {
    const seen: unknown[] = [];
    const { browser } = createTestAuth({ use: [memoryStore(), listen(seen)] });
    await browser.signInWith("credentials", LOVELACE);
    expect(seen).toEqual([{ user: "1", storedUser: undefined }]);
  });

  it("does not reach the application's callback, which receives what Auth.js passes", async () => {
    const seen: object[] = [];
    const { browser } = createTestAuth({
      preset: storedSessions,
      store: memoryBackend(),
      callbacks: { signIn: (params) => Boolean(seen.push(params)) },
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(seen.map((params) => Object.keys(params))).toEqual([["user", "account", "credentials"]]);
  });
});

it("resumeLogin() throws InvalidCheck, and a route can handle it", async () => {
  const errors: unknown[] = [];
  const tries: Plugin = {
    name: "tries",
    setup: (kernel) =>
      kernel.addRoute({
        method: "POST",
        path: "/tries",
        handler: async (ctx) =>
          resumeLogin(ctx, "tries").catch((error: unknown) => {
            errors.push(error);
            return ctx.json({ again: true });
          }),
      }),
  };
  const { browser } = createTestAuth({ use: [tries] });
  const response = await pass(browser, "tries");
  expect(await response.json()).toEqual({ again: true });
  expect(errors).toEqual([expect.any(InvalidCheck)]);
});
