import { describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { MissingUserId, SessionRequired } from "../../src/errors.ts";
import type { AuthContext, Awaitable, CurrentSession, Plugin } from "../../src/kernel.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  locationOf,
  LOVELACE,
  ORIGIN,
  queryOf,
  type TestAuthOptions,
} from "../_app.ts";

/** Adds routes that call `look` and respond with what it returns, as JSON. */
const looking = (look: (ctx: AuthContext) => Awaitable<unknown>, ...methods: string[]): Plugin => ({
  name: "looking",
  setup(kernel) {
    for (const method of ["GET", "POST"] as const) {
      const handler = async (ctx: AuthContext) => ctx.json(await look(ctx));
      if (!methods.length || methods.includes(method)) {
        kernel.addRoute({ method, path: "/look", json: true, csrf: false, handler });
      }
    }
  },
});

async function signedIn(options: TestAuthOptions = {}) {
  const app = createTestAuth(options);
  await app.browser.signInWith("credentials", LOVELACE);
  return app;
}

const DATABASE: TestAuthOptions = { preset: standardPreset, strategy: "database", trustHost: true };

describe("ctx.session()", () => {
  it("ctx.session() returns null without a session", async () => {
    const { browser } = createTestAuth({ use: [looking((ctx) => ctx.session())] });
    expect(await (await browser.get("/auth/look")).json()).toBeNull();
  });

  it("ctx.session() has the session, the token and its `sub` as id under the jwt strategy", async () => {
    const { browser } = await signedIn({ use: [looking((ctx) => ctx.session())] });
    const current = (await (await browser.get("/auth/look")).json()) as CurrentSession;
    expect(current).toMatchObject({ id: "1", token: { sub: "1", name: "Ada" } });
    expect(current.session).toEqual(await browser.session());
    expect(current.user).toBeUndefined();
  });

  it("ctx.session() has the session, the stored user and its id under the database strategy", async () => {
    const app = await signedIn({
      ...DATABASE,
      store: memoryBackend(),
      use: [looking((ctx) => ctx.session())],
    });
    const current = (await (await app.browser.get("/auth/look")).json()) as CurrentSession;
    expect(current.id).toBe(await app.getUserId());
    expect(current.user).toMatchObject({ id: current.id, name: "Ada" });
    expect(current.session).toEqual(await app.browser.session());
    expect(current.token).toBeUndefined();
  });

  it.each([
    ["jwt", {}],
    ["database", { ...DATABASE, record: true }],
  ])("ctx.session() reads once per request: hooks run once (%s)", async (_, options) => {
    const jwt = vi.fn();
    const session = vi.fn();
    const app = await signedIn({
      ...options,
      ...("strategy" in options && { store: memoryBackend() }),
      use: [
        looking(async (ctx) => {
          const [one, two] = await Promise.all([ctx.session(), ctx.session()]);
          const three = await ctx.kernel.strategy.read(ctx);
          return (
            one !== null && one === two && two === three && one === (await ctx.requireSession())
          );
        }),
        {
          name: "count",
          setup({ hooks }) {
            hooks.jwt.tap("count", () => jwt());
            hooks.session.tap("count", () => session());
          },
        },
      ],
    });
    jwt.mockClear();
    session.mockClear();
    app.calls.length = 0;
    expect(await (await app.browser.get("/auth/look")).json()).toBe(true);
    expect(session).toHaveBeenCalledTimes(1);
    expect(jwt).toHaveBeenCalledTimes("strategy" in options ? 0 : 1);
    expect(app.calls).toEqual("strategy" in options ? ["getSessionAndUser"] : []);
  });

  it.each([
    ["session", { ...DATABASE, store: memoryBackend() }, "SessionTokenError"],
    ["jwt", { strategy: "jwt" as const }, "JWTSessionError"],
  ] as const)(
    "ctx.session() in a tap of `%s`, which would wait for itself, is an error that says so",
    async (hook, options, type) => {
      const asking: Plugin = {
        name: "asking",
        setup({ hooks }) {
          const ask = async (_: object, _params: object, ctx: AuthContext) => {
            if (ctx.action === "session") await ctx.session();
          };
          hooks[hook].tap("asking", ask as never);
        },
      };
      const app = await signedIn({ ...options, use: [asking] });
      expect((await app.browser.get("/auth/session")).status).toBe(500);
      const [error] = app.log.expectErrors(type);
      expect(error?.cause?.err?.message).toBe(
        "`ctx.session()` in a tap of `authenticate`, `jwt` or `session` waits for itself. Use its arguments.",
      );
    },
  );

  it("the account page runs the jwt hook once, although it needs session and user", async () => {
    const jwt = vi.fn(({ token }) => token);
    const app = await signedIn({
      preset: standardPreset,
      strategy: "jwt",
      store: memoryBackend(),
      callbacks: { jwt },
    });
    jwt.mockClear();
    await app.browser.get("/auth/account");
    expect(jwt).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["jwt", {}],
    ["database", DATABASE],
  ])("ctx.session() is read again after a sign-out and an update (%s)", async (_, options) => {
    const app = await signedIn({
      ...options,
      ...("strategy" in options && { store: memoryBackend() }),
      callbacks: {
        jwt: ({ token, session }) => ({ ...token, ...(session as object) }),
        session: ({ session, newSession }) =>
          newSession ? { ...session, changed: newSession } : session,
      },
      use: [
        looking(async (ctx) => {
          const { strategy } = ctx.kernel;
          const before = await ctx.session();
          await strategy.update(ctx, { name: "Countess" });
          const updated = await ctx.session();
          await strategy.destroy(ctx);
          return { isNew: updated !== before, updated, after: await ctx.session() };
        }),
      ],
    });
    const seen = (await (await app.browser.get("/auth/look")).json()) as Record<string, unknown>;
    expect(seen.isNew).toBe(true);
    expect(seen.after).toBeNull();
    if (!("strategy" in options))
      expect(seen.updated).toMatchObject({ token: { name: "Countess" } });
    expect(await app.browser.session()).toBeNull();
  });

  it.each([
    ["jwt", {}],
    ["database", DATABASE],
  ])("ctx.session() is read again after a sign-in of the same request (%s)", async (_, options) => {
    const seen: unknown[] = [];
    const app = createTestAuth({
      ...options,
      ...("strategy" in options && { store: memoryBackend() }),
      use: [
        {
          name: "look",
          setup({ hooks }) {
            const look = async (ctx: AuthContext) => {
              seen.push((await ctx.session())?.session.user?.name ?? null);
            };
            hooks.request.tap("look", async (ctx) => look(ctx).then(() => undefined));
            hooks.response.tap("look", async (_response, ctx) => look(ctx).then(() => undefined));
          },
        },
      ],
    });
    const csrfToken = await app.browser.csrfToken();
    seen.length = 0;
    await app.browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken });
    expect(seen).toEqual([null, "Ada"]);
  });

  it("ctx.session() is read again after a strategy's `update` threw, synchronously or not", async () => {
    for (const isSync of [true, false]) {
      let reads = 0;
      const fail = () => {
        throw new Error("half done");
      };
      const own: Plugin = {
        name: "own-strategy",
        setup: (kernel) =>
          kernel.addStrategy("own", {
            create: () => () => {},
            read: () => ({ id: "1", session: { expires: String(++reads) } }),
            update: isSync ? fail : async () => fail(),
            current: () => null,
            destroy: () => undefined,
          }),
      };
      const look = async (ctx: AuthContext) => {
        await ctx.session();
        await Promise.resolve(ctx.kernel.strategy.update(ctx, {})).catch(() => {});
        return (await ctx.session())?.session.expires;
      };
      const { browser } = createTestAuth({ use: [own, looking(look)], strategy: "own" });
      expect(await (await browser.get("/auth/look")).json()).toBe("2");
    }
  });

  it("ctx.session() of a request does not reach another request", async () => {
    const { browser, openBrowser } = await signedIn({ use: [looking((ctx) => ctx.session())] });
    expect(await (await browser.get("/auth/look")).json()).not.toBeNull();
    expect(await (await openBrowser().get("/auth/look")).json()).toBeNull();
  });

  it("ctx.session() that cannot be read rejects, and is never null (R7)", async () => {
    let isDown = false;
    const app = await signedIn({
      ...DATABASE,
      store: memoryBackend(),
      record: true,
      gate: () => {
        if (isDown) throw new Error("down");
      },
      use: [looking((ctx) => ctx.session())],
    });
    isDown = true;
    const response = await app.browser.get("/auth/look");
    expect(response.status).toBe(503);
    app.log.expectErrors("AdapterError");
  });
});

describe("a session without a user id", () => {
  const dropsSub = {
    callbacks: { jwt: ({ token: { sub: _, ...token } }) => token },
  } as TestAuthOptions;

  const emptiesSub: TestAuthOptions = {
    callbacks: { jwt: ({ token }) => ({ ...token, sub: "" }) },
  };

  const nameless: TestAuthOptions = {
    preset: standardPreset,
    providers: [],
    use: [
      {
        name: "nameless",
        provides: ["flow:credentials"],
        setup(kernel) {
          kernel.addFlow("credentials", {
            links: "none",
            finish: () => ({
              user: { name: "Ada" },
              account: { provider: "credentials", type: "credentials", providerAccountId: "1" },
            }),
          });
          kernel.addProvider(credentials());
        },
      },
    ],
  };

  it.each([
    ["a jwt callback that drops `sub`", dropsSub],
    ["a jwt callback that empties `sub`", emptiesSub],
    ["a flow that returns a user without an id", nameless],
  ])("with %s, GET /session works and the id fails with its fix", async (_, options) => {
    const { browser, log, auth } = await signedIn({
      ...options,
      use: [...(options.use ?? []), looking(async (ctx) => (await ctx.session())?.id)],
    });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const call = new Request(ORIGIN, { headers: { cookie } });
    expect(await auth.requireSession(call)).toMatchObject({ user: { name: "Ada" } });
    expect((await browser.get("/auth/look")).status).toBe(500);
    const [error] = log.expectErrors("MissingUserId");
    expect(error?.message).toContain("Keep `sub` in the `jwt` callback");
  });

  it("ctx.requireSession() rejects with MissingUserId, and not with SessionRequired", async () => {
    const { browser, log } = await signedIn({
      ...dropsSub,
      use: [
        looking((ctx) =>
          ctx
            .requireSession()
            .catch((error: unknown) => [
              error instanceof MissingUserId,
              error instanceof SessionRequired,
            ]),
        ),
      ],
    });
    expect(await (await browser.get("/auth/look")).json()).toEqual([true, false]);
    expect(log.errors).toEqual([]);
  });

  it("ctx.requireSession() names a strategy of another package that returns no id", async () => {
    const odd: Plugin = {
      name: "odd",
      setup: (kernel) =>
        kernel.addStrategy("odd", {
          create: () => () => {},
          read: () => ({ session: { expires: "" } }) as CurrentSession,
          update: () => null,
          current: () => null,
          destroy: () => undefined,
        }),
    };
    const { browser, log } = createTestAuth({
      strategy: "odd",
      use: [odd, looking((ctx) => ctx.requireSession())],
    });
    expect((await browser.get("/auth/look")).status).toBe(500);
    const [error] = log.expectErrors("MissingUserId");
    expect(error?.message).toContain('The strategy "odd"');
    expect(await browser.session()).toEqual({ expires: "" });
  });
});

describe("auth.requireSession()", () => {
  it("auth.requireSession() resolves to the session, and rejects with SessionRequired without one", async () => {
    const { auth, browser } = await signedIn();
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    expect(await auth.requireSession(new Request(ORIGIN, { headers: { cookie } }))).toEqual(
      await browser.session(),
    );
    const error = await auth.requireSession(new Request(ORIGIN)).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(SessionRequired);
    expect(error).toMatchObject({ status: 401, public: true });
  });

  it("auth.requireSession() writes a renewed cookie to the event", async () => {
    const { auth, browser } = await signedIn({ session: { updateAge: 0 } });
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const headers = new Headers();
    await auth.requireSession({
      req: new Request(ORIGIN, { headers: { cookie } }),
      res: { headers },
    });
    expect(headers.get("set-cookie")).toContain("authjs.session-token=");
  });

  it("auth.requireSession() rejects when the session could not be read", async () => {
    const { auth, browser, log } = await signedIn({
      callbacks: {
        session() {
          throw new Error("broken");
        },
      },
    });
    log.ignoreErrors();
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    await expect(
      auth.requireSession(new Request(ORIGIN, { headers: { cookie } })),
    ).rejects.toMatchObject({ type: "JWTSessionError" });
  });
});

describe("routes with `auth: true`", () => {
  const members = (calls: string[] = []): Plugin => ({
    name: "members",
    setup(kernel) {
      const handler = async (ctx: AuthContext) => {
        calls.push(ctx.request.method);
        return ctx.json((await ctx.requireSession()).id);
      };
      for (const method of ["GET", "POST"] as const) {
        kernel.addRoute({ method, path: "/members", auth: true, handler });
        kernel.addRoute({ method, path: "/members.json", auth: true, json: true, handler });
      }
    },
  });

  it("a route with `auth: true` runs with a session", async () => {
    const { browser } = await signedIn({ use: [members()] });
    const csrfToken = await browser.csrfToken();
    expect(await (await browser.get("/auth/members")).json()).toBe(ADA.id);
    expect(await (await browser.post("/auth/members.json", { csrfToken })).json()).toBe(ADA.id);
  });

  it("without a session, a JSON route responds with 401, error and message", async () => {
    const calls: string[] = [];
    const { browser, log } = createTestAuth({ use: [members(calls)] });
    const csrfToken = await browser.csrfToken();
    for (const response of [
      await browser.get("/auth/members.json"),
      await browser.post("/auth/members.json", { csrfToken }),
    ]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        error: "SessionRequired",
        message: "Sign in first.",
      });
      expect(response.headers.get("cache-control")).toContain("no-store");
    }
    expect(calls).toEqual([]);
    // A visitor can cause this, so it is not an error of the application.
    expect(log.errors).toEqual([]);
  });

  it("without a session, a GET leads to the sign-in page and back", async () => {
    const { browser } = createTestAuth({ use: [members()] });
    const response = await browser.get("/auth/members?tab=2");
    expect(response.status).toBe(302);
    expect(locationOf(response)).toMatch(/^\/auth\/signin\?/);
    expect(queryOf(response)).toEqual({ callbackUrl: `${ORIGIN}/auth/members?tab=2` });
    const own = createTestAuth({ use: [members()], pages: { signIn: "/login" } });
    expect(locationOf(await own.browser.get("/auth/members"))).toMatch(/^\/login\?callbackUrl=/);
    const visit = { method: "HEAD", headers: { accept: "text/html" } };
    const head = await own.auth.fetch(new Request(`${ORIGIN}/auth/members`, visit));
    expect(head.status).toBe(302);
  });

  it("without a session, a POST is an error that leads to the sign-in page", async () => {
    const { browser } = createTestAuth({ use: [members()] });
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/members", { csrfToken });
    expect(locationOf(response)).toBe("/auth/signin?error=SessionRequired");
  });

  it("without a CSRF token, a POST is refused for that reason, with or without a session", async () => {
    const { browser, log } = createTestAuth({ use: [members()] });
    expect((await browser.post("/auth/members.json")).status).toBe(403);
    await browser.signInWith("credentials", LOVELACE);
    expect((await browser.post("/auth/members.json")).status).toBe(403);
    log.expectErrors("MissingCSRF", "MissingCSRF");
  });

  it("taps of `request` run before the session is required", async () => {
    const limit: Plugin = {
      name: "limit",
      setup: ({ hooks }) => hooks.request.tap("limit", () => new Response("slow", { status: 429 })),
    };
    const { browser } = createTestAuth({ use: [members(), limit] });
    expect((await browser.get("/auth/members.json")).status).toBe(429);
  });

  it("a sign-in page that requires a session itself does not redirect to itself", async () => {
    const login: Plugin = {
      name: "login",
      setup: (kernel) =>
        kernel.addRoute({
          method: "GET",
          path: "/login",
          auth: true,
          handler: (ctx) => ctx.json(1),
        }),
    };
    const { browser } = createTestAuth({ use: [login], pages: { signIn: "/auth/login" } });
    expect((await browser.get("/auth/login")).status).toBe(401);
  });

  it("a session that could not be read is an error, not a redirect to the sign-in page", async () => {
    const { browser, log } = await signedIn({
      use: [members()],
      callbacks: {
        session() {
          throw new Error("broken");
        },
      },
    });
    expect(locationOf(await browser.get("/auth/members"))).toBe("/auth/error?error=Configuration");
    expect((await browser.get("/auth/members.json")).status).toBe(500);
    log.expectErrors("JWTSessionError", "JWTSessionError");
  });

  it("inspect() lists which routes require a session", () => {
    const { routes } = createTestAuth({ use: [members()] }).auth.inspect();
    const demanding = routes.filter(({ auth }) => auth).map(({ path }) => path);
    expect(new Set(demanding)).toEqual(new Set(["/members", "/members.json"]));
  });
});
