import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { decode, encode } from "../../src/jwt/jwt.ts";
import type {
  Adapter,
  AuthConfig,
  JWT,
  Session,
  SessionOptions,
  StoreBackend,
  User,
} from "../../src/types.ts";
import { ORIGIN, createTestAuth, SECRET } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createClaimsApp, type ClaimsApp } from "../kernel/_claims-app.ts";

const COOKIE = "authjs.session-token";
const DAY = 24 * 60 * 60;
const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const getToken = (testApp: ClaimsApp, browser = testApp.browser) =>
  browser.cookies.get(COOKIE) ?? "";
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

async function getRow(testApp: ClaimsApp, token = getToken(testApp)) {
  return (await testApp.adapter.getSessionAndUser?.(token))?.session;
}

const setCookies = (response: Response) =>
  response.headers.getSetCookie().filter((cookie) => cookie.startsWith(`${COOKIE}`));

const read = (testApp: ClaimsApp, browser = testApp.browser) =>
  browser.get("/auth/session", { headers: { accept: "application/json" } });

async function signedIn(session: SessionOptions = {}, more: AuthConfig = {}): Promise<ClaimsApp> {
  const testApp = createClaimsApp({ errors: "allowed", ...more, session });
  await testApp.signIn(ADA);
  testApp.steps.length = 0;
  return testApp;
}

describe("database strategy: sign-in (none -> live)", () => {
  it("a sign-in stores a session and sets its token as a cookie with the same expiry", async () => {
    const testApp = createClaimsApp();
    const response = await testApp.signIn(ADA);
    const row = await getRow(testApp);
    expect(row?.expires).toEqual(inSeconds(30 * DAY));
    expect(setCookies(response)).toEqual([
      `${COOKIE}=${getToken(testApp)}; Path=/; Expires=${row?.expires.toUTCString()}; HttpOnly; SameSite=Lax`,
    ]);
    expect(getToken(testApp)).toMatch(/^[0-9a-f-]{36}$/);
    expect(await (await read(testApp)).json()).toEqual({
      user: { name: "Ada", email: "ada@example.com" },
      expires: row?.expires.toISOString(),
      userId: row?.userId,
    });
  });

  it.each(["", "1", "x".repeat(15), "\0".repeat(16), "é".repeat(16), 4_294_967_296, null])(
    "a sign-in fails when `generateSessionToken` returns %j, which can be guessed or is not ASCII",
    async (token) => {
      const app = createTestAuth({
        store: memoryBackend(),
        mail: {},
        preset: standardPreset,
        strategy: "database",
        session: { generateSessionToken: () => token as string },
      });
      await app.requestLink();
      const response = await app.followLink();
      expect(response.headers.get("location")).toContain("error=Configuration");
      expect(await app.browser.session()).toBeNull();
      const [error] = app.log.expectErrors("InvalidConfig");
      expect(error?.message).toContain("16 to 2000 random ASCII characters");
    },
  );

  it("one token for two users signs only the first in", async () => {
    const app = createTestAuth({
      store: memoryBackend(),
      mail: {},
      preset: standardPreset,
      strategy: "database",
      session: { generateSessionToken: () => "one-token-for-all-users" },
    });
    await app.requestLink();
    await app.followLink();
    const other = app.openBrowser();
    await app.requestLink("eve@example.com", other);
    await app.followLink(other);
    expect(await other.session()).toBeNull();
    expect(await app.browser.session()).toMatchObject({ user: { email: "ada@example.com" } });
    app.log.expectErrors("AdapterError");
  });

  it("a sign-in uses the token of `generateSessionToken` and stores its expiry", async () => {
    const testApp = createClaimsApp({
      session: { generateSessionToken: () => "a token; of=mine", maxAge: 60 },
    });
    const response = await testApp.signIn(ADA);
    expect(setCookies(response)[0]).toMatch(/^authjs\.session-token=a%20token%3B%20of%3Dmine;/);
    expect(await testApp.getUserId()).toBeDefined();
    expect((await getRow(testApp, "a token; of=mine"))?.expires).toEqual(inSeconds(60));
  });

  it("each sign-in creates a new token and ends this browser's previous session", async () => {
    const testApp = await signedIn();
    const first = getToken(testApp);
    const other = testApp.openBrowser();
    await testApp.signIn(ADA, other);
    await testApp.signIn(ADA);
    expect(getToken(testApp)).not.toBe(first);
    expect(await getRow(testApp, first)).toBeUndefined();
    expect(await testApp.getUserId()).toBeDefined();
    // The session of another browser continues.
    expect(await testApp.getUserId(other)).toBeDefined();
  });

  it("a sign-in never adopts a planted token", async () => {
    const testApp = createClaimsApp();
    testApp.browser.cookies.set(COOKIE, "planted");
    await testApp.signIn(ADA);
    expect(getToken(testApp)).not.toBe("planted");
    expect(await getRow(testApp, "planted")).toBeUndefined();
  });

  it("a sign-in clears left-over chunks of a larger cookie", async () => {
    const testApp = createClaimsApp();
    for (const at of [0, 1, 2]) testApp.browser.cookies.set(`${COOKIE}.${at}`, "eyJ");
    await testApp.signIn(ADA);
    expect([...testApp.browser.cookies.keys()].filter((name) => name.startsWith(COOKIE))).toEqual([
      COOKIE,
    ]);
    expect(await testApp.getUserId()).toBeDefined();
  });

  it("a sign-in completes even when the old session cannot be deleted", async () => {
    const testApp = await signedIn();
    testApp.gate = (method) => {
      if (method === "deleteSession") throw new Error("down");
    };
    await testApp.signIn(ADA);
    expect(await testApp.getUserId()).toBeDefined();
    expect(testApp.log.errors).toMatchObject([{ type: "SignOutError" }]);
  });
});

describe("database strategy: access (live -> live)", () => {
  it("an access before updateAge writes nothing and sets no cookie", async () => {
    const testApp = await signedIn();
    const { expires } = (await getRow(testApp)) ?? {};
    pass(DAY - 1);
    const response = await read(testApp);
    expect(setCookies(response)).toEqual([]);
    expect(testApp.callNames()).toEqual(["getSessionAndUser"]);
    expect(await response.json()).toMatchObject({ expires: expires?.toISOString() });
  });

  it("an access after updateAge gives the row, the cookie and the response the same new expiry", async () => {
    const testApp = await signedIn();
    pass(DAY);
    const end = inSeconds(30 * DAY);
    const response = await read(testApp);
    expect(testApp.callNames()).toEqual(["getSessionAndUser", "extendSession"]);
    expect((await getRow(testApp))?.expires).toEqual(end);
    expect(setCookies(response)[0]).toContain(`Expires=${end.toUTCString()}`);
    expect(await response.json()).toMatchObject({ expires: end.toISOString() });
    testApp.callNames();
    pass(DAY - 1);
    expect(setCookies(await read(testApp))).toEqual([]);
    expect(testApp.callNames()).toEqual(["getSessionAndUser"]);
  });

  it("an access with updateAge 0 extends the session every time", async () => {
    const testApp = await signedIn({ updateAge: 0 });
    for (const _ of [1, 2, 3]) {
      pass(1);
      await read(testApp);
      expect(testApp.callNames()).toContain("extendSession");
      expect((await getRow(testApp))?.expires).toEqual(inSeconds(30 * DAY));
    }
  });

  for (const without of [[], ["extendSession"]] as const) {
    it(`20 concurrent accesses extend a session once (adapter ${without[0] ? "without" : "with"} extendSession)`, async () => {
      const testApp = createClaimsApp({ without });
      await testApp.signIn(ADA);
      pass(DAY);
      testApp.steps.length = 0;
      const before = (await getRow(testApp))?.expires.getTime();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          pass(0.001);
          // Some requests arrive later than others.
          for (let turn = 0; turn < at * 3; turn++) await Promise.resolve();
          return (await (await read(testApp)).json()) as { expires: string };
        }),
      );
      const writes = testApp.steps.filter(([name]) => name === "updateSession").length;
      const row = await getRow(testApp);
      expect(row?.expires.getTime()).toBeGreaterThan(before ?? 0);
      expect(new Set(answers.map(({ expires }) => expires))).toEqual(
        new Set([row?.expires.toISOString()]),
      );
      if (without[0]) expect(writes).toBe(1);
      expect(testApp.log.errors).toEqual([]);
    });
  }

  it("a session of an adapter without extendSession is extended repeatedly", async () => {
    const testApp = createClaimsApp({ without: ["extendSession"] });
    await testApp.signIn(ADA);
    for (const _ of [1, 2, 3]) {
      pass(DAY);
      await read(testApp);
      expect((await getRow(testApp))?.expires).toEqual(inSeconds(30 * DAY));
    }
  });

  it("a session that ends before an adapter without extendSession extends it is not a session", async () => {
    const testApp = createClaimsApp({ without: ["extendSession"] });
    await testApp.signIn(ADA);
    const token = getToken(testApp);
    pass(DAY);
    let lookUps = 0;
    testApp.gate = async (method) => {
      if (method !== "getSessionAndUser" || ++lookUps < 2) return;
      testApp.gate = () => {};
      await testApp.adapter.deleteSession?.(token);
    };
    expect(await (await read(testApp)).json()).toBeNull();
  });

  it("20 concurrent accesses on two servers write the session's record once", async () => {
    const backend = memoryBackend();
    const first = createClaimsApp({ store: backend });
    await first.signIn(ADA);
    const writes: string[] = [];
    const counting: StoreBackend = {
      ...backend,
      put: (key, ...rest) => (writes.push(key), backend.put(key, ...rest)),
      async compareAndSet(key, ...rest) {
        // Gives all requests time to read first.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const done = await backend.compareAndSet(key, ...rest);
        if (done) writes.push(key);
        return done;
      },
    };
    const servers = [createClaimsApp({ store: counting }), createClaimsApp({ store: counting })];
    for (const { browser } of servers) browser.cookies.set(COOKIE, getToken(first));
    pass(DAY);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (servers[at % 2] as ClaimsApp).browser.session<{ expires: string }>(),
      ),
    );
    expect(new Set(answers.map((session) => session?.expires))).toEqual(
      new Set([inSeconds(30 * DAY).toISOString()]),
    );
    expect(writes).toEqual([expect.stringMatching(/^adapter-session\./)]);
  });

  it("a session stays live when its extension cannot be stored", async () => {
    const testApp = await signedIn();
    const { expires } = (await getRow(testApp)) ?? {};
    pass(DAY);
    testApp.gate = (method) => {
      if (method === "extendSession") throw new Error("disk full");
    };
    const response = await read(testApp);
    expect(await response.json()).toMatchObject({ expires: expires?.toISOString() });
    expect(setCookies(response)).toEqual([]);
    expect(testApp.log.errors).toMatchObject([{ type: "SessionTokenError" }]);
  });

  it("a session that is deleted while it is extended stays deleted", async () => {
    for (const without of [[], ["extendSession"]] as const) {
      const testApp = createClaimsApp({ without });
      await testApp.signIn(ADA);
      const token = getToken(testApp);
      pass(DAY);
      testApp.gate = async (method) => {
        if (method !== "extendSession" && method !== "updateSession") return;
        testApp.gate = () => {};
        await testApp.adapter.deleteSession?.(token);
      };
      await read(testApp);
      expect(await getRow(testApp, token)).toBeUndefined();
      expect(await (await read(testApp)).json()).toBeNull();
    }
  });
});

describe("database strategy: expiry (live -> removed)", () => {
  it("an expired session is removed with its row and cookie", async () => {
    const testApp = await signedIn();
    const token = getToken(testApp);
    pass(30 * DAY);
    const response = await read(testApp);
    expect([response.status, await response.json()]).toEqual([200, null]);
    expect(setCookies(response)[0]).toMatch(/^authjs\.session-token=; Max-Age=0/);
    expect(await getRow(testApp, token)).toBeUndefined();
  });

  // An adapter that returns expired sessions, as adapters for Auth.js do.
  const lenient = (expires: unknown, removed: string[] = []): Adapter => ({
    getSessionAndUser: (sessionToken) => ({
      session: { sessionToken, userId: "1", expires: expires as Date },
      user: { id: "1", email: "ada@example.com", emailVerified: null, name: "Ada" },
    }),
    deleteSession: (token) => void removed.push(token),
    createSession: (session) => session,
    updateSession: (session) => session as never,
    getUserByAccount: () => null,
    getUserByEmail: () => null,
    createUser: (user) => user,
    linkAccount() {},
    getUser: () => null,
    unlinkAccount() {},
  });

  it("an expired row that the adapter still returns is deleted", async () => {
    const removed: string[] = [];
    const testApp = createClaimsApp({ adapter: lenient(inSeconds(0), removed) });
    testApp.browser.cookies.set(COOKIE, "old");
    expect(await testApp.browser.session()).toBeNull();
    expect(removed).toEqual(["old"]);
    expect(testApp.browser.cookies.has(COOKIE)).toBe(false);
  });

  it("an expired session cannot link accounts", async () => {
    const testApp = createClaimsApp({ errors: "allowed", adapter: lenient(inSeconds(-1)) });
    testApp.browser.cookies.set(COOKIE, "old");
    const response = await testApp.startSignIn(testApp.browser, true);
    expect(response.headers.get("location")).toContain("error=SessionRequired");
  });

  it("`expires` may be text or a number, and an invalid date is not a session", async () => {
    const end = inSeconds(29.5 * DAY);
    for (const [expires, isThere] of [
      [end.toISOString(), true],
      [end.getTime(), true],
      ["yesterday", false],
      [undefined, false],
    ] as const) {
      const testApp = createClaimsApp({ adapter: lenient(expires) });
      testApp.browser.cookies.set(COOKIE, "token");
      const session = await testApp.browser.session<{ expires: string }>();
      expect(session?.expires).toBe(isThere ? end.toISOString() : undefined);
    }
  });
});

describe("database strategy: cookies that are not tokens", () => {
  it.each(["%00a", "a%0Ab", "%7F", "%C3%A9", "%F0%9F%91%A9", "x".repeat(3000)])(
    "a cookie of %j is not a session, is cleared, and does not reach the database (R8)",
    async (value) => {
      const testApp = createClaimsApp();
      const headers = { cookie: `${COOKIE}=${value}` };
      const request = () => new Request(`${ORIGIN}/auth/session`, { headers });
      const response = await testApp.auth.fetch(request());
      expect(response.status).toBe(200);
      expect(await response.json()).toBeNull();
      expect(setCookies(response)[0]).toContain("Max-Age=0");
      expect(await testApp.auth.getSession(request())).toBeNull();
      expect(testApp.callNames()).toEqual([]);
    },
  );
});

describe("database strategy: sign-out (live -> removed)", () => {
  it("a sign-out deletes the row, clears the cookie and emits the session", async () => {
    const testApp = await signedIn();
    const other = testApp.openBrowser();
    for (const [name, value] of testApp.browser.cookies) other.cookies.set(name, value);
    const token = getToken(testApp);
    const row = await getRow(testApp);
    await testApp.browser.signOut();
    expect(testApp.browser.cookies.has(COOKIE)).toBe(false);
    expect(testApp.steps).toEqual([
      ["getSessionAndUser", token],
      ["deleteSession", token],
      ["signOut!", { session: row }],
    ]);
    expect(await testApp.getUserId(other)).toBeUndefined();
  });

  it("a sign-out without a session emits nothing", async () => {
    const testApp = createClaimsApp();
    await testApp.browser.signOut();
    expect(testApp.callNames()).toEqual([]);
  });

  it("a sign-out clears the cookie even when the row cannot be deleted, and logs a SignOutError", async () => {
    const testApp = await signedIn();
    testApp.gate = () => {
      throw new Error("down");
    };
    const response = await testApp.browser.signOut();
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(testApp.browser.cookies.has(COOKIE)).toBe(false);
    const [error] = testApp.log.expectErrors("SignOutError");
    expect(error?.message).toContain("accepted until it expires");
    const [[, message] = []] = testApp.steps.filter(([name]) => name === "signOut!");
    expect(message).toMatchObject({ session: undefined, error });
  });
});

describe("database strategy: failing store", () => {
  it("a store error is a 503 response or a rejection, and the cookie stays", async () => {
    const testApp = await signedIn();
    const token = getToken(testApp);
    testApp.gate = () => {
      throw new Error("ECONNREFUSED");
    };
    const response = await read(testApp);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("ECONNREFUSED");
    expect(setCookies(response)).toEqual([]);
    const request = new Request(`${ORIGIN}/`, { headers: { cookie: `${COOKIE}=${token}` } });
    await expect(testApp.auth.getSession(request)).rejects.toMatchObject({ type: "AdapterError" });
    testApp.gate = () => {};
    expect(await testApp.getUserId()).toBeDefined();
  });

  it("a store that hangs is a 503 response", { timeout: 10_000 }, async () => {
    const testApp = await signedIn();
    testApp.gate = () => new Promise(() => {});
    const response = await read(testApp);
    expect(response.status).toBe(503);
    expect(setCookies(response)).toEqual([]);
  });

  it("a sign-in creates no session when the store fails", async () => {
    const testApp = createClaimsApp({ errors: "allowed" });
    testApp.gate = (method) => {
      if (method === "createSession") throw new Error("down");
    };
    const response = await testApp.signIn(ADA);
    expect(response.headers.get("location")).toContain("/auth/error?error=Configuration");
    expect(setCookies(response)).toEqual([]);
    testApp.gate = () => {};
    await testApp.signIn(ADA);
    expect(await testApp.getUserId()).toBeDefined();
  });
});

describe("database strategy: session callback", () => {
  it("a session callback that returns the session, or a copy, only shows id, name, email and image", async () => {
    const seen: unknown[] = [];
    const copy = { current: false };
    const session = ({ session: given, user }: { session: Session; user?: User }) => {
      const { userId, sessionToken } = given as Session & Record<string, unknown>;
      seen.push(userId === user?.id, typeof sessionToken, user, given.expires);
      return copy.current ? { ...given, user: { ...given.user } } : given;
    };
    const testApp = await signedIn({}, { callbacks: { session } });
    const column = { sessionToken: getToken(testApp), device: "a laptop" };
    await testApp.adapter.updateSession?.(column);
    const row = await getRow(testApp);
    const { user } = (await testApp.adapter.getSessionAndUser?.(getToken(testApp))) ?? {};
    const expires = row?.expires.toISOString();
    for (const isCopied of [false, true]) {
      copy.current = isCopied;
      expect(await testApp.browser.session()).toEqual({
        expires,
        user: { id: user?.id, name: user?.name, email: user?.email },
        // From the tap by which these tests identify the user.
        userId: user?.id,
      });
    }
    // Everything that Auth.js passes is readable: the columns of the session, and the whole user.
    expect(seen.slice(0, 4)).toEqual([true, "string", user, expires]);
  });

  it("a session callback may overwrite and delete the columns of the stored session", async () => {
    const session = ({ session: given }: { session: Session }) => {
      const columns = given as Session & Record<string, unknown>;
      const changed = (columns.sessionToken = "hidden");
      delete columns.sessionToken;
      return { ...given, seen: [changed, columns.sessionToken ?? null] };
    };
    const { browser } = await signedIn({}, { callbacks: { session } });
    expect(await browser.session()).toMatchObject({ seen: ["hidden", null] });
  });

  it("a session callback that returns the token explicitly does not show it to scripts", async () => {
    const session = ({ session: given }: { session: Session }) => {
      const { sessionToken } = given as Session & { sessionToken?: string };
      return { ...given, sessionToken, seen: true };
    };
    const testApp = await signedIn({}, { callbacks: { session } });
    const shown = await testApp.browser.session();
    expect(shown).toMatchObject({ seen: true });
    expect(JSON.stringify(shown)).not.toContain(getToken(testApp));
  });

  it("the session callback receives the data of an update, which is not stored", async () => {
    const session = vi.fn(({ session: value }: { session: object }) => ({ ...value, seen: true }));
    const testApp = await signedIn({}, { callbacks: { session } });
    const json = { data: { name: "Eve" } };
    const response = await testApp.browser.send("/auth/session", { json });
    expect(session.mock.lastCall?.[0]).toMatchObject({
      newSession: { name: "Eve" },
      trigger: "update",
    });
    expect(await response.json()).toMatchObject({ seen: true, user: { name: "Ada" } });
    expect(await testApp.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a session callback that returns null shows no session, emits no event and keeps the session", async () => {
    const events: object[] = [];
    let isShown = true;
    const testApp = await signedIn(
      {},
      {
        callbacks: { session: ({ session }) => (isShown ? session : null) },
        events: { session: (message) => void events.push(message) },
      },
    );
    expect(await testApp.browser.session()).not.toBeNull();
    events.length = 0;
    isShown = false;
    expect(await testApp.browser.session()).toBeNull();
    expect(
      await testApp.auth.getSession(
        new Request(`${ORIGIN}/`, { headers: { cookie: `${COOKIE}=${getToken(testApp)}` } }),
      ),
    ).toBeNull();
    expect(events).toEqual([]);
    isShown = true;
    expect(await testApp.browser.session()).not.toBeNull();
  });

  it("a session callback that throws is an error, and the session stays", async () => {
    const session = () => {
      throw new Error("no");
    };
    const testApp = await signedIn({}, { callbacks: { session } });
    expect((await read(testApp)).status).toBe(500);
    expect(testApp.log.errors).toMatchObject([{ type: "SessionTokenError" }]);
    expect(getToken(testApp)).not.toBe("");
  });

  it("a session without the session callback has name, email and image", async () => {
    const testApp = await signedIn();
    const { user } = (await testApp.browser.session<{ user: object }>()) ?? {};
    expect(user).toEqual({ name: "Ada", email: "ada@example.com" });
  });
});

describe("a replica that lags", () => {
  it.each(["signed out", "signed in again"])(
    "does not revive a session that ended in this process (%s)",
    async (way) => {
      const full = adapterOn(memoryBackend());
      const rows = new Map<string, Awaited<ReturnType<typeof full.getSessionAndUser>>>();
      const adapter: Adapter = {
        ...full,
        async getSessionAndUser(token) {
          const found = await full.getSessionAndUser(token);
          if (found) rows.set(token, found);
          return rows.get(token) ?? null;
        },
      };
      const testApp = await signedIn({}, { adapter });
      const old = getToken(testApp);
      expect(await testApp.getUserId()).toBeDefined();
      if (way === "signed out") await testApp.browser.signOut();
      else await testApp.signIn(ADA);
      const browser = testApp.openBrowser();
      browser.cookies.set(COOKIE, old);
      expect(await testApp.getUserId(browser)).toBeUndefined();
    },
  );
});

describe("session.absoluteMaxAge", () => {
  for (const strategy of ["database", "jwt"] as const) {
    it(`absoluteMaxAge ends a session however often it is used (${strategy})`, async () => {
      const testApp = createClaimsApp({
        strategy,
        session: { maxAge: 2 * DAY, updateAge: 0, absoluteMaxAge: 3 * DAY },
      });
      await testApp.signIn(ADA);
      const last = inSeconds(3 * DAY);
      pass(1.5 * DAY);
      const session = await testApp.browser.session<{ expires: string }>();
      expect(session?.expires).toBe(last.toISOString());
      pass(1.5 * DAY - 1);
      expect(await testApp.getUserId()).toBeDefined();
      pass(1);
      expect(await testApp.getUserId()).toBeUndefined();
    });

    it(`absoluteMaxAge does not extend a session with an unknown start (${strategy})`, async () => {
      const before = createClaimsApp({ strategy, session: { maxAge: 2 * DAY } });
      await before.signIn(ADA);
      if (strategy === "jwt") {
        // As Auth.js creates them.
        const how = { secret: SECRET, salt: COOKIE };
        const { auth_time: _, ...token } = (await decode({
          ...how,
          token: getToken(before),
        })) as JWT;
        before.browser.cookies.set(COOKIE, await encode({ ...how, token, maxAge: 2 * DAY }));
      }
      const testApp = createClaimsApp({
        strategy,
        adapter: before.adapter,
        session: { maxAge: 2 * DAY, updateAge: 0, absoluteMaxAge: 9 * DAY },
      });
      for (const [name, value] of before.browser.cookies) testApp.browser.cookies.set(name, value);
      pass(DAY);
      expect(await testApp.getUserId()).toBeDefined();
      pass(DAY);
      expect(await testApp.getUserId()).toBeUndefined();
    });
  }

  it.each(["database", "jwt"])(
    "a shortened absoluteMaxAge ends sessions from before (%s)",
    async (strategy) => {
      const before = createClaimsApp({
        strategy,
        session: { maxAge: 9 * DAY, absoluteMaxAge: 9 * DAY },
      });
      await before.signIn(ADA);
      const testApp = createClaimsApp({
        strategy,
        adapter: before.adapter,
        session: { maxAge: 9 * DAY, updateAge: 9 * DAY, absoluteMaxAge: DAY },
      });
      for (const [name, value] of before.browser.cookies) testApp.browser.cookies.set(name, value);
      pass(DAY - 1);
      expect(await testApp.getUserId()).toBeDefined();
      pass(1);
      expect(await testApp.getUserId()).toBeUndefined();
    },
  );

  it("absoluteMaxAge ends a session whose row was extended beyond it", async () => {
    const testApp = await signedIn({ maxAge: DAY, absoluteMaxAge: DAY });
    const sessionToken = getToken(testApp);
    await testApp.adapter.updateSession?.({ sessionToken, expires: inSeconds(9 * DAY) });
    pass(DAY);
    const browser = testApp.openBrowser();
    browser.cookies.set(COOKIE, sessionToken);
    expect(await testApp.getUserId(browser)).toBeUndefined();
    expect((await getRow(testApp, sessionToken)) ?? null).toBeNull();
  });

  it("absoluteMaxAge cannot be changed by the holder of the cookie", async () => {
    const testApp = await signedIn({ absoluteMaxAge: DAY });
    const [random] = getToken(testApp).split(".");
    testApp.browser.cookies.set(COOKIE, `${random}.zzzzzz`);
    expect(await testApp.getUserId()).toBeUndefined();
  });
});

describe("database strategy: credentials", () => {
  const createPasswordApp = (user: object, adapter?: Adapter) =>
    createClaimsApp({
      errors: "allowed",
      ...(adapter && { adapter }),

      providers: [
        {
          id: "credentials",
          name: "Password",
          type: "credentials",
          credentials: {},
          authorize: () => user,
        },
      ],
    });
  const enter = (app: ClaimsApp) => app.browser.signInWith("credentials", {});

  it("credentials sign in the stored user whose id `authorize` returns", async () => {
    const first = createClaimsApp();
    await first.signIn(ADA);
    const id = await first.getUserId();
    const second = createPasswordApp({ id, name: "whatever" }, first.adapter);
    await enter(second);
    expect(await second.getUserId()).toBe(id);
    expect(second.callNames()).not.toContain("createUserWithAccount");
  });

  it("credentials create an unknown user once and store no other fields of it", async () => {
    const app = createPasswordApp({
      id: "7",
      name: "Grace",
      email: "Grace@Example.com",
      passwordHash: "x",
    });
    await enter(app);
    const id = await app.getUserId();
    expect(id).not.toBe("7");
    expect(await app.adapter.getUser?.(id ?? "")).toEqual({
      id,
      name: "Grace",
      email: "grace@example.com",
      emailVerified: null,
    });
    app.browser.cookies.clear();
    await enter(app);
    expect(await app.getUserId()).toBe(id);
    expect(app.steps.filter(([name]) => name === "createUser!").length).toBe(1);
  });

  it("a later sign-in by credentials changes no stored data, and `emailVerified` is never trusted", async () => {
    const user = { id: "7", name: "Grace", email: "grace@example.com", emailVerified: new Date() };
    const app = createPasswordApp(user);
    await enter(app);
    const id = (await app.getUserId()) ?? "";
    user.name = "Grace Hopper";
    await enter(app);
    expect(await app.adapter.getUser?.(id)).toMatchObject({ name: "Grace", emailVerified: null });
    await app.adapter.deleteSessionsByUserId?.("7");
    expect(await app.getUserId()).toBe(id);
    await app.adapter.deleteSessionsByUserId?.(id);
    expect(await app.getUserId()).toBeUndefined();
  });

  it("credentials do not sign in as the stored user with the same address", async () => {
    const first = createClaimsApp();
    await first.signInByEmail("ada@example.com");
    const app = createPasswordApp({ id: "7", email: "ada@example.com" }, first.adapter);
    const response = await enter(app);
    expect(response.headers.get("location")).toContain("error=OAuthAccountNotLinked");
    expect(await app.getUserId()).toBeUndefined();
  });

  it("credentials no longer sign in once the owner of the address has signed in", async () => {
    const app = createPasswordApp({ id: "7", email: "ada@example.com" });
    await enter(app);
    const id = await app.getUserId();
    const owner = app.openBrowser();
    await app.signInByEmail("ada@example.com", owner);
    expect(await app.getUserId(owner)).toBe(id);
    expect(await app.getUserId()).toBeUndefined();
    const response = await enter(app);
    expect(response.headers.get("location")).toContain("error=OAuthAccountNotLinked");
  });
});

describe("database strategy: boot", () => {
  const boot = (config: AuthConfig) => () =>
    createTestAuth({
      preset: standardPreset,
      errors: "allowed",
      providers: [],
      ...config,
    }).auth.inspect();

  it("session.strategy defaults to `database` with an adapter, and an explicit `jwt` wins", () => {
    const { adapter } = createClaimsApp();
    expect(boot({ adapter })().strategy).toBe("database");
    expect(boot({ adapter, session: { strategy: "jwt" } })().strategy).toBe("jwt");
    expect(boot({})().strategy).toBe("jwt");
  });

  it("the database strategy requires an adapter", () => {
    expect(boot({ session: { strategy: "database" } })).toThrowError(
      expect.objectContaining({ type: "MissingAdapter" }),
    );
  });

  it("boot names the adapter methods that the configuration needs and the adapter does not have", () => {
    const oauth = {
      id: "op",
      name: "OP",
      type: "oauth",
      authorization: "https://op.example/a",
      token: "https://op.example/t",
      userinfo: "https://op.example/u",
      clientId: "1",
      clientSecret: "2",
    } as const;
    const credentials = {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: {},
      authorize: () => null,
    } as const;
    expect(boot({ adapter: {} })).toThrow(
      /`createSession`, `getSessionAndUser`, `updateSession`, `deleteSession`, required for database/,
    );
    expect(boot({ adapter: {}, session: { strategy: "jwt" }, providers: [oauth] })).toThrow(
      /`getUserByAccount`, `getUserByEmail`, `createUser`, `linkAccount`, required for signing in with "op"/,
    );
    const { getSessionAndUser, createSession, updateSession, deleteSession } =
      createClaimsApp().adapter;
    const sessions = { getSessionAndUser, createSession, updateSession, deleteSession } as Adapter;
    expect(boot({ adapter: sessions, providers: [credentials] })).toThrow(
      /required for database sessions of "credentials"/,
    );
    expect(
      boot({ adapter: {}, session: { strategy: "jwt" }, providers: [credentials] }),
    ).not.toThrow();
  });

  it("the adapter may be a class instance", async () => {
    const { adapter } = createClaimsApp();
    class Mine {
      #sessions = 0;
      constructor() {
        for (const [name, method] of Object.entries(adapter)) {
          if (!(name in this)) Object.defineProperty(this, name, { value: method });
        }
      }
      get count() {
        return this.#sessions;
      }
      async createSession(session: never) {
        this.#sessions++;
        return adapter.createSession?.(session);
      }
    }
    const mine = new Mine();
    const { auth } = createTestAuth({
      preset: standardPreset,
      adapter: mine as unknown as Adapter,
      providers: [
        {
          id: "credentials",
          name: "Password",
          type: "credentials",
          credentials: {},
          authorize: () => ({ id: "1", name: "Ada" }),
        },
      ],
    });
    const request = new Request(`${ORIGIN}/`);
    await auth.signIn(request, "credentials", { redirect: false });
    expect(mine.count).toBe(1);
  });
});
