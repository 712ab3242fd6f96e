import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createEnded, noteEnds } from "../../plugins/strategies/hybrid/ended.ts";
import { standardPreset } from "../../presets/index.ts";
import { sha256Base64url } from "../../src/crypto/crypto.ts";
import { decode } from "../../src/jwt/jwt.ts";
import { createCache } from "../../src/platform/cache.ts";
import type {
  Adapter,
  AuthConfig,
  JWT,
  Plugin,
  SessionOptions,
  StoreBackend,
} from "../../src/types.ts";
import { createTestAuth, SECRET } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { type ClaimsApp, createClaimsApp } from "../kernel/_claims-app.ts";

const COOKIE = "authjs.session-token";
const STORED = "keyhook.stored_session";
const CHECKED = "keyhook.checked";
const DAY = 86_400;
const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const look: Plugin = {
  name: "look",
  setup: (kernel) =>
    kernel.addRoute({
      method: "GET",
      path: "/current",
      handler: async (ctx) => ctx.json({ user: await ctx.kernel.strategy.current(ctx) }),
    }),
};
const readCurrent = async ({ browser }: ClaimsApp) =>
  ((await (await browser.get("/auth/current")).json()) as { user: unknown }).user;

function open(session: SessionOptions = {}, more: AuthConfig & { store?: StoreBackend } = {}) {
  const config = { ...more, session: { strategy: "hybrid", ...session } };
  return createClaimsApp({ ...config, use: [look] } as never);
}

async function signedIn(session: SessionOptions = {}, more: AuthConfig = {}): Promise<ClaimsApp> {
  const app = open(session, more);
  await app.signIn(ADA);
  app.steps.length = 0;
  return app;
}

const readClaims = async ({ browser }: Pick<ClaimsApp, "browser">): Promise<JWT> =>
  (await decode({
    token: browser.cookies.get(COOKIE) ?? "",
    secret: SECRET,
    salt: COOKIE,
  })) as JWT;

const getStored = async (app: ClaimsApp) => String((await readClaims(app))[STORED]);
const countLookUps = (app: ClaimsApp) =>
  app.callNames().filter((name) => name === "getSessionAndUser").length;
const copyCookies = (app: ClaimsApp) => {
  const other = app.openBrowser();
  for (const [name, value] of app.browser.cookies) other.cookies.set(name, value);
  return other;
};

async function endListed(adapter: Adapter, user: string) {
  for (const { id } of (await adapter.listSessionsByUserId?.(user)) ?? []) {
    await adapter.deleteSessionById?.(user, id);
  }
}

describe("hybrid strategy: sign-in", () => {
  it("a sign-in stores a session, and sets a sealed cookie that refers to it", async () => {
    const app = await signedIn();
    const claims = await readClaims(app);
    const now = Date.now() / 1000;
    expect(claims).toMatchObject({ name: "Ada", [CHECKED]: now, auth_time: now });
    const found = await app.adapter.getSessionAndUser?.(String(claims[STORED]));
    expect(found?.user.id).toBe(claims.sub);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("the next sign-in of a browser ends its stored session", async () => {
    const app = await signedIn();
    const first = await getStored(app);
    await app.signIn(ADA);
    expect(await app.adapter.getSessionAndUser?.(first)).toBeNull();
    expect(await app.adapter.getSessionAndUser?.(await getStored(app))).not.toBeNull();
  });

  it("a `jwt` callback that returns null stores no session", async () => {
    const app = open({}, { callbacks: { jwt: () => null } });
    await app.signIn(ADA);
    expect(app.browser.cookies.get(COOKIE)).toBeUndefined();
    expect(app.callNames()).not.toContain("createSession");
  });

  it("a callback can neither change nor remove the session's user and its reference", async () => {
    let isHostile = false;
    const app = open(
      {},
      {
        callbacks: {
          jwt: ({ token }) =>
            isHostile
              ? { name: "Eve", sub: "eve", [STORED]: "hybrid.other", [CHECKED]: 9e9 }
              : token,
        },
      },
    );
    await app.signIn(ADA);
    const before = await readClaims(app);
    isHostile = true;
    await app.browser.session();
    const { sub, [STORED]: stored, [CHECKED]: checked } = before;
    expect(await readClaims(app)).toMatchObject({
      name: "Eve",
      sub,
      [STORED]: stored,
      [CHECKED]: checked,
    });
  });
});

describe("hybrid strategy: session.checkAge", () => {
  it("the store is read once per `checkAge`, and the cookie contains the time", async () => {
    const app = await signedIn({ checkAge: 60 });
    pass(59);
    await app.browser.session();
    expect(countLookUps(app)).toBe(0);
    pass(1);
    expect(await app.browser.session()).not.toBeNull();
    expect(countLookUps(app)).toBe(1);
    expect((await readClaims(app))[CHECKED]).toBe(Date.now() / 1000);
    pass(59);
    app.steps.length = 0;
    await app.browser.session();
    expect(countLookUps(app)).toBe(0);
  });

  it("50 parallel reads at the check look the session up once", async () => {
    const app = await signedIn();
    pass(60);
    const browsers = Array.from({ length: 50 }, () => copyCookies(app));
    const seen = await Promise.all(browsers.map((browser) => browser.session()));
    expect(seen.every((session) => session !== null)).toBe(true);
    expect(countLookUps(app)).toBe(1);
  });

  it("a cookie that is not rewritten causes one look-up per `checkAge` in a process", async () => {
    const app = await signedIn();
    pass(60);
    for (let age = 0; age < 60; age += 10) {
      await copyCookies(app).session();
      pass(10);
    }
    expect(countLookUps(app)).toBe(1);
    await copyCookies(app).session();
    // Look-ups since the last count.
    expect(countLookUps(app)).toBe(1);
  });

  it("`checkAge: 0` looks up the session at every read, and a session ends at once", async () => {
    const app = await signedIn({ checkAge: 0 });
    expect(await app.browser.session()).not.toBeNull();
    await app.adapter.deleteSession?.(await getStored(app));
    expect(await app.browser.session()).toBeNull();
  });

  it.each(["one session", "all sessions of the user", "the user"])(
    "a session ends within `checkAge` when %s is deleted elsewhere",
    async (what) => {
      const app = await signedIn({ checkAge: 30 });
      const { sub = "", [STORED]: stored } = await readClaims(app);
      if (what === "one session") await app.adapter.deleteSession?.(String(stored));
      else if (what === "the user") await app.adapter.deleteUser?.(sub);
      else await app.adapter.deleteSessionsByUserId?.(sub);
      pass(29);
      expect(await app.browser.session()).not.toBeNull();
      pass(1);
      expect(await app.browser.session()).toBeNull();
      expect(app.browser.cookies.get(COOKIE)).toBeUndefined();
    },
  );

  it("a copy of the cookie ends at once in the process that signed out", async () => {
    const app = await signedIn();
    const thief = copyCookies(app);
    expect(await thief.session()).not.toBeNull();
    await app.browser.send("/auth/signout");
    expect(await thief.session()).toBeNull();
  });

  it.each<[what: string, end: (adapter: Adapter, user: string, stored: string) => unknown]>([
    ["one session", (adapter, _, stored) => adapter.deleteSession?.(stored)],
    ["a listed session", endListed],
    ["all sessions of the user", (adapter, user) => adapter.deleteSessionsByUserId?.(user)],
    ["the user's other sessions", (adapter, user) => adapter.deleteOtherSessions?.(user)],
    ["the user", (adapter, user) => adapter.deleteUser?.(user)],
  ])(
    "a session ends at once in the process that deletes %s by auth.getAdapter()",
    async (_, end) => {
      const app = await signedIn({ checkAge: 3600 });
      const { sub = "", [STORED]: stored } = await readClaims(app);
      pass(10);
      const other = copyCookies(app);
      await end(await app.auth.getAdapter(), sub, String(stored));
      expect(await app.browser.session()).toBeNull();
      expect(await other.session()).toBeNull();
    },
  );

  it("sessions that the adapter ended before it failed are recorded, also for a Proxy as adapter", async () => {
    const failing = () => Promise.reject(new Error("the connection is lost"));
    const methods: Adapter = { deleteSessionsByUserId: failing, deleteSession: () => undefined };
    const adapter = new Proxy({} as Adapter, { get: (_, name: keyof Adapter) => methods[name] });
    const ended = createEnded((_, options) => createCache(options));
    const noted = noteEnds(adapter, ended);
    await expect(noted.deleteSessionsByUserId?.("ada")).rejects.toThrow("the connection is lost");
    expect(ended.users.get("ada")).toBe(Date.now());
    await noted.deleteSession?.("token");
    expect(ended.tokens.get(await sha256Base64url("token"))).toBe(true);
  });

  it("a session that survives the end of the user's others is looked up once more, and other users' sessions are not", async () => {
    const app = await signedIn({ checkAge: 3600 });
    const [eve, later] = [app.openBrowser(), app.openBrowser()];
    await app.signIn({ ...ADA, sub: "eve", email: "eve@example.com" }, eve);
    await app.signIn(ADA, later);
    const { sub = "", [STORED]: current } = await readClaims({ browser: later });
    pass(10);
    await (await app.auth.getAdapter()).deleteOtherSessions?.(sub, String(current));
    app.steps.length = 0;
    pass(10);
    expect(await eve.session()).not.toBeNull();
    expect(countLookUps(app)).toBe(0);
    for (let read = 0; read < 3; read++) expect(await later.session()).not.toBeNull();
    expect(countLookUps(app)).toBe(1);
    expect(await app.browser.session()).toBeNull();
  });

  it("a session that exceeds the user's limit ends at once in the process of the sign-in", async () => {
    const app = await signedIn({ checkAge: 3600, maxPerUser: 1 });
    pass(10);
    await app.signIn(ADA, app.openBrowser());
    expect(await app.browser.session()).toBeNull();
  });

  it("a clock that was ahead when the cookie was written does not delay the check", async () => {
    pass(7 * DAY);
    const app = await signedIn({ maxAge: 30 * DAY });
    await app.adapter.deleteSession?.(await getStored(app));
    pass(-3600);
    expect(await app.browser.session()).toBeNull();
  });

  it.each([-1, 1.5, 3601, "1m", Number.NaN])("boot refuses `session.checkAge: %s`", (checkAge) => {
    const app = open({ checkAge: checkAge as number });
    expect(() => app.auth.inspect()).toThrow("session.checkAge");
    expect(app.log.errors).toHaveLength(1);
  });

  it("`inspect()` shows the delay", () => {
    expect(open().auth.inspect().endsWithin).toBe(60);
    expect(open({ checkAge: 5 }).auth.inspect().endsWithin).toBe(5);
    expect(open({ strategy: "database" }).auth.inspect().endsWithin).toBe(0);
    expect(createTestAuth().auth.inspect().endsWithin).toBeNull();
  });
});

describe("hybrid strategy: lifetime", () => {
  it("a session that is used lives longer than `maxAge`, with its row", async () => {
    const app = await signedIn({ maxAge: 3600, updateAge: 600 });
    for (let turn = 0; turn < 12; turn++) {
      pass(1200);
      expect(await app.browser.session()).not.toBeNull();
    }
    expect(await app.adapter.getSessionAndUser?.(await getStored(app))).not.toBeNull();
  });

  it("a cookie that was extended without a look-up does not outlive its row", async () => {
    const app = await signedIn({ maxAge: 4000, updateAge: 0, checkAge: 3600 });
    pass(3599);
    expect(await app.browser.session()).not.toBeNull();
    expect(countLookUps(app)).toBe(0);
    pass(3900);
    expect(await app.browser.session()).not.toBeNull();
    expect(countLookUps(app)).toBe(1);
  });

  it("an unused session ends after `maxAge`", async () => {
    const app = await signedIn({ maxAge: 3600, updateAge: 600 });
    pass(3600);
    expect(await app.browser.session()).toBeNull();
  });

  it("`absoluteMaxAge` ends the session and its row", async () => {
    const app = await signedIn({ maxAge: 3600, updateAge: 0, absoluteMaxAge: 7200 });
    const stored = await getStored(app);
    for (let turn = 0; turn < 7; turn++) {
      pass(1000);
      expect(await app.browser.session()).not.toBeNull();
    }
    pass(200);
    expect(await app.browser.session()).toBeNull();
    expect(await app.adapter.getSessionAndUser?.(stored)).toBeNull();
  });
});

describe("hybrid strategy: failing store", () => {
  it("a session is read without the store until the check, which then fails without clearing the cookie", async () => {
    const app = open({ checkAge: 60 });
    await app.signIn({ ...ADA, email_verified: true });
    const look = () =>
      app.browser.get("/auth/session", { headers: { accept: "application/json" } });
    app.gate = () => {
      throw new Error("down");
    };
    expect((await look()).status).toBe(200);
    pass(60);
    expect((await look()).status).toBe(503);
    expect(app.browser.cookies.get(COOKIE)).toBeDefined();
    expect(app.log.errors.map(({ type }) => type)).toEqual(["AdapterError"]);
    app.gate = () => {};
    expect(await app.browser.session()).not.toBeNull();
  });

  it("a store that rejects writes ends or hides no session (F7)", async () => {
    const app = await signedIn({ checkAge: 60 });
    app.gate = (method) => {
      if (/^(?:extend|update)Session$/.test(method)) throw new Error("disk full");
    };
    pass(2 * DAY);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(app.log.errors.map(({ type }) => type)).toEqual(["SessionTokenError"]);
  });

  it("a sign-in sets no cookie when its session cannot be stored", async () => {
    const app = open();
    app.gate = (method) => {
      if (method === "createSession") throw new Error("down");
    };
    await app.signIn(ADA);
    expect(app.log.errors.map(({ type }) => type)).toEqual(["AdapterError"]);
    expect(app.browser.cookies.get(COOKIE)).toBeUndefined();
  });
});

describe("hybrid strategy: other strategies on the same store and secret", () => {
  it("the database strategy refuses the claim as a cookie, and ends no session for it", async () => {
    const store = memoryBackend();
    const app = open({}, { store } as never);
    await app.signIn(ADA);
    const stored = await getStored(app);
    const other = open({ strategy: "database" }, { store } as never);
    other.browser.cookies.set(COOKIE, stored);
    expect(await other.browser.session()).toBeNull();
    await other.browser.send("/auth/signout");
    expect(await app.adapter.getSessionAndUser?.(stored)).not.toBeNull();
    pass(60);
    expect(await app.browser.session()).not.toBeNull();
  });

  it("the jwt strategy refuses the cookie of hybrid, and hybrid refuses the cookie of jwt", async () => {
    const store = memoryBackend();
    const [app, jwt] = [
      open({}, { store } as never),
      open({ strategy: "jwt" }, { store } as never),
    ];
    await app.signIn(ADA);
    await jwt.signIn(ADA);
    const [own, foreign] = [app, jwt].map(({ browser }) => browser.cookies.get(COOKIE) ?? "");
    app.browser.cookies.set(COOKIE, foreign ?? "");
    jwt.browser.cookies.set(COOKIE, own ?? "");
    expect(await app.browser.session()).toBeNull();
    expect(await jwt.browser.session()).toBeNull();
  });
});

describe("hybrid strategy: operations on a session", () => {
  it("a sign-in beyond session.maxPerUser ends the oldest stored session, and emits the event", async () => {
    const ended: unknown[] = [];
    const app = await signedIn(
      { maxPerUser: 1 },
      { events: { endSession: (message) => void ended.push(message) } },
    );
    const { sub, [STORED]: stored } = await readClaims(app);
    await app.signIn(ADA, app.openBrowser());
    expect(await app.adapter.getSessionAndUser?.(String(stored))).toBeNull();
    expect(ended).toEqual([{ userId: sub, count: 1, reason: "limit" }]);
  });

  it("a sign-out ends the stored session and emits both", async () => {
    const events: unknown[] = [];
    const app = await signedIn({}, { events: { signOut: (message) => void events.push(message) } });
    const stored = await getStored(app);
    await app.browser.send("/auth/signout");
    expect(await app.adapter.getSessionAndUser?.(stored)).toBeNull();
    expect(events).toMatchObject([
      { token: { [STORED]: stored }, session: { sessionToken: stored } },
    ]);
  });

  it("an update changes the token by the `jwt` callback", async () => {
    const app = await signedIn(
      {},
      {
        callbacks: {
          jwt: ({ token, trigger, session }) =>
            trigger === "update" ? { ...token, ...(session as JWT) } : token,
          session: ({ session, token }) => ({ ...session, role: token?.role }),
        },
      },
    );
    const { sub, [STORED]: stored } = await readClaims(app);
    const data = { role: "reader", sub: "eve", [STORED]: "hybrid.eve" };
    const response = await app.browser.send("/auth/session", { json: { data } });
    expect(await response.json()).toMatchObject({ role: "reader" });
    expect(await readClaims(app)).toMatchObject({ role: "reader", sub, [STORED]: stored });
  });

  it("linking notices at once that the session has ended", async () => {
    const app = await signedIn();
    const start = async () =>
      (await app.startSignIn(app.browser, true, "key")).headers.get("location");
    expect(await start()).toContain("state=");
    await app.adapter.deleteSession?.(await getStored(app));
    expect(await start()).not.toContain("state=");
  });

  it("operations that need the user notice at once that the session has ended, or belongs to another user", async () => {
    const app = await signedIn();
    await app.signIn({ sub: "bob", name: "Bob", email: "bob@example.com" }, app.openBrowser());
    const bob = await app.adapter.getUserByEmail?.("bob@example.com");
    const sessionToken = await getStored(app);
    expect(await readCurrent(app)).toMatchObject({ name: "Ada" });
    await app.adapter.deleteSession?.(sessionToken);
    expect(await readCurrent(app)).toBeNull();
    const expires = new Date(Date.now() + DAY * 1000);
    await app.adapter.createSession?.({ sessionToken, userId: bob?.id ?? "", expires });
    expect(await readCurrent(app)).toBeNull();
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("operations that need the user get none if the address was verified after the sign-in", async () => {
    const app = await signedIn();
    const { sub } = await readClaims(app);
    expect(await readCurrent(app)).toMatchObject({ name: "Ada" });
    await app.adapter.updateUser?.({ id: sub ?? "", emailVerified: new Date(Date.now() + 1000) });
    expect(await readCurrent(app)).toBeNull();
  });

  it("an expired row that the adapter still returns is not a session, and is deleted", async () => {
    const adapter = adapterOn(memoryBackend());
    let hasExpired = false;
    const lenient: Adapter = {
      ...adapter,
      async getSessionAndUser(token) {
        const found = await adapter.getSessionAndUser?.(token);
        if (!found) return null;
        const { session } = found;
        return { ...found, session: hasExpired ? { ...session, expires: new Date() } : session };
      },
    };
    const app = await signedIn({ checkAge: 60 }, { adapter: lenient });
    const stored = await getStored(app);
    hasExpired = true;
    expect(await readCurrent(app)).toBeNull();
    pass(60);
    expect(await app.browser.session()).toBeNull();
    expect(await adapter.getSessionAndUser?.(stored)).toBeNull();
  });

  it("a session continues with an adapter without extendSession", async () => {
    const app = createClaimsApp({ strategy: "hybrid", without: ["extendSession"] });
    await app.signIn(ADA);
    for (let day = 0; day < 40; day++) {
      pass(DAY);
      expect(await app.browser.session()).not.toBeNull();
    }
    expect(app.log.errors).toEqual([]);
  });

  it("a session may get the token of an ended session", async () => {
    const app = await signedIn({ checkAge: 0, generateSessionToken: () => "t".repeat(32) });
    const first = await getStored(app);
    await app.browser.send("/auth/signout");
    await app.signIn(ADA);
    expect(await getStored(app)).toBe(first);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a sign-out with the cookies of two sessions ends both", async () => {
    const tokens: unknown[] = [];
    const signOut = (message: object) =>
      void tokens.push((message as { token: JWT }).token[STORED]);
    const app = await signedIn({}, { events: { signOut } });
    const other = app.openBrowser();
    await app.signIn(ADA, other);
    const values = [app.browser, other].map(({ cookies }) => cookies.get(COOKIE) ?? "");
    const cookie = values.map((value) => `${COOKIE}=${value}`).join("; ");
    const stored = await Promise.all(
      [app, { browser: other }].map(async (one) => String((await readClaims(one))[STORED])),
    );
    await app.auth.signOut(new Request("http://localhost:3000/", { headers: { cookie } }));
    for (const one of stored) expect(await app.adapter.getSessionAndUser?.(one)).toBeNull();
    expect(stored).toContain(tokens[0]);
  });

  it("the account page lists the sessions of all browsers, and any session can end the others", async () => {
    const app = await signedIn();
    const other = app.openBrowser();
    await app.signIn(ADA, other);
    const page = await (await app.browser.get("/auth/account")).text();
    expect(page.match(/name="session"/g)).toHaveLength(1);
    const csrfToken = /name="csrfToken" value="(\w+)"/.exec(page)?.[1] ?? "";
    await app.browser.post("/auth/account", { csrfToken, sessions: "others" });
    pass(60);
    expect(await other.session()).toBeNull();
    expect(await app.browser.session()).not.toBeNull();
  });

  it("a sign-in beyond `maxPerUser` ends the oldest session", async () => {
    const app = await signedIn({ maxPerUser: 1, checkAge: 0 });
    await app.signIn(ADA, app.openBrowser());
    expect(await app.browser.session()).toBeNull();
  });

  it("of two cookies, one with an ended session does not hide the other", async () => {
    const app = await signedIn({ checkAge: 0 });
    const ended = app.browser.cookies.get(COOKIE) ?? "";
    await app.adapter.deleteSession?.(await getStored(app));
    pass(1);
    const other = app.openBrowser();
    await app.signIn(ADA, other);
    const live = other.cookies.get(COOKIE) ?? "";
    const session = await app.auth.getSession(
      new Request("http://localhost:3000/", {
        headers: { cookie: `${COOKIE}=${ended}; ${COOKIE}=${live}` },
      }),
    );
    expect(session?.user?.name).toBe("Ada");
  });

  it("of two users' cookies, one with an ended session does not affect the other", async () => {
    const app = await signedIn({ checkAge: 60 });
    const ended = app.browser.cookies.get(COOKIE) ?? "";
    await app.adapter.deleteSession?.(await getStored(app));
    pass(1);
    const other = app.openBrowser();
    await app.signIn({ sub: "bob", name: "Bob", email: "bob@example.com" }, other);
    const live = other.cookies.get(COOKIE) ?? "";
    const csrfToken = await other.csrfToken();
    const [csrf] = [...other.cookies]
      .filter(([name]) => name.includes("csrf"))
      .map((one) => one.join("="));
    for (const pair of [
      [ended, live],
      [live, ended],
    ]) {
      const cookie = [...pair.map((value) => `${COOKIE}=${value}`), csrf].join("; ");
      const response = await other.post(
        "/auth/session",
        {},
        {
          headers: { cookie, "content-type": "application/json" },
          body: JSON.stringify({ csrfToken, data: {} }),
        },
      );
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ user: { name: "Bob" } });
    }
  });

  it("boot requires an adapter", () => {
    const app = createTestAuth({ preset: standardPreset, session: { strategy: "hybrid" } });
    expect(() => app.auth.inspect()).toThrow("there is no adapter");
    app.log.expectErrors("MissingAdapter");
  });
});
