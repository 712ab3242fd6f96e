import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Browser } from "../../src/testing/testing.ts";
import type { Adapter, AdapterSession, ListedSession, StoreBackend } from "../../src/types.ts";
import { createTestAuth } from "../_app.ts";
import { rounds } from "../_scale.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { adapterOn } from "./_namespace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const SIGN_INS = rounds(10_000);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WRITES = ["put", "putIfAbsent", "take", "compareAndSet", "increment", "delete"];
const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };
const CLAIMS = { sub: "ada", name: "Ada", email: ADA.email };

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A store that counts its operations. */
function openCounted() {
  const entries = new Map<string, unknown>();
  const calls: string[] = [];
  const backend = Object.fromEntries(
    Object.entries(memoryBackend(entries)).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...args: unknown[]) => {
            calls.push(name);
            return (member as (...args: unknown[]) => unknown)(...args);
          }
        : member,
    ]),
  ) as unknown as StoreBackend;
  const count = async (work: () => unknown) => {
    calls.length = 0;
    await work();
    const writes = calls.filter((name) => WRITES.includes(name)).length;
    return { all: calls.length, writes };
  };
  const sessions = () => [...entries.keys()].filter((key) => key.startsWith("adapter-session."));
  return { backend, count, sessions };
}

async function addSessions(adapter: Adapter, count: number, max = 100) {
  const tokens = Array.from({ length: count }, (_, at) => `token-${at}-${Math.random()}`);
  for (const sessionToken of tokens) {
    const expires = new Date(Date.now() + 30 * DAY);
    await adapter.createSession?.({ sessionToken, userId: ADA.id, expires });
    await adapter.limitSessions?.(ADA.id, max);
  }
  return tokens;
}

async function countLive(adapter: Adapter, tokens: readonly string[]) {
  const found = await Promise.all(tokens.map((token) => adapter.getSessionAndUser?.(token)));
  return found.filter(Boolean).length;
}

describe("sessions of a user in the store", () => {
  it(`after ${SIGN_INS} sign-ins the account page costs as many store operations as after 100`, async () => {
    const { backend, count, sessions } = openCounted();
    const adapter = adapterOn(backend);
    await adapter.createUser(ADA);
    const cost = async (token: string | undefined) => {
      const page = await count(() => adapter.listSessionsByUserId(ADA.id, token, { limit: 20 }));
      const signIn = await count(() => addSessions(adapter, 1));
      return [page, signIn];
    };
    const first = await addSessions(adapter, 100);
    const few = await cost(first.at(-1));
    const more = await addSessions(adapter, SIGN_INS - 100);
    expect(await cost(more.at(-1))).toEqual(few);
    expect(few[0]).toEqual({ all: 22, writes: 0 });
    expect(few[1]?.all).toBeLessThanOrEqual(12);
    expect(sessions()).toHaveLength(100);
    expect(await countLive(adapter, [...first, ...more])).toBe(99);
  }, 60_000);

  it("to end all other sessions takes one write, whatever their number, and keeps the current session", async () => {
    for (const number of [1, 10, 500]) {
      const { backend, count } = openCounted();
      const adapter = adapterOn(backend);
      await adapter.createUser(ADA);
      const tokens = await addSessions(adapter, number, 500);
      const current = tokens[Math.floor(number / 2)] ?? "";
      let ended: unknown;
      const { writes } = await count(async () => {
        ended = await adapter.deleteOtherSessions(ADA.id, current);
      });
      expect([ended, writes]).toEqual([number - 1, 1]);
      expect(await countLive(adapter, tokens)).toBe(1);
      expect(await adapter.getSessionAndUser(current)).not.toBeNull();
      expect(await adapter.listSessionsByUserId(ADA.id, current)).toHaveLength(1);
      // The current session continues like any other: it is extended, and ends.
      const later = new Date(Date.now() + 60 * DAY);
      await adapter.updateSession({ sessionToken: current, expires: later });
      expect(await countLive(adapter, tokens)).toBe(1);
      await adapter.deleteSessionsByUserId(ADA.id);
      expect(await countLive(adapter, tokens)).toBe(0);
    }
  });

  it("a new session removes leftovers of revoked sessions, and keeps the session that revoked them", async () => {
    const { backend, sessions } = openCounted();
    const adapter = adapterOn(backend);
    await adapter.createUser(ADA);
    const [first = ""] = await addSessions(adapter, 5);
    await adapter.deleteOtherSessions(ADA.id, first);
    expect(sessions()).toHaveLength(5);
    const expires = new Date(Date.now() + DAY);
    const add = () =>
      adapter.createSession({ sessionToken: crypto.randomUUID(), userId: ADA.id, expires });
    expect(await add()).toMatchObject({ sessionCount: 2 });
    expect(sessions()).toHaveLength(2);
    expect(await adapter.getSessionAndUser(first)).not.toBeNull();
    await adapter.deleteSessionsByUserId(ADA.id);
    expect(await add()).toMatchObject({ sessionCount: 1 });
    expect(sessions()).toHaveLength(1);
  });

  it("a new session ends the oldest ones beyond its limit, in one write of the list", async () => {
    const { backend, count, sessions } = openCounted();
    const adapter = adapterOn(backend);
    await adapter.createUser(ADA);
    const tokens = await addSessions(adapter, 5);
    const expires = new Date(Date.now() + DAY);
    const add = (maxPerUser: number) =>
      adapter.createSession(
        { sessionToken: crypto.randomUUID(), userId: ADA.id, expires },
        { maxPerUser },
      );
    expect(await add(6)).toMatchObject({ sessionCount: 6, endedCount: 0 });
    let added: unknown;
    const { all, writes } = await count(async () => (added = await add(4)));
    expect(added).toMatchObject({ sessionCount: 4, endedCount: 3 });
    // The user and the list. Three records, read and deleted. The list, the new record, the user
    // again.
    expect({ all, writes }).toEqual({ all: 11, writes: 5 });
    expect(sessions()).toHaveLength(4);
    const found = await Promise.all(tokens.map((token) => adapter.getSessionAndUser(token)));
    expect(found.map(Boolean)).toEqual([false, false, false, true, true]);
  });

  it("a new session is added beyond its limit if the oldest ones cannot be ended", async () => {
    const { backend, sessions } = openCounted();
    const isDown = { value: false };
    const adapter = adapterOn({
      ...backend,
      delete: (key) => {
        if (isDown.value) throw new Error("down");
        return backend.delete(key);
      },
    });
    await adapter.createUser(ADA);
    await addSessions(adapter, 3);
    isDown.value = true;
    const expires = new Date(Date.now() + DAY);
    const session = { sessionToken: crypto.randomUUID(), userId: ADA.id, expires };
    const added = await adapter.createSession(session, { maxPerUser: 2 });
    expect(added).toMatchObject({ sessionCount: 4, endedCount: 0 });
    expect(sessions()).toHaveLength(4);
  });

  it("concurrent sign-ins with a limit leave no more sessions than the limit", async () => {
    const backend = memoryBackend();
    const nodes = [adapterOn(backend), adapterOn(backend), adapterOn(backend)];
    await nodes[0]?.createUser(ADA);
    const expires = new Date(Date.now() + DAY);
    const tokens = Array.from({ length: 90 }, () => crypto.randomUUID());
    const add = (sessionToken: string, at: number) =>
      nodes[at % 3]?.createSession({ sessionToken, userId: ADA.id, expires }, { maxPerUser: 7 });
    await Promise.all(tokens.map(add));
    expect(await countLive(nodes[0] as Adapter, tokens)).toBeLessThanOrEqual(7);
    expect(await nodes[0]?.listSessionsByUserId(ADA.id)).toHaveLength(7);
  });

  it("ending the others of an ended session does not restore that session", async () => {
    const adapter = adapterOn(memoryBackend());
    await adapter.createUser(ADA);
    const [token = ""] = await addSessions(adapter, 1);
    await adapter.deleteSessionsByUserId(ADA.id);
    await adapter.deleteOtherSessions(ADA.id, token);
    expect(await adapter.getSessionAndUser(token)).toBeNull();
    expect(await adapter.listSessionsByUserId(ADA.id, token)).toEqual([]);
  });

  it("a read of a session costs two operations after the other sessions were ended", async () => {
    const { backend, count } = openCounted();
    const adapter = adapterOn(backend);
    await adapter.createUser(ADA);
    const [token = ""] = await addSessions(adapter, 5);
    await adapter.deleteOtherSessions(ADA.id, token);
    expect(await count(() => adapter.getSessionAndUser(token))).toEqual({ all: 2, writes: 0 });
  });

  it("the next sign-in removes the records of sessions that were ended together", async () => {
    const { backend, sessions } = openCounted();
    const adapter = adapterOn(backend);
    await adapter.createUser(ADA);
    const [token = ""] = await addSessions(adapter, 50);
    await adapter.deleteOtherSessions(ADA.id, token);
    await addSessions(adapter, 1);
    pass(1000);
    await backend.sweep?.(1000);
    expect(sessions()).toHaveLength(2);
  });

  it.each<[string, (adapter: Adapter, session: AdapterSession) => Promise<unknown>]>([
    [
      "limitSessions",
      async (adapter, session) => {
        await adapter.createSession?.(session);
        await adapter.limitSessions?.(ADA.id, 3);
      },
    ],
    [
      "a limit of the new session",
      async (adapter, session) => adapter.createSession?.(session, { maxPerUser: 3 }),
    ],
  ])(
    "signed-out and expired sessions do not count for %s, and a live one stays in the list",
    async (_, signIn) => {
      const adapter = adapterOn(memoryBackend());
      await adapter.createUser(ADA);
      const end = () => new Date(Date.now() + 30 * DAY);
      await signIn(adapter, { sessionToken: "phone", userId: ADA.id, expires: end() });
      for (let at = 0; at < 10; at++) {
        const sessionToken = `desk ${at}`;
        await signIn(adapter, { sessionToken, userId: ADA.id, expires: end() });
        if (at % 2) await adapter.deleteSession(sessionToken);
        pass(20 * DAY);
        await adapter.updateSession({ sessionToken: "phone", expires: end() });
        const listed = await adapter.listSessionsByUserId(ADA.id, "phone");
        expect(listed[0]).toMatchObject({ isCurrent: true, expires: end() });
      }
      expect(await adapter.getSessionAndUser("phone")).not.toBeNull();
    },
  );

  it("a session that is used keeps its place by age, and the limit ends it first", async () => {
    const adapter = adapterOn(memoryBackend());
    await adapter.createUser(ADA);
    const created = new Date();
    const [first = "", second = ""] = await addSessions(adapter, 2);
    pass(DAY);
    await adapter.updateSession({
      sessionToken: first,
      expires: new Date(Date.now() + 30 * DAY),
    });
    expect(await adapter.listSessionsByUserId(ADA.id, first)).toMatchObject([
      { isCurrent: true, created },
      { isCurrent: false, created },
    ]);
    expect(await adapter.limitSessions(ADA.id, 1)).toBe(1);
    expect(await adapter.getSessionAndUser(first)).toBeNull();
    expect(await adapter.getSessionAndUser(second)).not.toBeNull();
    expect(await adapter.limitSessions(ADA.id, 1)).toBe(0);
  });

  it.each([
    ["signed out of", (adapter: Adapter, token: string) => adapter.deleteSession?.(token)],
    [
      "ended in the list",
      async (adapter: Adapter, token: string) => {
        const [current] = (await adapter.listSessionsByUserId?.(ADA.id, token)) ?? [];
        await adapter.deleteSessionById?.(ADA.id, current?.id ?? "");
      },
    ],
    [
      "given to another user",
      (adapter: Adapter, sessionToken: string) =>
        adapter.updateSession?.({ sessionToken, userId: "eve-1" }),
    ],
  ])("a session that was %s frees its place for the next one at once", async (_, end) => {
    const adapter = adapterOn(memoryBackend());
    await adapter.createUser(ADA);
    await adapter.createUser({ ...ADA, id: "eve-1", email: "eve@example.com" });
    const tokens = await addSessions(adapter, 2, 2);
    await end(adapter, tokens[1] ?? "");
    const later = await addSessions(adapter, 1, 2);
    expect(await countLive(adapter, [tokens[0] ?? "", ...later])).toBe(2);
    expect(await adapter.listSessionsByUserId(ADA.id)).toHaveLength(2);
  });

  it("concurrent sign-ins at several processes leave no more sessions than the limit", async () => {
    const backend = memoryBackend();
    const nodes = [adapterOn(backend), adapterOn(backend), adapterOn(backend)];
    await nodes[0]?.createUser(ADA);
    const tokens = await Promise.all(
      Array.from({ length: 90 }, (_, at) => addSessions(nodes[at % 3] as Adapter, 1, 7)),
    );
    expect(await countLive(nodes[0] as Adapter, tokens.flat())).toBe(7);
    expect(await nodes[0]?.listSessionsByUserId(ADA.id)).toHaveLength(7);
  });

  it("the length of a list is bounded for every caller of the adapter", async () => {
    const adapter = adapterOn(memoryBackend());
    await adapter.createUser(ADA);
    const tokens = await addSessions(adapter, 600, Infinity);
    expect(await countLive(adapter, tokens)).toBe(512);
    expect(await adapter.listSessionsByUserId(ADA.id)).toHaveLength(100);
    expect(await adapter.listSessionsByUserId(ADA.id, "", { limit: 9999 })).toHaveLength(500);
  });

  it("the limit never ends another user's session after the same token was refused for this user", async () => {
    const adapter = adapterOn(memoryBackend());
    await adapter.createUser(ADA);
    await adapter.createUser({ ...ADA, id: "eve-1", email: "eve@example.com" });
    const expires = new Date(Date.now() + DAY);
    await adapter.createSession({ sessionToken: "eve's", userId: "eve-1", expires });
    const again = adapter.createSession({ sessionToken: "eve's", userId: ADA.id, expires });
    await expect(again).rejects.toThrow("already in use");
    // Ada can neither see nor end that session.
    expect(await adapter.listSessionsByUserId(ADA.id)).toEqual([]);
    await addSessions(adapter, 5, 2);
    expect(await adapter.getSessionAndUser("eve's")).toMatchObject({ user: { id: "eve-1" } });
  });
});

/** An adapter as others write them: it lists all sessions, in any order, and supports neither pages nor limits. */
function foreignAdapter(): Adapter & { rows: AdapterSession[] } {
  const { createUser, getUser, getUserByEmail, getUserByAccount, ...own } =
    adapterOn(memoryBackend());
  const rows: AdapterSession[] = [];
  return {
    ...{ createUser, getUser, getUserByEmail, getUserByAccount, rows },
    ...{ linkAccount: own.linkAccount, updateUser: own.updateUser },
    createVerificationToken: own.createVerificationToken,
    useVerificationToken: own.useVerificationToken,
    createSession: async (session) => {
      rows.unshift(session);
      // A column of that name means nothing if the adapter has no `limitSessions`.
      return { ...session, sessionCount: 0 };
    },
    getSessionAndUser: async (token) => {
      const session = rows.find(({ sessionToken }) => sessionToken === token);
      const user = session && (await getUser(session.userId));
      return session && user ? { session, user } : null;
    },
    updateSession: async () => null,
    deleteSession: async (token) => {
      const at = rows.findIndex(({ sessionToken }) => sessionToken === token);
      if (at >= 0) rows.splice(at, 1);
    },
    listSessionsByUserId: async (userId, token) =>
      rows
        .filter((row) => row.userId === userId)
        .map(({ sessionToken, expires }): ListedSession => ({
          id: sessionToken.slice(0, 8),
          expires,
          isCurrent: sessionToken === token,
        })),
    deleteSessionById: async (userId, id) => {
      const at = rows.findIndex((row) => row.userId === userId && row.sessionToken.startsWith(id));
      if (at >= 0) rows.splice(at, 1);
    },
  };
}

describe("session.maxPerUser", () => {
  it.each([
    ["the store adapter", undefined],
    ["an adapter that lists sessions", foreignAdapter],
  ] as const)("a sign-in beyond it ends the oldest session: %s", async (_, create) => {
    const ended: unknown[] = [];
    const app = createClaimsApp({
      session: { maxPerUser: 3 },
      events: { endSession: (message) => void ended.push(message) },
      ...(create && { adapter: create() }),
    });
    const browsers: Browser[] = [];
    for (let at = 0; at < 5; at++) {
      browsers.push(app.openBrowser());
      await app.signIn(CLAIMS, browsers.at(-1));
      pass(1000);
    }
    const live = await Promise.all(browsers.map((browser) => app.getUserId(browser)));
    expect(live.map(Boolean)).toEqual([false, false, true, true, true]);
    const message = { userId: live[4], count: 1, reason: "limit" };
    expect(ended).toEqual([message, message]);
    // The session that a sign-in replaces does not count.
    for (let at = 0; at < 5; at++) await app.signIn(CLAIMS, browsers[4]);
    const later = await Promise.all(browsers.map((browser) => app.getUserId(browser)));
    expect(later.map(Boolean)).toEqual([false, false, true, true, true]);
    expect(ended).toHaveLength(2);
  });

  it("a sign-in succeeds if the oldest sessions cannot be ended", async () => {
    const app = createClaimsApp({ session: { maxPerUser: 1 } });
    const other = app.openBrowser();
    await app.signIn(CLAIMS, other);
    let isAsked = false;
    app.gate = (method) => {
      if (method !== "limitSessions") return;
      isAsked = true;
      throw new Error("down");
    };
    await app.signIn(CLAIMS, other);
    expect(isAsked).toBe(true);
    expect(await app.getUserId(other)).toBeDefined();
    app.log.expectErrors("SessionTokenError");
  });

  it("a sign-in at the limit does not call limitSessions of the store adapter", async () => {
    const app = createClaimsApp({ session: { maxPerUser: 1 } });
    await app.signIn(CLAIMS);
    const called: string[] = [];
    app.gate = (method) => void called.push(method);
    const other = app.openBrowser();
    await app.signIn(CLAIMS, other);
    expect(called).toContain("createSession");
    expect(called).not.toContain("limitSessions");
    // A session that ends with the sign-in would count.
    await app.signIn(CLAIMS, other);
    expect(await app.getUserId(other)).toBeDefined();
  });

  it.each([0, -1, 1.5, 501, Infinity, NaN, "10"])("boot refuses %j", (maxPerUser) => {
    const { auth } = createTestAuth({
      errors: "allowed",
      session: { maxPerUser: maxPerUser as number },
    });
    expect(() => auth.inspect()).toThrow(
      "session.maxPerUser must be a whole number from 1 to 500.",
    );
  });
});

describe("the account page of a user with many sessions", () => {
  async function open(adapter: Adapter) {
    const ended: unknown[] = [];
    const app = createTestAuth({
      errors: "allowed",
      preset: standardPreset,
      providers: [],
      mail: {},
      events: { endSession: (message) => void ended.push(message) },
      adapter,
    });
    await app.requestLink(ADA.email, app.browser);
    await app.followLink(app.browser);
    const ada = await adapter.getUserByEmail?.(ADA.email);
    for (let at = 0; at < 50; at++) {
      pass(1000);
      const expires = new Date(Date.now() + 30 * DAY);
      const sessionToken = crypto.randomUUID();
      await adapter.createSession?.({ sessionToken, userId: ada?.id ?? "", expires });
    }
    const page = async (path = "/auth/account") => (await app.browser.get(path)).text();
    return { app, page, ended, userId: ada?.id };
  }

  const listIds = (html: string) =>
    [...html.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id ?? "");
  const findMore = (html: string) =>
    /href="([^"]+\?after=[^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");

  it.each([
    ["the store adapter", () => adapterOn(memoryBackend()) as Adapter],
    ["an adapter that lists all", foreignAdapter],
  ])(
    "shows pages of 20, the current session first, and links to the older ones: %s",
    async (_, create) => {
      const { page } = await open(create());
      const seen: string[] = [];
      const sizes: number[] = [];
      let path: string | undefined = "/auth/account";
      while (path && sizes.length < 9) {
        const html = await page(path);
        const ids = listIds(html);
        expect(html.includes("This browser")).toBe(sizes.length === 0);
        sizes.push(ids.length);
        seen.push(...ids);
        path = findMore(html);
      }
      expect(sizes).toEqual([19, 20, 11]);
      expect(new Set(seen).size).toBe(50);
    },
  );

  it("shows the first page after a session that does not exist", async () => {
    const { page } = await open(adapterOn(memoryBackend()));
    for (const after of ["nothing", "x".repeat(9999), ""]) {
      expect(await page(`/auth/account?after=${after}`)).toContain("This browser");
    }
  });

  it.each([
    ["the store adapter", () => adapterOn(memoryBackend()) as Adapter],
    ["an adapter that ends them one by one", foreignAdapter],
  ])("ends all others with one event that has their number: %s", async (_, create) => {
    const { app, page, ended, userId } = await open(create());
    const csrfToken = await app.browser.csrfToken();
    await app.browser.post("/auth/account", { csrfToken, sessions: "others" });
    expect(listIds(await page())).toEqual([]);
    expect(ended).toEqual([{ userId, count: 50, reason: "user" }]);
  });
});
