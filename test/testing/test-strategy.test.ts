import { describe, expect, it } from "vitest";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { callHook, type SessionOptions, type Strategy } from "../../src/kernel.ts";
import { createTestAuth, testStrategy } from "../../src/testing.ts";
import { listFailures } from "./_list-failures.ts";
import { mapSessions, type Parts } from "./_map-sessions.ts";

type Change = (parts: Parts) => Partial<Strategy>;

const check = (change?: Change, session: SessionOptions = {}) =>
  listFailures((runner) =>
    testStrategy(
      () =>
        createTestAuth(createAuth, {
          plugins: [memoryStore(), mapSessions(change)],
          session: { strategy: "map", ...session },
        }),
      runner,
    ),
  );

const DEFECTS: Record<string, Change> = {
  "sets the cookie before the sign-in is complete": ({ right, give, sessions }) => ({
    async create(ctx, login) {
      const token = crypto.randomUUID();
      const ends = Date.now() + 3_600_000;
      await sessions.put(token, { user: login.user, began: Date.now(), ends });
      give(ctx, token);
      return right.create(ctx, login);
    },
  }),
  "treats a failing storage as no session": ({ right }) => ({
    read: async (ctx) => {
      try {
        return await right.read(ctx);
      } catch {
        return null;
      }
    },
  }),
  "keeps the browser's previous session": ({ right, sessions }) => ({
    async create(ctx, login) {
      const done = await right.create(ctx, login);
      return async () => {
        const before = ctx.cookies.get(ctx.cookies.spec("sessionToken").name);
        const kept = before === undefined ? undefined : await sessions.get(before);
        await done();
        if (before !== undefined && kept) await sessions.put(before, kept);
      };
    },
  }),
  "clears the cookie at the sign-out, but keeps the session": () => ({
    destroy(ctx) {
      const { name, attributes } = ctx.cookies.spec("sessionToken");
      ctx.cookies.clear(name, attributes);
      return { session: null };
    },
  }),
  "keeps the cookie at a sign-out while the storage fails": ({ right, getToken, sessions }) => ({
    async destroy(ctx) {
      await sessions.get(getToken(ctx) ?? "");
      return right.destroy(ctx);
    },
  }),
  "restores a session after its sign-out": ({ right, getToken, sessions }) => ({
    async read(ctx) {
      const token = getToken(ctx);
      const kept = token === undefined ? undefined : await sessions.get(token);
      const current = await right.read(ctx);
      await Promise.resolve();
      if (token !== undefined && kept) await sessions.put(token, kept);
      return current;
    },
  }),
  "has one key for all users": () => ({ key: () => "key" }),
  "gives every session of a user the same token": ({ give, sessions }) => ({
    async create(ctx, { user }) {
      const token = String(user.name);
      const ends = Date.now() + 3_600_000;
      await sessions.put(token, { user, began: Date.now(), ends });
      return () => give(ctx, token);
    },
  }),
  "uses the time of the read as the time of the sign-in": () => ({
    authTime: () => Date.now() / 1000 + 60,
  }),
  "does not call the hook": ({ getToken, sessions }) => ({
    async read(ctx) {
      const kept = await sessions.get(getToken(ctx) ?? "");
      if (!kept) return null;
      const session = { user: kept.user, expires: new Date(kept.ends).toISOString() };
      await ctx.kernel.emit("session", { session }, ctx);
      return { id: String(kept.user.id), session };
    },
  }),
  "calls the hook without the data of an update": ({ right }) => ({
    update: async (ctx) => (await right.read(ctx))?.session ?? null,
  }),
  "reads expired sessions": ({ right, sessions }) => ({
    async create(ctx, login) {
      const done = await right.create(ctx, login);
      return async () => {
        await done();
        const token = ctx.cookies.get(ctx.cookies.spec("sessionToken").name) ?? "";
        const kept = await sessions.get(token);
        if (kept) await sessions.put(token, kept);
      };
    },
  }),
  "finds no user": () => ({ current: () => null }),
  "passes no user to the hook": ({ right, getToken, sessions }) => ({
    async read(ctx) {
      const kept = await sessions.get(getToken(ctx) ?? "");
      if (!kept) return null;
      const { name } = kept.user;
      const base = { user: { name }, expires: new Date(kept.ends).toISOString() };
      const session = await callHook(ctx.kernel.hooks.session, base, {}, ctx);
      if (!session) return null;
      await ctx.kernel.emit("session", { session }, ctx);
      return { id: String(kept.user.id), session };
    },
    update: (ctx, data) => right.update(ctx, data),
  }),
  ...Object.fromEntries(
    (["endsWithin", "key", "authTime", "isAmbiguous"] as const).map((name) => [
      `has no \`${name}\``,
      () => ({ [name]: undefined }) as Partial<Strategy>,
    ]),
  ),
};

describe("testStrategy()", () => {
  it("passes for sessions in the store that keep to the contract", async () => {
    expect(await check()).toEqual([]);
  });

  it("lets the strategy's own storage fail through `setDown`", async () => {
    const make = () => {
      const service = { isDown: false };
      const sessions = mapSessions(({ right }) => ({
        read: (ctx) => (service.isDown ? null : right.read(ctx)),
      }));
      const app = createTestAuth(createAuth, {
        plugins: [memoryStore(), sessions],
        session: { strategy: "map" },
      });
      return { ...app, service };
    };
    expect(await listFailures((runner) => testStrategy(make, runner))).toEqual([]);
    const setDown = ({ service }: ReturnType<typeof make>, isDown: boolean) => {
      service.isDown = isDown;
    };
    const failures = await listFailures((runner) => testStrategy(make, runner, { setDown }));
    expect(failures).toEqual([
      expect.stringContaining("while the storage fails, a read returns the session or an error"),
    ]);
  });

  it("passes for a strategy without `authTime` if no sign-in has to be recent", async () => {
    const change = () => ({ authTime: undefined }) as object;
    expect(await check(change, { freshAge: 0 })).toEqual([]);
  });

  it.each(Object.entries(DEFECTS))("notices a strategy that %s", async (_, change) => {
    expect(await check(change)).not.toEqual([]);
  });
});
