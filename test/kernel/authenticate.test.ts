import { describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { getLinkFingerprint } from "../../src/kernel.ts";
import type { AuthContext, CurrentSession, Plugin } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { createTestAuth, LOVELACE, ORIGIN, type TestAuthOptions } from "../_app.ts";

const KEY = { authorization: "Key of-grace" };
const WRONG_KEY = { authorization: "Key of-nobody" };

const GRACE: CurrentSession = {
  id: "grace",
  session: { user: { name: "Grace" }, expires: "2099-01-01T00:00:00.000Z" },
};

/** Finds the user of a request by its key, and adds routes that only users may call. */
function keys(asked: () => void = () => {}): Plugin {
  return {
    name: "keys",
    setup(kernel) {
      kernel.hooks.authenticate.tap("keys", async ({ request }) => {
        const given = request.headers.get("authorization");
        if (!given?.startsWith("Key ")) return undefined;
        asked();
        return given === KEY.authorization ? GRACE : null;
      });
      const handler = async (ctx: AuthContext) => ctx.json({ id: (await ctx.session())?.id });
      const common = { auth: true, json: true, handler } as const;
      kernel.addRoute({ ...common, method: "GET", path: "/me" });
      kernel.addRoute({ ...common, method: "GET", path: "/fresh", auth: "fresh" });
      kernel.addRoute({ ...common, method: "POST", path: "/open", csrf: false });
      kernel.addRoute({ ...common, method: "POST", path: "/form" });
      kernel.addRoute({
        ...common,
        method: "GET",
        path: "/strategy",
        async handler(ctx) {
          const { strategy } = ctx.kernel;
          const current = await strategy.current(ctx);
          return ctx.json([current, await strategy.key?.(ctx), await strategy.authTime?.(ctx)]);
        },
      });
    },
  };
}

const cookieHeader = ({ cookies }: Browser): string =>
  [...cookies].map((pair) => pair.join("=")).join("; ");

const STORED: TestAuthOptions = { preset: standardPreset, trustHost: true };

describe.each(["jwt", "database", "hybrid"] as const)(
  "the hook `authenticate` (%s)",
  (strategy) => {
    const open = async (asked?: () => void) => {
      const stored = strategy !== "jwt" && { ...STORED, store: memoryBackend() };
      const app = createTestAuth({ ...stored, strategy, use: [keys(asked)] });
      await app.browser.signInWith("credentials", LOVELACE);
      return app;
    };

    it("replaces the session cookie, for routes and for server functions", async () => {
      const { auth, browser } = await open();
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
      const me = await browser.get("/auth/me", { headers: KEY });
      expect(await me.json()).toEqual({ id: "grace" });
      expect(me.headers.getSetCookie()).toEqual([]);
      const session = await browser.get("/auth/session", { headers: KEY });
      expect(await session.json()).toEqual(GRACE.session);
      const headers = { ...KEY, cookie: cookieHeader(browser) };
      const request = new Request(`${ORIGIN}/api`, { headers });
      expect(await auth.getSession(request)).toEqual(GRACE.session);
      expect(await auth.authorize(new Request(`${ORIGIN}/api`, { headers }))).toBeUndefined();
    });

    it("returns null for a wrong key, which signs in no one, even with a cookie", async () => {
      const { auth, browser } = await open();
      expect((await browser.get("/auth/me", { headers: WRONG_KEY })).status).toBe(401);
      const headers = { ...WRONG_KEY, cookie: cookieHeader(browser) };
      expect(await auth.getSession(new Request(`${ORIGIN}/api`, { headers }))).toBeNull();
    });

    it("is called once per request that needs a session", async () => {
      const asked = vi.fn();
      const { browser } = await open(asked);
      await browser.get("/auth/strategy", { headers: KEY });
      expect(asked).toHaveBeenCalledOnce();
      await browser.get("/auth/providers", { headers: KEY });
      expect(asked).toHaveBeenCalledOnce();
    });

    it("gives no fresh session, no session key and no user to link, even with a cookie that does", async () => {
      const { browser } = await open();
      expect((await browser.get("/auth/fresh")).status).toBe(200);
      const stale = await browser.get("/auth/fresh", { headers: KEY });
      expect([stale.status, (await stale.json()) as object]).toMatchObject([
        401,
        { error: "FreshSessionRequired" },
      ]);
      const own = (await (await browser.get("/auth/strategy")).json()) as unknown[];
      expect(own[0]).toMatchObject({ name: "Ada" });
      const { headers } = await browser.get("/auth/strategy", { headers: KEY });
      expect(headers.getSetCookie()).toEqual([]);
      const none = await browser.get("/auth/strategy", { headers: KEY });
      expect(await none.json()).toEqual([null, null, null]);
    });

    it("gives no fresh session even if `session.freshAge` is turned off", async () => {
      const stored = strategy !== "jwt" && { ...STORED, store: memoryBackend() };
      const session = { strategy, freshAge: 0 };
      const { auth, browser } = createTestAuth({ ...stored, session, use: [keys()] });
      await browser.signInWith("credentials", LOVELACE);
      expect((await browser.get("/auth/fresh")).status).toBe(200);
      expect((await browser.get("/auth/fresh", { headers: KEY })).status).toBe(401);
      const request = new Request(`${ORIGIN}/api`, { headers: KEY });
      await expect(auth.requireFreshSession(request)).rejects.toMatchObject({
        type: "FreshSessionRequired",
      });
    });

    it("does not begin, change or end a session", async () => {
      const { auth, browser, log } = await open();
      const csrfToken = await browser.csrfToken();
      const post = (path: string, fields: Record<string, string> = {}) =>
        browser.post(
          path,
          { csrfToken, ...fields },
          { headers: { ...KEY, accept: "application/json" } },
        );
      const before = new Map(browser.cookies);
      for (const [path, fields] of [
        ["/auth/signout", {}],
        ["/auth/callback/credentials", LOVELACE],
      ] as const) {
        const response = await post(path, fields);
        expect(response.headers.getSetCookie().join()).not.toContain("session-token");
      }
      const update = await browser.send("/auth/session", {
        method: "POST",
        json: { csrfToken, data: {} },
        headers: KEY,
      });
      expect(update.status).toBe(401);
      expect(new Map(browser.cookies)).toEqual(before);
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
      const headers = { ...KEY, cookie: cookieHeader(browser) };
      const request = new Request(`${ORIGIN}/api`, { method: "POST", headers });
      await expect(auth.signOut(request)).rejects.toMatchObject({ type: "SessionRequired" });
      log.ignoreErrors();
    });

    it("does not replace the CSRF token, because a proxy may add credentials to any request", async () => {
      const { browser, log } = await open();
      expect((await browser.post("/auth/form", {}, { headers: KEY })).status).toBe(403);
      log.expectErrors("MissingCSRF");
      expect((await browser.post("/auth/open", {}, { headers: KEY })).status).toBe(200);
    });
  },
);

describe("the hook `session`", () => {
  it.each(["database", "hybrid"] as const)(
    "that returns no session leaves no user who could link an account (%s)",
    async (strategy) => {
      let isBlocked = false;
      const { browser, log } = createTestAuth({
        ...STORED,
        store: memoryBackend(),
        strategy,
        callbacks: { session: ({ session }) => (isBlocked ? null : session) },
        use: [
          {
            name: "linking",
            setup(kernel) {
              kernel.addRoute({
                method: "POST",
                path: "/linking",
                json: true,
                handler: async (ctx) => ctx.json((await getLinkFingerprint(ctx)) !== undefined),
              });
            },
          },
        ],
      });
      await browser.signInWith("credentials", LOVELACE);
      const ask = () => browser.send("/auth/linking", { method: "POST", json: { link: "true" } });
      expect(await (await ask()).json()).toBe(true);
      isBlocked = true;
      expect((await ask()).status).toBe(401);
      log.expectErrors();
    },
  );
});
