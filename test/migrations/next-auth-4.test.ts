import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextAuth4 } from "../../plugins/migrations/next-auth-4.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import { standardPreset } from "../../presets/index.ts";
import { decode, encode } from "../../src/jwt/jwt.ts";
import type { JWT, JWTParams, SessionOptions } from "../../src/kernel.ts";
import {
  createTestAuth,
  listBootFaults,
  LOVELACE,
  ORIGIN,
  SECRET,
  setCookie,
  setCookieNames,
  type TestAuthOptions,
} from "../_app.ts";
import { OLD, sealOld } from "./_next-auth-4.ts";

const OWN = "authjs.session-token";
const ENDED = "keyhook.next-auth-4-ended";
const DAY = 86_400;
const START = new Date("2026-06-01T12:00:00.000Z");

// Created by next-auth 4.24.15 at `START`.
const RECORDED =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..0CKBVNSa7f4wlky2.P9lIIRxSyNNC7J1DR-8NFZgaataxg-GepL8mtTjIjJVBhlcjgPkB7puabZfr" +
  "BUhWgLcToFdr6IuNri33VJ4vaLOGZGAdk-tHRN5BFgqUX9cKlwWVIMaw7rfW7JMNdLp1v-wVZdQWjJ4nRG1hjBvQ4YuTitNoi5VlDdorXOMBjbmvE1gK7xQ" +
  "30-GEkLLAEofU.vCp_qQm61DT-ZmGpBTUQIQ";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

/** Creates an application that has moved from next-auth 4, whose browser has these cookies. */
function moved(cookies: Record<string, string>, options: TestAuthOptions = {}) {
  const app = createTestAuth({ ...options, use: [nextAuth4(), ...(options.use ?? [])] });
  for (const [name, value] of Object.entries(cookies)) app.browser.cookies.set(name, value);
  const look = () => app.browser.get("/auth/session");
  const user = async () =>
    ((await app.browser.session()) as { user?: { name?: string } } | null)?.user?.name;
  const claims = async () =>
    (await decode({ token: app.browser.cookies.get(OWN), secret: SECRET, salt: OWN })) as JWT;
  return { ...app, look, user, claims };
}

describe("nextAuth4: a token of next-auth 4", () => {
  it("the recorded token of next-auth 4 is a session, and the cookie of Keyhook replaces it", async () => {
    const { browser, look, claims } = moved({ [OLD]: RECORDED });
    const response = await look();
    expect(await response.json()).toEqual({
      user: { name: "Ada", email: "ada@example.com", image: null },
      expires: new Date(START.getTime() + 30 * DAY * 1000).toISOString(),
    });
    expect(setCookie(response, OLD)).toMatch(/^next-auth\.session-token=; .*Max-Age=0/);
    expect([...browser.cookies.keys()]).toEqual([OWN]);
    expect(await claims()).toMatchObject({ sub: "1", name: "Ada", email: "ada@example.com" });
  });

  it("a session moves once: later requests only have the cookie of Keyhook", async () => {
    const { browser, look, user } = moved({ [OLD]: RECORDED });
    await look();
    const response = await look();
    expect(setCookieNames(response)).toEqual([]);
    expect([...browser.cookies.keys()]).toEqual([OWN]);
    expect(await user()).toBe("Ada");
  });

  it("claims that callbacks of next-auth 4 added are kept, and the jwt callback receives them", async () => {
    const seen: unknown[] = [];
    const { claims, look } = moved(
      { [OLD]: await sealOld({ sub: "1", name: "Ada", role: "admin", more: { of: [1] } }) },
      {
        callbacks: {
          jwt({ token, trigger }) {
            seen.push([token.role, trigger]);
            return token;
          },
        },
      },
    );
    await look();
    expect(seen).toEqual([["admin", undefined]]);
    expect(await claims()).toMatchObject({ role: "admin", more: { of: [1] } });
  });

  it("a token without sub is also a session, because callbacks of many applications return it", async () => {
    const { look } = moved(
      { [OLD]: await sealOld({ accessToken: "a", user: { name: "Ada" } }) },
      { callbacks: { session: ({ session, token }) => ({ ...session, ...token.user! }) } },
    );
    expect(await (await look()).json()).toMatchObject({ name: "Ada" });
  });

  it("a token in several cookies is joined, and each cookie is deleted", async () => {
    const token = await sealOld({ sub: "1", name: "Ada", large: "x".repeat(6000) });
    // The parts of next-auth 4 have 3933 bytes.
    const parts = [token.slice(0, 3933), token.slice(3933, 7866), token.slice(7866)];
    const cookies = Object.fromEntries(parts.map((part, at) => [`${OLD}.${at}`, part]));
    const { browser, claims, user } = moved(cookies);
    expect(await user()).toBe("Ada");
    expect([...browser.cookies.keys()].every((name) => name.startsWith(`${OWN}.`))).toBe(true);
    expect(browser.cookies.size).toBe(3);
    await expect(claims()).resolves.toBe(null);
  });

  it("the expiry of the session is kept, until the session is extended like any other", async () => {
    const token = await sealOld();
    pass(10 * 3600);
    const { browser, look } = moved({ [OLD]: token });
    const { expires } = (await (await look()).json()) as { expires: string };
    expect(expires).toBe(new Date(START.getTime() + 30 * DAY * 1000).toISOString());
    pass(20 * 3600);
    const later = (await browser.session()) as { expires: string };
    expect(later.expires).toBe(new Date(Date.now() + 30 * DAY * 1000).toISOString());
  });

  it.each<[string, SessionOptions, number, number]>([
    ["next-auth 4 sealed it for 30 days, but its session was shorter", { maxAge: DAY }, 30, 2],
    ["it has expired", {}, 30, 31],
    ["it was unused for the lifetime of a session", { maxAge: 7 * DAY }, 30, 8],
  ])("a token is not a session after its time: %s", async (_, session, sealed, days) => {
    const token = await sealOld(undefined, { maxAge: sealed * DAY });
    pass(days * DAY);
    const { browser, look } = moved({ [OLD]: token }, { session });
    expect(await (await look()).json()).toBe(null);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it("a second secret also opens tokens of next-auth 4, and the first one seals", async () => {
    const old = "the secret of next-auth 4, of 32 characters";
    const { user, browser } = moved(
      { [OLD]: await sealOld(undefined, { secret: old }) },
      { secret: [SECRET, old] },
    );
    expect(await user()).toBe("Ada");
    const params = { token: browser.cookies.get(OWN), secret: SECRET, salt: OWN };
    expect(await decode(params)).toMatchObject({ sub: "1" });
  });

  it("jwt.decode and jwt.encode of the application open the old cookie and seal the new one", async () => {
    const own = {
      encode: ({ token }: { token?: JWT }) =>
        `own.${Buffer.from(JSON.stringify(token)).toString("base64url")}`,
      decode: ({ token = "" }: { token?: string | undefined }) =>
        JSON.parse(Buffer.from(token.slice(4), "base64url").toString()) as JWT,
    };
    const { user, browser } = moved(
      { [OLD]: own.encode({ token: { sub: "1", name: "Ada" } }) },
      { jwt: own },
    );
    expect(await user()).toBe("Ada");
    expect([...browser.cookies.keys()]).toEqual([OWN]);
    expect(browser.cookies.get(OWN)).toMatch(/^own\./);
  });

  it("a token whose times jwt.decode returns as text is not a session, and causes no error", async () => {
    const { look } = moved(
      { [OLD]: "own" },
      { jwt: { decode: () => ({ sub: "1", iat: "now", exp: "never" }) as never } },
    );
    const response = await look();
    expect([response.status, await response.json()]).toEqual([200, null]);
  });

  it("server functions see the session, and their response has the cookies", async () => {
    const { auth, browser } = moved({ [OLD]: RECORDED });
    const res = { headers: new Headers() };
    const session = await auth.getSession({ req: browser.request("/"), res });
    expect(session?.user?.name).toBe("Ada");
    const names = res.headers.getSetCookie().map((line) => line.split("=")[0]);
    expect(names).toEqual([OLD, OWN]);
  });

  it("posting a form requires the CSRF token, and works with the session of next-auth 4", async () => {
    const { browser, log } = moved({ [OLD]: RECORDED });
    const json = { data: {} };
    expect((await browser.send("/auth/session", { json, csrf: false })).status).toBe(403);
    log.expectErrors("MissingCSRF");
    browser.cookies.clear();
    browser.cookies.set(OLD, RECORDED);
    const updated = await browser.send("/auth/session", { json });
    expect(await updated.json()).toMatchObject({ user: { name: "Ada" } });
  });

  it("without the plugin, Keyhook ignores the cookie of next-auth 4", async () => {
    const { browser } = createTestAuth();
    browser.cookies.set(OLD, RECORDED);
    expect(await browser.session()).toBe(null);
    expect([...browser.cookies.keys()]).toEqual([OLD]);
  });
});

describe("nextAuth4: tokens that are not sessions", () => {
  it.each<[string, () => Promise<string> | string]>([
    ["sealed under another secret", async () => sealOld(undefined, { secret: "y".repeat(40) })],
    [
      "sealed with a salt, like a token of a sign-in attempt",
      async () => sealOld({}, { salt: OLD }),
    ],
    ["that contains only a check of 4.24", async () => sealOld({ value: "a", provider: "g" })],
    ["that contains only a check of 4.22", async () => sealOld({ state: "a" })],
    ["that contains no claims", async () => sealOld({})],
    ["that was changed", async () => `${(await sealOld()).slice(0, -4)}AAAA`],
    [
      "of Keyhook, for its own cookie",
      async () => encode({ token: { sub: "1" }, secret: SECRET, salt: OWN }),
    ],
    [
      "of Keyhook, for a cookie with that name",
      async () => encode({ token: { sub: "1" }, secret: SECRET, salt: OLD }),
    ],
    [
      "of Keyhook, without a salt",
      async () => encode({ token: { sub: "1" }, secret: SECRET, salt: "" }),
    ],
    [
      "with its own header",
      () =>
        RECORDED.replace(
          /^[^.]+/,
          Buffer.from('{"enc":"A256GCM","alg":"dir"}').toString("base64url"),
        ),
    ],
    ["that is nonsense", () => "junk"],
    ["that is cut in half", () => RECORDED.slice(0, 60)],
  ])("a token %s signs no one in, and its cookie is deleted", async (_, create) => {
    const { browser, look } = moved({ [OLD]: await create() });
    const response = await look();
    expect(response.status).toBe(200);
    expect(await response.json()).toBe(null);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it("a token of next-auth 4 in the cookie of Keyhook is not a session", async () => {
    const { browser, look } = moved({ [OWN]: RECORDED });
    expect(await (await look()).json()).toBe(null);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it.each(["browser", "pending-login", "next-auth-4-ended"])(
    "a token of next-auth 4 has no effect in the cookie keyhook.%s",
    async (name) => {
      const { look, log } = moved({ [`keyhook.${name}`]: RECORDED });
      expect(await (await look()).json()).toBe(null);
      expect(log.errors).toEqual([]);
    },
  );

  it("claims of Keyhook that a client put into a token of next-auth 4 are not trusted", async () => {
    const stated = {
      auth_time: START.getTime() / 1000,
      "keyhook.email_verified": "eve@example.com",
      "keyhook.stored_session": "hybrid.1",
    };
    const { claims, look } = moved({ [OLD]: await sealOld({ sub: "1", name: "Ada", ...stated }) });
    await look();
    expect(Object.keys(await claims()).sort()).toEqual([
      "exp",
      "iat",
      "jti",
      "keyhook.next_auth_4",
      "name",
      "sub",
    ]);
  });

  it("with jwt.bindOrigin or storeNamespace, tokens of next-auth 4 are refused, because they contain neither", async () => {
    for (const config of [{ jwt: { bindOrigin: true } }, { storeNamespace: "acme" }]) {
      const { user } = moved({ [OLD]: RECORDED }, config);
      expect(await user()).toBe(undefined);
    }
  });

  it("a session of next-auth 4 is not fresh", async () => {
    const { auth, browser } = moved({ [OLD]: RECORDED }, { session: { absoluteMaxAge: 90 * DAY } });
    await expect(auth.requireFreshSession(browser.request("/"))).rejects.toMatchObject({
      type: "FreshSessionRequired",
    });
  });
});

describe("nextAuth4: names of the cookie", () => {
  const SECURE = `__Secure-${OLD}`;

  it.each([
    ["https://app.example", SECURE, `__Secure-${OWN}`],
    [ORIGIN, OLD, OWN],
  ])("at %s the cookie %s becomes %s", async (origin, old, own) => {
    const { browser, user } = moved({ [old]: RECORDED }, { origin });
    expect(await user()).toBe("Ada");
    expect([...browser.cookies.keys()]).toEqual([own]);
  });

  it("at https, the cookie without a prefix is not read, because a page of http could have set it", async () => {
    const { user, browser } = moved({ [OLD]: RECORDED }, { origin: "https://app.example" });
    expect(await user()).toBe(undefined);
    expect([...browser.cookies.keys()]).toEqual([OLD]);
  });

  it("cookies.nextAuth4 sets another name and domain, with which the cookie is deleted", async () => {
    const { look } = moved(
      { sid: RECORDED },
      {
        origin: "https://app.example.com",
        cookies: { nextAuth4: { name: "sid", options: { domain: "example.com" } } },
      },
    );
    const response = await look();
    expect(setCookie(response, "sid")).toMatch(/Max-Age=0; Domain=example\.com/);
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
  });

  it.each([
    [ORIGIN, OLD],
    ["https://app.example", SECURE],
  ])(
    "at %s a configuration that keeps the name %s for its own cookie accepts both kinds of tokens",
    async (origin, name) => {
      const { browser, user } = moved(
        { [name]: RECORDED },
        { origin, cookies: { sessionToken: { name } } },
      );
      expect(await user()).toBe("Ada");
      expect([...browser.cookies.keys()]).toEqual([name]);
      const params = { token: browser.cookies.get(name), secret: SECRET, salt: name };
      expect(await decode(params)).toMatchObject({ sub: "1" });
      expect(await user()).toBe("Ada");
      await browser.signOut();
      expect(await user()).toBe(undefined);
    },
  );
});

describe("nextAuth4: precedence of two sessions", () => {
  it("with both cookies, the one of Keyhook takes precedence, and the other is deleted", async () => {
    const { browser, user } = moved({});
    await browser.signInWith("credentials", LOVELACE);
    browser.cookies.set(OLD, await sealOld({ sub: "2", name: "Bob" }));
    expect(await user()).toBe("Ada");
    expect(browser.cookies.has(OLD)).toBe(false);
  });

  it("a sign-in ends the session of next-auth 4 in this browser", async () => {
    const { browser, user } = moved({ [OLD]: await sealOld({ sub: "2", name: "Bob" }) });
    await browser.signInWith("credentials", LOVELACE);
    expect(await user()).toBe("Ada");
    expect(browser.cookies.has(OLD)).toBe(false);
    await browser.signOut();
    expect(await user()).toBe(undefined);
  });

  it("nonsense that a sibling host set under the old name locks no one out", async () => {
    const { auth } = moved({});
    const headers = { cookie: `${OLD}=junk; ${OLD}=${RECORDED}; ${OLD}.0=junk` };
    const session = await auth.getSession(new Request(`${ORIGIN}/`, { headers }));
    expect(session?.user?.name).toBe("Ada");
  });

  it("of two old cookies of different users, neither is used or deleted", async () => {
    const { auth } = moved({});
    const bob = await sealOld({ sub: "2", name: "Bob" });
    const headers = { cookie: `${OLD}=${bob}; ${OLD}=${RECORDED}` };
    const res = { headers: new Headers() };
    const req = new Request(`${ORIGIN}/`, { headers });
    expect(await auth.getSession({ req, res })).toBe(null);
    expect(res.headers.getSetCookie()).toEqual([]);
  });

  it("of two old cookies of one user, the one that was issued first is used", async () => {
    const { auth } = moved({});
    const old = await sealOld({ sub: "1", name: "Ada 1" }, { iat: START.getTime() / 1000 - 60 });
    const headers = { cookie: `${OLD}=${RECORDED}; ${OLD}=${old}` };
    const session = await auth.getSession(new Request(`${ORIGIN}/`, { headers }));
    expect(session?.user?.name).toBe("Ada 1");
  });
});

describe("nextAuth4: one name for both cookies", () => {
  const shared = { cookies: { sessionToken: { name: OLD } } };

  it.each([
    ["junk", "junk"],
    ["an old token under another secret", sealOld(undefined, { secret: "y".repeat(40) })],
  ])("%s that a sibling host set locks no one out", async (_, value) => {
    const { auth } = moved({}, shared);
    const headers = { cookie: `${OLD}=${await value}; ${OLD}=${RECORDED}` };
    const session = await auth.getSession(new Request(`${ORIGIN}/`, { headers }));
    expect(session?.user?.name).toBe("Ada");
  });

  it("a token of Keyhook takes precedence over an old one next to it", async () => {
    const { auth } = moved({}, shared);
    const own = await encode({ token: { sub: "2", name: "Bob" }, secret: SECRET, salt: OLD });
    const headers = { cookie: `${OLD}=${RECORDED}; ${OLD}=${own}` };
    const session = await auth.getSession(new Request(`${ORIGIN}/`, { headers }));
    expect(session?.user?.name).toBe("Bob");
  });
});

describe("nextAuth4: a sign-out is final", () => {
  it("a sign-out with only the old cookie deletes it, and no session is left", async () => {
    const ended: unknown[] = [];
    const { browser, user } = moved(
      { [OLD]: RECORDED },
      { events: { signOut: (message) => void ended.push(message) } },
    );
    await browser.signOut();
    expect(ended).toEqual([{ token: expect.objectContaining({ sub: "1" }) }]);
    expect(browser.cookies.has(OLD)).toBe(false);
    expect(browser.cookies.has(OWN)).toBe(false);
    expect(await user()).toBe(undefined);
  });

  it("a cookie that the browser keeps, such as one of another domain, restores no session", async () => {
    const { browser, user } = moved({ [OLD]: RECORDED });
    expect(await user()).toBe("Ada");
    const csrfToken = await browser.csrfToken();
    browser.cookies.set(OLD, RECORDED);
    await browser.post("/auth/signout", { csrfToken });
    browser.cookies.set(OLD, RECORDED);
    expect(await user()).toBe(undefined);
    // In another process, while the old token is valid.
    const mark = browser.cookies.get(ENDED) ?? "";
    expect(mark).toBe("1");
    pass(29 * DAY);
    expect(await moved({ [OLD]: RECORDED, [ENDED]: mark }).user()).toBe(undefined);
    expect(await moved({ [OLD]: RECORDED }).user()).toBe("Ada");
  });

  it("a user who has signed out can sign in again, even if the browser keeps the old cookie", async () => {
    const { browser, user } = moved({ [OLD]: await sealOld({ sub: "2", name: "Bob" }) });
    await browser.signOut();
    browser.cookies.set(OLD, RECORDED);
    await browser.signInWith("credentials", LOVELACE);
    browser.cookies.set(OLD, RECORDED);
    expect(await user()).toBe("Ada");
  });

  it("a browser that has not signed out has no marker cookie", async () => {
    const { browser, user } = moved({ [OLD]: RECORDED });
    await user();
    await browser.signOut();
    expect(browser.cookies.has(ENDED)).toBe(false);
  });

  it("a request in progress at the sign-out does not restore the session", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = true;
    const { browser, auth } = moved(
      { [OLD]: RECORDED },
      {
        callbacks: {
          async session({ session }) {
            if (isHeld) {
              isHeld = false;
              await held;
            }
            return session;
          },
        },
      },
    );
    const slow = auth.fetch(browser.request("/auth/session"));
    // The session callback of that request now waits.
    await vi.waitFor(() => expect(isHeld).toBe(false));
    await browser.signOut();
    release();
    const response = await slow;
    expect(await response.json()).toBe(null);
    expect(setCookie(response, OWN)).toMatch(/Max-Age=0/);
  });

  it("a jwt callback that ends sessions also ends those of next-auth 4", async () => {
    const jwt = ({ token, user }: JWTParams & { token: JWT }) => (user ? token : null);
    const { browser, user } = moved({ [OLD]: RECORDED }, { callbacks: { jwt } });
    expect(await user()).toBe(undefined);
    expect([...browser.cookies.keys()]).toEqual([]);
  });
});

describe("nextAuth4: stored sessions", () => {
  const options = (): TestAuthOptions => ({
    preset: standardPreset,
    store: memoryBackend(),
    strategy: "database",
  });

  async function stored(more: TestAuthOptions = {}) {
    const app = moved({}, { ...options(), ...more });
    const user = await app.adapter.createUser?.({
      id: "u1",
      name: "Ada",
      email: "ada@example.com",
      emailVerified: null,
    });
    const create = async (sessionToken: string, seconds = 30 * DAY) =>
      app.adapter.createSession?.({
        sessionToken,
        userId: user?.id ?? "",
        expires: new Date(Date.now() + seconds * 1000),
      });
    return { ...app, create };
  }
  const TOKEN = "f1a5c2f0-33c1-4c2e-8d55-7a6f4c7e9a10";

  it("a stored session moves with its token, and stays the same row", async () => {
    const { browser, create, user, adapter } = await stored();
    await create(TOKEN);
    browser.cookies.set(OLD, TOKEN);
    expect(await user()).toBe("Ada");
    expect([...browser.cookies]).toEqual([[OWN, TOKEN]]);
    expect(await user()).toBe("Ada");
    await browser.signOut();
    expect(await adapter.getSessionAndUser?.(TOKEN)).toBe(null);
    browser.cookies.set(OLD, TOKEN);
    expect(await user()).toBe(undefined);
  });

  it.each<[string, string]>([
    ["unknown token", "00000000-0000-4000-8000-000000000000"],
    ["token of next-auth 4 that is sealed", RECORDED],
    ["text that is not a token", "é"],
  ])("an %s is not a stored session, and its cookie is deleted", async (_, token) => {
    const { browser, user } = await stored();
    browser.cookies.set(OLD, encodeURIComponent(token));
    expect(await user()).toBe(undefined);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it("a stored session that has expired is removed as before", async () => {
    const { browser, create, user, adapter } = await stored();
    await create(TOKEN, 10);
    pass(20);
    browser.cookies.set(OLD, TOKEN);
    expect(await user()).toBe(undefined);
    expect(await adapter.getSessionAndUser?.(TOKEN)).toBe(null);
  });

  it("of several old cookies, the one with a stored session is used", async () => {
    const { auth, create } = await stored();
    await create(TOKEN);
    const other = "00000000-0000-4000-8000-000000000000";
    const headers = { cookie: `${OLD}=${other}; ${OLD}=${TOKEN}` };
    const session = await auth.getSession(new Request(`${ORIGIN}/`, { headers }));
    expect(session?.user?.name).toBe("Ada");
  });

  it("while the adapter fails, the request fails, and the user is not signed out", async () => {
    let fails = false;
    const { browser, create, look, log } = await stored({
      record: true,
      gate: () => {
        if (fails) throw new Error("the database is down");
      },
    });
    await create(TOKEN);
    browser.cookies.set(OLD, TOKEN);
    fails = true;
    expect((await look()).status).toBe(503);
    log.expectErrors("AdapterError");
    fails = false;
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("nextAuth4: other strategies", () => {
  it("with hybrid sessions, boot reports that no session of next-auth 4 would be accepted", () => {
    const app = moved(
      {},
      {
        preset: standardPreset,
        store: memoryBackend(),
        strategy: "hybrid",
        use: [hybridStrategy()],
      },
    );
    expect(listBootFaults(app)).toEqual([
      expect.stringMatching(/nextAuth4\(\) is used with `session\.strategy` "hybrid".* remove/),
    ]);
  });
});

describe("nextAuth4: the client of next-auth 4", () => {
  const send = async (path: string, fields: Record<string, string>) => {
    const app = moved({ [OLD]: RECORDED });
    const csrfToken = await app.browser.csrfToken();
    return { ...app, response: await app.browser.post(path, { csrfToken, ...fields }) };
  };

  it("a sign-out with the field json returns the URL as JSON", async () => {
    const { response, user } = await send("/auth/signout", { json: "true", callbackUrl: "/bye" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: `${ORIGIN}/bye` });
    expect(await user()).toBe(undefined);
  });

  it.each([
    ["lovelace", 200, `${ORIGIN}/in`],
    ["wrong", 401, expect.stringContaining("error=CredentialsSignin")],
  ])(
    "a sign-in with the password %s and the field json has status %i",
    async (password, status, url) => {
      const fields = { username: "ada", password, callbackUrl: "/in", json: "true" };
      const { response, log } = await send("/auth/callback/credentials", fields);
      log.errors.splice(0);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ url });
      expect(response.headers.get("location")).toBe(null);
      expect(response.headers.get("cache-control")).toContain("no-store");
    },
  );

  it("a form without the field is redirected", async () => {
    const { response } = await send("/auth/signout", { callbackUrl: "/bye" });
    expect(response.status).toBe(302);
  });

  it("a post without a CSRF token is refused despite the field json", async () => {
    const { browser, log } = moved({ [OLD]: RECORDED });
    const response = await browser.post("/auth/signout", { json: "true" });
    log.expectErrors("MissingCSRF");
    expect(response.status).not.toBe(200);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});
