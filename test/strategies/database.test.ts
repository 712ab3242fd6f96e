import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { decode, encode } from "../../src/jwt.ts";
import type { Adapter, AuthConfig, JWT, SessionOptions, StoreBackend } from "../../src/types.ts";
import { createHouse, type House, ORIGIN } from "../kernel/_house.ts";

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
const tokenOf = (house: House, browser = house.browser) => browser.cookies.get(COOKIE) ?? "";
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

async function rowOf(house: House, token = tokenOf(house)) {
  return (await house.adapter.getSessionAndUser?.(token))?.session;
}

const setCookies = (response: Response) =>
  response.headers.getSetCookie().filter((cookie) => cookie.startsWith(`${COOKIE}`));

const read = (house: House, browser = house.browser) =>
  browser.get("/auth/session", { headers: { accept: "application/json" } });

async function signedIn(session: SessionOptions = {}, more: AuthConfig = {}): Promise<House> {
  const house = createHouse({ config: { ...more, session } });
  await house.come(ADA);
  house.steps.length = 0;
  return house;
}

describe("none -> live: a sign-in", () => {
  it("stores a session that the cookie's token finds, with one end", async () => {
    const house = createHouse();
    const response = await house.come(ADA);
    const row = await rowOf(house);
    expect(row?.expires).toEqual(inSeconds(30 * DAY));
    expect(setCookies(response)).toEqual([
      `${COOKIE}=${tokenOf(house)}; Path=/; Expires=${row?.expires.toUTCString()}; HttpOnly; SameSite=Lax`,
    ]);
    expect(tokenOf(house)).toMatch(/^[0-9a-f-]{36}$/);
    expect(await (await read(house)).json()).toEqual({
      user: { name: "Ada", email: "ada@example.com" },
      expires: row?.expires.toISOString(),
      userId: row?.userId,
    });
  });

  it("takes the token from `generateSessionToken`, and the end from the adapter", async () => {
    const house = createHouse({
      config: { session: { generateSessionToken: () => "a token; of=mine", maxAge: 60 } },
    });
    const response = await house.come(ADA);
    expect(setCookies(response)[0]).toMatch(/^authjs\.session-token=a%20token%3B%20of%3Dmine;/);
    expect(await house.who()).toBeDefined();
    expect((await rowOf(house, "a token; of=mine"))?.expires).toEqual(inSeconds(60));
  });

  it("has a new token each time, and the old session of this browser ends", async () => {
    const house = await signedIn();
    const first = tokenOf(house);
    const other = house.newBrowser();
    await house.come(ADA, other);
    await house.come(ADA);
    expect(tokenOf(house)).not.toBe(first);
    expect(await rowOf(house, first)).toBeUndefined();
    expect(await house.who()).toBeDefined();
    // Another browser's goes on.
    expect(await house.who(other)).toBeDefined();
  });

  it("never takes over a token that was planted", async () => {
    const house = createHouse();
    house.browser.cookies.set(COOKIE, "planted");
    await house.come(ADA);
    expect(tokenOf(house)).not.toBe("planted");
    expect(await rowOf(house, "planted")).toBeUndefined();
  });

  it("clears what is left of a larger cookie", async () => {
    const house = createHouse();
    for (const at of [0, 1, 2]) house.browser.cookies.set(`${COOKIE}.${at}`, "eyJ");
    await house.come(ADA);
    expect([...house.browser.cookies.keys()].filter((name) => name.startsWith(COOKIE))).toEqual([
      COOKIE,
    ]);
    expect(await house.who()).toBeDefined();
  });

  it("goes through although the old session cannot be removed", async () => {
    const house = await signedIn();
    house.gate = (method) => {
      if (method === "deleteSession") throw new Error("down");
    };
    await house.come(ADA);
    expect(await house.who()).toBeDefined();
    expect(house.errors).toMatchObject([{ type: "SignOutError" }]);
  });
});

describe("live -> live: an access", () => {
  it("before updateAge writes nothing and sets no cookie", async () => {
    const house = await signedIn();
    const { expires } = (await rowOf(house)) ?? {};
    pass(DAY - 1);
    const response = await read(house);
    expect(setCookies(response)).toEqual([]);
    expect(house.names()).toEqual(["getSessionAndUser"]);
    expect(await response.json()).toMatchObject({ expires: expires?.toISOString() });
  });

  it("after updateAge moves the row, the cookie and the answer to one end", async () => {
    const house = await signedIn();
    pass(DAY);
    const end = inSeconds(30 * DAY);
    const response = await read(house);
    expect(house.names()).toEqual(["getSessionAndUser", "extendSession"]);
    expect((await rowOf(house))?.expires).toEqual(end);
    expect(setCookies(response)[0]).toContain(`Expires=${end.toUTCString()}`);
    expect(await response.json()).toMatchObject({ expires: end.toISOString() });
    house.names();
    pass(DAY - 1);
    expect(setCookies(await read(house))).toEqual([]);
    expect(house.names()).toEqual(["getSessionAndUser"]);
  });

  it("with updateAge 0 extends every time", async () => {
    const house = await signedIn({ updateAge: 0 });
    for (const _ of [1, 2, 3]) {
      pass(1);
      await read(house);
      expect(house.names()).toContain("extendSession");
      expect((await rowOf(house))?.expires).toEqual(inSeconds(30 * DAY));
    }
  });

  for (const without of [[], ["extendSession"]] as const) {
    it(`of 20 at once writes once (${without[0] ? "any adapter" : "ours"})`, async () => {
      const house = createHouse({ without });
      await house.come(ADA);
      pass(DAY);
      house.steps.length = 0;
      const before = (await rowOf(house))?.expires.getTime();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          pass(0.001);
          // Some come later than others.
          for (let turn = 0; turn < at * 3; turn++) await Promise.resolve();
          return (await (await read(house)).json()) as { expires: string };
        }),
      );
      const writes = house.steps.filter(([name]) => name === "updateSession").length;
      const row = await rowOf(house);
      expect(row?.expires.getTime()).toBeGreaterThan(before ?? 0);
      expect(new Set(answers.map(({ expires }) => expires))).toEqual(
        new Set([row?.expires.toISOString()]),
      );
      if (without[0]) expect(writes).toBe(1);
      expect(house.errors).toEqual([]);
    });
  }

  it("of 20 at once on two servers writes the session's record once", async () => {
    const backend = memoryBackend();
    const first = createHouse({ backend });
    await first.come(ADA);
    const writes: string[] = [];
    const counting: StoreBackend = {
      ...backend,
      put: (key, ...rest) => (writes.push(key), backend.put(key, ...rest)),
      async compareAndSet(key, ...rest) {
        // Time for all of them to have read.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const done = await backend.compareAndSet(key, ...rest);
        if (done) writes.push(key);
        return done;
      },
    };
    const servers = [createHouse({ backend: counting }), createHouse({ backend: counting })];
    for (const { browser } of servers) browser.cookies.set(COOKIE, tokenOf(first));
    pass(DAY);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (servers[at % 2] as House).browser.session<{ expires: string }>(),
      ),
    );
    expect(new Set(answers.map((session) => session?.expires))).toEqual(
      new Set([inSeconds(30 * DAY).toISOString()]),
    );
    expect(writes).toEqual([expect.stringMatching(/^adapter-session\./)]);
  });

  it("signs nobody out when the store takes no writes", async () => {
    const house = await signedIn();
    const { expires } = (await rowOf(house)) ?? {};
    pass(DAY);
    house.gate = (method) => {
      if (method === "extendSession") throw new Error("disk full");
    };
    const response = await read(house);
    expect(await response.json()).toMatchObject({ expires: expires?.toISOString() });
    expect(setCookies(response)).toEqual([]);
    expect(house.errors).toMatchObject([{ type: "SessionTokenError" }]);
  });

  it("that a sign-out overtakes ends signed out", async () => {
    for (const without of [[], ["extendSession"]] as const) {
      const house = createHouse({ without });
      await house.come(ADA);
      const token = tokenOf(house);
      pass(DAY);
      house.gate = async (method) => {
        if (method !== "extendSession" && method !== "updateSession") return;
        house.gate = () => {};
        await house.adapter.deleteSession?.(token);
      };
      await read(house);
      expect(await rowOf(house, token)).toBeUndefined();
      expect(await (await read(house)).json()).toBeNull();
    }
  });
});

describe("live -> removed: the end", () => {
  it("after `expires` there is no session, no row and no cookie", async () => {
    const house = await signedIn();
    const token = tokenOf(house);
    pass(30 * DAY);
    const response = await read(house);
    expect([response.status, await response.json()]).toEqual([200, null]);
    expect(setCookies(response)[0]).toMatch(/^authjs\.session-token=; Max-Age=0/);
    expect(await rowOf(house, token)).toBeUndefined();
  });

  // An adapter that answers expired sessions, as those for Auth.js do.
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

  it("removes the row where the adapter still answers it", async () => {
    const removed: string[] = [];
    const house = createHouse({ adapter: lenient(inSeconds(0), removed) });
    house.browser.cookies.set(COOKIE, "old");
    expect(await house.browser.session()).toBeNull();
    expect(removed).toEqual(["old"]);
    expect(house.browser.cookies.has(COOKIE)).toBe(false);
  });

  it("counts for nobody: an expired session is nobody's to link to", async () => {
    const house = createHouse({ adapter: lenient(inSeconds(-1)) });
    house.browser.cookies.set(COOKIE, "old");
    const response = await house.start(house.browser, true);
    expect(response.headers.get("location")).toContain("error=OAuthAccountNotLinked");
  });

  it("reads dates that are text or numbers, and takes no date for none", async () => {
    const end = inSeconds(29.5 * DAY);
    for (const [expires, isThere] of [
      [end.toISOString(), true],
      [end.getTime(), true],
      ["yesterday", false],
      [undefined, false],
    ] as const) {
      const house = createHouse({ adapter: lenient(expires) });
      house.browser.cookies.set(COOKIE, "token");
      const session = await house.browser.session<{ expires: string }>();
      expect(session?.expires).toBe(isThere ? end.toISOString() : undefined);
    }
  });
});

describe("live -> removed: a sign-out", () => {
  it("removes row and cookie at once, and announces the session", async () => {
    const house = await signedIn();
    const other = house.newBrowser();
    for (const [name, value] of house.browser.cookies) other.cookies.set(name, value);
    const token = tokenOf(house);
    const row = await rowOf(house);
    await house.browser.signOut();
    expect(house.browser.cookies.has(COOKIE)).toBe(false);
    expect(house.steps).toEqual([
      ["deleteSession", token],
      ["signOut!", { session: row }],
    ]);
    expect(await house.who(other)).toBeUndefined();
  });

  it("without a session announces nothing", async () => {
    const house = createHouse();
    await house.browser.signOut();
    expect(house.names()).toEqual([]);
  });

  it("clears the cookie though the row cannot be removed, and says so in the log", async () => {
    const house = await signedIn();
    house.gate = () => {
      throw new Error("down");
    };
    const response = await house.browser.signOut();
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(house.browser.cookies.has(COOKIE)).toBe(false);
    expect(house.errors).toMatchObject([{ type: "SignOutError" }]);
  });
});

describe("a store that fails", () => {
  it("is an error to every reader, and the cookie stays", async () => {
    const house = await signedIn();
    const token = tokenOf(house);
    house.gate = () => {
      throw new Error("ECONNREFUSED");
    };
    const response = await read(house);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("ECONNREFUSED");
    expect(setCookies(response)).toEqual([]);
    const request = new Request(`${ORIGIN}/`, { headers: { cookie: `${COOKIE}=${token}` } });
    await expect(house.auth.getSession(request)).rejects.toMatchObject({ type: "AdapterError" });
    house.gate = () => {};
    expect(await house.who()).toBeDefined();
  });

  it("that never answers is an error too", { timeout: 10_000 }, async () => {
    const house = await signedIn();
    house.gate = () => new Promise(() => {});
    const response = await read(house);
    expect(response.status).toBe(503);
    expect(setCookies(response)).toEqual([]);
  });

  it("makes no session at the sign-in", async () => {
    const house = createHouse();
    house.gate = (method) => {
      if (method === "createSession") throw new Error("down");
    };
    const response = await house.come(ADA);
    expect(response.headers.get("location")).toContain("/auth/error?error=Configuration");
    expect(setCookies(response)).toEqual([]);
    house.gate = () => {};
    await house.come(ADA);
    expect(await house.who()).toBeDefined();
  });
});

describe("the session callback", () => {
  it("is told what Auth.js tells, and what it answers is shown, but for the token", async () => {
    const session = vi.fn((params: { session: object }) => params.session);
    const house = await signedIn({}, { callbacks: { session } });
    const row = await rowOf(house);
    const { user } = (await house.adapter.getSessionAndUser?.(tokenOf(house))) ?? {};
    const expires = row?.expires.toISOString();
    const shown = await house.browser.session();
    expect(session).toHaveBeenCalledExactlyOnceWith({
      session: { ...row, expires, user, userId: user?.id },
      user,
    });
    expect(shown).toEqual({
      userId: user?.id,
      expires,
      user: { ...user, emailVerified: null },
    });
    expect(JSON.stringify(shown)).not.toContain(tokenOf(house));
  });

  it("is told what an update brings; nothing of it is stored", async () => {
    const session = vi.fn(({ session: value }: { session: object }) => ({ ...value, seen: true }));
    const house = await signedIn({}, { callbacks: { session } });
    const csrfToken = await house.browser.csrfToken();
    const response = await house.browser.post("/auth/session", undefined, {
      body: JSON.stringify({ csrfToken, data: { name: "Eve" } }),
      headers: { "content-type": "application/json", accept: "application/json" },
    });
    expect(session.mock.lastCall?.[0]).toMatchObject({
      newSession: { name: "Eve" },
      trigger: "update",
    });
    expect(await response.json()).toMatchObject({ seen: true, user: { name: "Ada" } });
    expect(await house.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("that throws is an error; the session stays", async () => {
    const session = () => {
      throw new Error("no");
    };
    const house = await signedIn({}, { callbacks: { session } });
    expect((await read(house)).status).toBe(500);
    expect(house.errors).toMatchObject([{ type: "SessionTokenError" }]);
    expect(tokenOf(house)).not.toBe("");
  });

  it("is not needed: without it name, email and image are shown", async () => {
    const house = await signedIn();
    const { user } = (await house.browser.session<{ user: object }>()) ?? {};
    expect(user).toEqual({ name: "Ada", email: "ada@example.com" });
  });
});

describe("an absolute lifetime", () => {
  for (const strategy of ["database", "jwt"] as const) {
    it(`ends a session however often it is used (${strategy})`, async () => {
      const house = createHouse({
        strategy,
        config: { session: { maxAge: 2 * DAY, updateAge: 0, absoluteMaxAge: 3 * DAY } },
      });
      await house.come(ADA);
      const last = inSeconds(3 * DAY);
      pass(1.5 * DAY);
      const session = await house.browser.session<{ expires: string }>();
      expect(session?.expires).toBe(last.toISOString());
      pass(1.5 * DAY - 1);
      expect(await house.who()).toBeDefined();
      pass(1);
      expect(await house.who()).toBeUndefined();
    });

    it(`gives a session that does not say when it began no more than it had (${strategy})`, async () => {
      const before = createHouse({ strategy, config: { session: { maxAge: 2 * DAY } } });
      await before.come(ADA);
      if (strategy === "jwt") {
        // As Auth.js makes them.
        const how = { secret: "keyhook-test-secret-0123456789abcdef", salt: COOKIE };
        const { auth_time: _, ...token } = (await decode({
          ...how,
          token: tokenOf(before),
        })) as JWT;
        before.browser.cookies.set(COOKIE, await encode({ ...how, token, maxAge: 2 * DAY }));
      }
      const house = createHouse({
        strategy,
        adapter: before.adapter,
        config: { session: { maxAge: 2 * DAY, updateAge: 0, absoluteMaxAge: 9 * DAY } },
      });
      for (const [name, value] of before.browser.cookies) house.browser.cookies.set(name, value);
      pass(DAY);
      expect(await house.who()).toBeDefined();
      pass(DAY);
      expect(await house.who()).toBeUndefined();
    });
  }

  it("cannot be changed by whoever holds the cookie", async () => {
    const house = await signedIn({ absoluteMaxAge: DAY });
    const [random] = tokenOf(house).split(".");
    house.browser.cookies.set(COOKIE, `${random}.zzzzzz`);
    expect(await house.who()).toBeUndefined();
  });
});

describe("credentials", () => {
  const house = (user: object, adapter?: Adapter) =>
    createHouse({
      ...(adapter && { adapter }),
      config: {
        providers: [
          {
            id: "credentials",
            name: "Password",
            type: "credentials",
            credentials: {},
            authorize: () => user,
          },
        ],
      },
    });
  const enter = (of: House) => of.browser.signInWith("credentials", {});

  it("sign in the stored user whom `authorize` names", async () => {
    const first = createHouse();
    await first.come(ADA);
    const id = await first.who();
    const second = house({ id, name: "whatever" }, first.adapter);
    await enter(second);
    expect(await second.who()).toBe(id);
    expect(second.names()).not.toContain("createUserWithAccount");
  });

  it("make one whom the store does not know, once, and keep nothing else of them", async () => {
    const of = house({ id: "7", name: "Grace", email: "Grace@Example.com", passwordHash: "x" });
    await enter(of);
    const id = await of.who();
    expect(id).not.toBe("7");
    expect(await of.adapter.getUser?.(id ?? "")).toEqual({
      id,
      name: "Grace",
      email: "grace@example.com",
      emailVerified: null,
    });
    of.browser.cookies.clear();
    await enter(of);
    expect(await of.who()).toBe(id);
    expect(of.steps.filter(([name]) => name === "createUser!").length).toBe(1);
  });

  it("do not open the user of the same address", async () => {
    const first = createHouse();
    await first.letter("ada@example.com");
    const of = house({ id: "7", email: "ada@example.com" }, first.adapter);
    const response = await enter(of);
    expect(response.headers.get("location")).toContain("error=OAuthAccountNotLinked");
    expect(await of.who()).toBeUndefined();
  });

  it("open nothing any more once the owner of the address has come", async () => {
    const of = house({ id: "7", email: "ada@example.com" });
    await enter(of);
    const id = await of.who();
    const owner = of.newBrowser();
    await of.letter("ada@example.com", owner);
    expect(await of.who(owner)).toBe(id);
    expect(await of.who()).toBeUndefined();
    const response = await enter(of);
    expect(response.headers.get("location")).toContain("error=OAuthAccountNotLinked");
  });
});

describe("the boot", () => {
  const boot = (config: AuthConfig) => () =>
    createAuth({
      secret: "keyhook-test-secret-0123456789abcdef",
      env: { NODE_ENV: "test" },
      trustHost: true,
      logger: { error() {}, warn() {} },
      ...config,
    }).inspect();

  it("chooses `database` with an adapter, and an explicit `jwt` wins", () => {
    const { adapter } = createHouse();
    expect(boot({ adapter })().strategy).toBe("database");
    expect(boot({ adapter, session: { strategy: "jwt" } })().strategy).toBe("jwt");
    expect(boot({})().strategy).toBe("jwt");
  });

  it("wants an adapter", () => {
    expect(boot({ session: { strategy: "database" } })).toThrowError(
      expect.objectContaining({ type: "MissingAdapter" }),
    );
  });

  it("names what the adapter lacks for what is configured", () => {
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
      /`createSession`, `getSessionAndUser`, `updateSession`, `deleteSession`, needed for database/,
    );
    expect(boot({ adapter: {}, session: { strategy: "jwt" }, providers: [oauth] })).toThrow(
      /`getUserByAccount`, `getUserByEmail`, `createUser`, `linkAccount`, needed for signing in with "op"/,
    );
    const { getSessionAndUser, createSession, updateSession, deleteSession } =
      createHouse().adapter;
    const sessions = { getSessionAndUser, createSession, updateSession, deleteSession } as Adapter;
    expect(boot({ adapter: sessions, providers: [credentials] })).toThrow(
      /needed for database sessions of "credentials"/,
    );
    expect(
      boot({ adapter: {}, session: { strategy: "jwt" }, providers: [credentials] }),
    ).not.toThrow();
  });

  it("takes an adapter that is a class instance", async () => {
    const { adapter } = createHouse();
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
    const auth = createAuth({
      secret: "keyhook-test-secret-0123456789abcdef",
      env: { NODE_ENV: "test" },
      trustHost: true,
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
