import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { skipCSRFCheck, standardPreset } from "../../presets/index.ts";
import { createCsrfCookies } from "../../src/request/csrf.ts";
import {
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  queryOf,
  SECRET,
  setCookie,
  setCookieNames,
  type TestAuth,
} from "../_app.ts";

const TOKEN = "a".repeat(64);
const OTHER = "another-secret-0123456789abcdefghij";
// Created by Auth.js 5.
const LEGACY = "4fd4ffdb5aaa9226007ea69151ed287d5394a30f21d17af4126b9bba49fdf986";
const LEGACY_ARRAY = "263b7ba6c5ec3f1761a353af80545680dd6a5a9c1ffbdeb33dc7a6579ffe0c34";

// The server of such a page forwards the browser's cookies to `GET /csrf`, or reads the cookie. Cookies that the
// response sets are lost there. The examples of Auth.js work like this.
describe("a form that the application's own server renders", () => {
  const createApp = () =>
    createTestAuth({ preset: standardPreset, pages: { signIn: "/login", signOut: "/bye" } });
  const render = async ({ auth, browser }: Pick<TestAuth, "auth" | "browser">) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/csrf`, { headers: { cookie } }));
    return ((await response.json()) as { csrfToken: string }).csrfToken;
  };
  const signIn = async (app: Pick<TestAuth, "auth" | "browser">) => {
    const fields = { ...LOVELACE, csrfToken: await render(app) };
    return queryOf(await app.browser.post("/auth/callback/credentials", fields)).error;
  };

  it("contains the token of a browser that /signin redirected to the page", async () => {
    const app = createApp();
    await app.browser.get("/auth/signin");
    expect(await signIn(app)).toBeUndefined();
  });

  it("contains the token of a browser that /signout redirected to the page", async () => {
    const app = createApp();
    await app.browser.get("/auth/signout");
    const csrfToken = await render(app);
    expect(queryOf(await app.browser.post("/auth/signout", { csrfToken })).error).toBeUndefined();
  });

  it("contains the token of a browser that was refused once", async () => {
    const app = createApp();
    expect(await signIn(app)).toBe("MissingCSRF");
    expect(await signIn(app)).toBeUndefined();
    app.log.expectErrors("MissingCSRF");
  });

  it("gets no cookie from a post of another site", async () => {
    const app = createApp();
    const headers = { origin: "https://evil.example" };
    const response = await app.browser.post("/auth/callback/credentials", LOVELACE, { headers });
    expect(setCookieNames(response)).toEqual([]);
    app.log.expectErrors("MissingCSRF");
  });
});

describe("the CSRF cookie", () => {
  it("the CSRF cookie holds a token of 64 hex characters and its signature", async () => {
    const { token, cookie } = await createCsrfCookies([SECRET]).create();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(cookie).toMatch(new RegExp(`^${token}\\|[0-9a-f]{64}$`));
    expect(await createCsrfCookies([SECRET]).read(cookie)).toEqual({ token, isLegacy: false });
  });

  it("createCsrfCookies().create() creates a different token each time", async () => {
    const made = await Promise.all(
      Array.from({ length: 50 }, () => createCsrfCookies([SECRET]).create()),
    );
    expect(new Set(made.map(({ token }) => token)).size).toBe(50);
  });

  it("createCsrfCookies().create() makes every part of a token random", async () => {
    const made = await Promise.all(
      Array.from({ length: 1000 }, () => createCsrfCookies([SECRET]).create()),
    );
    const tokens = made.map(({ token }) => token);
    for (const from of [0, 8, 16, 24, 32, 40, 48, 56]) {
      const parts = tokens.map((token) => token.slice(from, from + 8));
      // Of 1000 parts of 32 random bits, two are equal once in 8600 runs, and four practically never.
      expect(new Set(parts).size).toBeGreaterThan(997);
    }
    for (const token of tokens) expect(token).not.toMatch(/^(.{1,32})\1+$/);
  });

  it("the CSRF cookie is signed with the first secret and verified with any (F23)", async () => {
    const { token, cookie } = await createCsrfCookies([OTHER, SECRET]).create();
    expect(await createCsrfCookies([OTHER]).read(cookie)).toEqual({ token, isLegacy: false });
    expect(await createCsrfCookies([SECRET]).read(cookie)).toBeUndefined();
    expect(await createCsrfCookies(["newest-secret", OTHER]).read(cookie)).toEqual({
      token,
      isLegacy: false,
    });
  });

  it("the CSRF cookie is signed with a hash that signs nothing else (R3)", async () => {
    const hmac = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");
    expect(
      await createCsrfCookies([SECRET]).read(`${TOKEN}|${hmac(`keyhook csrf ${TOKEN}`)}`),
    ).toEqual({
      token: TOKEN,
      isLegacy: false,
    });
    expect(await createCsrfCookies([SECRET]).read(`${TOKEN}|${hmac(TOKEN)}`)).toBeUndefined();
  });

  it("createCsrfCookies().read() accepts the cookie of Auth.js, with one secret and with several", async () => {
    const legacy = { token: TOKEN, isLegacy: true };
    expect(await createCsrfCookies([SECRET]).read(`${TOKEN}|${LEGACY}`)).toEqual(legacy);
    expect(await createCsrfCookies([OTHER, SECRET]).read(`${TOKEN}|${LEGACY}`)).toEqual(legacy);
    expect(await createCsrfCookies(["x", SECRET]).read(`${TOKEN}|${LEGACY_ARRAY}`)).toEqual(legacy);
  });

  it.each([
    "",
    "|",
    TOKEN,
    `${TOKEN}|`,
    `${TOKEN}|${"0".repeat(64)}`,
    `${TOKEN}|${LEGACY}|x`,
    `${TOKEN}|${LEGACY.toUpperCase()}`,
    `${TOKEN.slice(1)}|${LEGACY}`,
    `${"b".repeat(64)}|${LEGACY}`,
    `${TOKEN} |${LEGACY}`,
    `|${LEGACY}`,
  ])("createCsrfCookies().read() rejects %j", async (cookie) => {
    expect(await createCsrfCookies([SECRET]).read(cookie)).toBeUndefined();
  });
});

describe("GET /csrf", () => {
  it("GET /csrf returns the token of the cookie that it sets", async () => {
    const { browser } = createTestAuth();
    const response = await browser.get("/auth/csrf");
    const { csrfToken } = (await response.json()) as { csrfToken: string };
    expect(setCookie(response, "authjs.csrf-token")).toMatch(
      new RegExp(`^authjs.csrf-token=${csrfToken}%7C[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax$`),
    );
    expect(response.headers.get("cache-control")).toBe("private, no-cache, no-store");
  });

  it("GET /csrf keeps a valid cookie and replaces an invalid one", async () => {
    const { browser } = createTestAuth();
    const token = await browser.csrfToken();
    const again = await browser.get("/auth/csrf");
    expect(await again.json()).toEqual({ csrfToken: token });
    expect(setCookieNames(again)).toEqual([]);
    browser.cookies.set("authjs.csrf-token", `${TOKEN}%7C${"0".repeat(64)}`);
    expect(await browser.csrfToken()).not.toBe(TOKEN);
  });
});

describe("auth.verifyCsrfToken() for a post to the application's own code", () => {
  const post = ({ browser }: Pick<TestAuth, "browser">, headers: Record<string, string> = {}) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return new Request(`${ORIGIN}/profile`, {
      method: "POST",
      headers: { origin: ORIGIN, cookie, ...headers },
    });
  };

  it("accepts the browser's token, as a field or in the header, even of a signed-in user", async () => {
    const app = createTestAuth({ providers: [credentials()] });
    for (const _ of ["stranger", "user"]) {
      const token = await app.browser.csrfToken();
      await expect(app.auth.verifyCsrfToken(post(app), token)).resolves.toBeUndefined();
      const headers = { "x-csrf-token": token };
      await expect(app.auth.verifyCsrfToken(post(app, headers))).resolves.toBeUndefined();
      await app.browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken: token });
    }
  });

  it.each([undefined, null, "", "undefined", TOKEN, 7, {}])(
    "rejects with MissingCSRF for the token %j",
    async (token) => {
      const app = createTestAuth();
      await app.browser.csrfToken();
      await expect(app.auth.verifyCsrfToken(post(app), token)).rejects.toMatchObject({
        type: "MissingCSRF",
        status: 403,
      });
    },
  );

  it("rejects the token of another browser, of an earlier session, and of a post from another origin", async () => {
    const app = createTestAuth({ providers: [credentials()] });
    const foreign = await app.openBrowser().csrfToken();
    const before = await app.browser.csrfToken();
    await app.browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken: before });
    const own = await app.browser.csrfToken();
    for (const token of [foreign, before]) {
      await expect(app.auth.verifyCsrfToken(post(app), token)).rejects.toThrow(
        "not of this session",
      );
    }
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      await expect(app.auth.verifyCsrfToken(post(app, headers), own)).rejects.toThrow(
        `, not from ${ORIGIN}.`,
      );
    }
    await expect(app.auth.verifyCsrfToken(post(app), own)).resolves.toBeUndefined();
  });

  it("the response to a refused post sets the cookie of the next form", async () => {
    const { auth } = createTestAuth();
    const event = {
      req: new Request(`${ORIGIN}/profile`, { method: "POST" }),
      res: new Response(),
    };
    await expect(auth.verifyCsrfToken(event, TOKEN)).rejects.toMatchObject({ type: "MissingCSRF" });
    expect(setCookieNames(event.res)).toEqual(["authjs.csrf-token"]);
    expect(event.res.headers.get("cache-control")).toContain("no-store");
  });

  it("accepts every post if CSRF protection is off", async () => {
    const { auth } = createTestAuth({ skipCSRFCheck });
    const request = new Request(`${ORIGIN}/profile`, { method: "POST" });
    await expect(auth.verifyCsrfToken(request)).resolves.toBeUndefined();
  });
});

describe("CSRF protection of POST requests", () => {
  const refused = async (init: RequestInit, csrfToken?: string) => {
    const { browser, log } = createTestAuth();
    const own = await browser.csrfToken();
    const response = await browser.post("/auth/signout", { csrfToken: csrfToken ?? own }, init);
    const isRefused = queryOf(response).error === "MissingCSRF";
    if (isRefused) log.expectErrors("MissingCSRF");
    return isRefused;
  };

  it("accepts a POST with the token of this browser", async () => {
    expect(await refused({})).toBe(false);
  });

  it.each(["", TOKEN, "undefined", "null"])("rejects a POST with the token %j", async (token) => {
    expect(await refused({}, token)).toBe(true);
  });

  it("rejects a POST with the token of another browser", async () => {
    const { browser, openBrowser, log } = createTestAuth();
    const foreign = await openBrowser().csrfToken();
    await browser.csrfToken();
    const response = await browser.post("/auth/signout", { csrfToken: foreign });
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });

  it("rejects a POST without the CSRF cookie", async () => {
    const { browser, log } = createTestAuth();
    const csrfToken = await browser.csrfToken();
    browser.cookies.clear();
    const response = await browser.post("/auth/signout", { csrfToken });
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });

  it.each([
    ["https://evil.example", true],
    ["http://localhost:3001", true],
    ["https://localhost:3000", true],
    ["http://localhost:3000.evil.example", true],
    [ORIGIN, false],
    ["null", false],
  ])("a POST with Origin %s is rejected: %j", async (origin, expected) => {
    expect(await refused({ headers: { origin } })).toBe(expected);
  });

  it.each([
    ["cross-site", true],
    ["same-site", true],
    ["same-origin", false],
    ["none", false],
  ])("a POST with Origin null and Sec-Fetch-Site %s is rejected: %j", async (site, expected) => {
    expect(await refused({ headers: { origin: "null", "sec-fetch-site": site } })).toBe(expected);
  });

  it("rejects a POST that the browser calls cross-site, whatever its Origin", async () => {
    expect(await refused({ headers: { origin: ORIGIN, "sec-fetch-site": "cross-site" } })).toBe(
      true,
    );
  });

  it.each([
    [{ origin: "http://localhost:5173" }, "http://localhost:5173"],
    [{ origin: `https://${"a.".repeat(200)}example` }, `https://${"a.".repeat(46)}`],
    [{ origin: "no origin" }, "another site"],
    [{ origin: ORIGIN, "sec-fetch-site": "cross-site" }, "another site"],
  ])("the error of a POST from %j names its origin: %s", async (headers, named) => {
    const { browser, log } = createTestAuth();
    const init = { headers: headers as Record<string, string> };
    await browser.post("/auth/signout", { csrfToken: await browser.csrfToken() }, init);
    const [error] = log.expectErrors("MissingCSRF");
    expect(error?.message).toContain(`comes from ${named}, not from ${ORIGIN}. `);
    expect(error?.message).toContain("changeOrigin");
  });

  it("accepts a POST that sends its token as JSON", async () => {
    const { browser } = createTestAuth();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/signout", undefined, {
      body: JSON.stringify({ csrfToken }),
      headers: { "content-type": "application/json" },
    });
    expect(queryOf(response)).toEqual({});
    expect(response.status).toBe(302);
  });

  it.each([[[TOKEN]], [{ toString: 1 }], [1], [null], [true]])(
    "rejects a POST with a token that is not a string, such as %j",
    async (csrfToken) => {
      const { browser, log } = createTestAuth();
      await browser.csrfToken();
      const response = await browser.post("/auth/signout", undefined, {
        body: JSON.stringify({ csrfToken }),
        headers: { "content-type": "application/json" },
      });
      expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
      log.expectErrors("MissingCSRF");
    },
  );

  it("rejects a POST whose token is in the query", async () => {
    const { browser, log } = createTestAuth();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post(`/auth/signout?csrfToken=${csrfToken}`);
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });
});

describe("the CSRF token of a session", () => {
  const attempt = (
    { auth }: Pick<TestAuth, "auth">,
    cookies: Record<string, string | undefined>,
    csrfToken: string,
    path = "/auth/session",
  ) => {
    const cookie = Object.entries(cookies).map((pair) => pair.join("="));
    const headers = { cookie: cookie.join("; "), origin: ORIGIN };
    const body = new URLSearchParams({ csrfToken });
    return auth.fetch(new Request(ORIGIN + path, { method: "POST", headers, body }));
  };
  const CSRF = "authjs.csrf-token";
  const SESSION = "authjs.session-token";

  describe.each(["jwt", "database", "hybrid"] as const)("%s", (strategy) => {
    const createApp = () =>
      createTestAuth({
        strategy,
        preset: standardPreset,
        errors: "allowed",
        providers: [
          credentials({
            authorize: ({ username }) => ({ id: `${username}`, name: `${username}` }),
          }),
        ],
        ...(strategy !== "jwt" && { store: memoryBackend() }),
      });

    it("changes at a sign-in and at a sign-out, in the same response", async () => {
      const { browser } = createApp();
      const seen = new Set([await browser.csrfToken()]);
      const entered = await browser.signInWith("credentials", LOVELACE);
      expect(setCookieNames(entered)).toContain(CSRF);
      seen.add(await browser.csrfToken());
      seen.add(await browser.csrfToken());
      const left = await browser.signOut();
      expect(setCookieNames(left)).toContain(CSRF);
      seen.add(await browser.csrfToken());
      expect(seen.size).toBe(3);
    });

    it("is refused if it is from before the sign-in, of another session or of no session", async () => {
      const app = createApp();
      const { browser } = app;
      const before = await browser.csrfToken();
      const planted = browser.cookies.get(CSRF);
      await browser.signInWith("credentials", LOVELACE);
      const session = browser.cookies.get(SESSION);
      const mallory = app.openBrowser();
      const strange = await mallory.csrfToken();
      const strangeCookie = mallory.cookies.get(CSRF);
      await mallory.signInWith("credentials", { username: "mallory", password: "secret" });
      const foreign = await mallory.csrfToken();
      for (const [token, pair] of [
        [before, planted],
        [strange, strangeCookie],
        [foreign, mallory.cookies.get(CSRF)],
      ] as const) {
        const response = await attempt(app, { [SESSION]: session, [CSRF]: pair }, token);
        expect(response.status).toBe(403);
      }
      const own = await browser.csrfToken();
      const pair = browser.cookies.get(CSRF);
      expect((await attempt(app, { [SESSION]: session, [CSRF]: pair }, own)).status).toBe(200);
    });

    it("replaces a planted pair, and then the browser can post", async () => {
      const app = createApp();
      const { browser } = app;
      await browser.signInWith("credentials", LOVELACE);
      const mallory = app.openBrowser();
      const strange = await mallory.csrfToken();
      browser.cookies.set(CSRF, mallory.cookies.get(CSRF) ?? "");
      const own = await browser.csrfToken();
      expect(own).not.toBe(strange);
      const [session, pair] = [SESSION, CSRF].map((name) => browser.cookies.get(name));
      expect((await attempt(app, { [SESSION]: session, [CSRF]: pair }, own)).status).toBe(200);
    });

    it("is accepted next to a planted pair, which is refused", async () => {
      const app = createApp();
      const { browser } = app;
      await browser.signInWith("credentials", LOVELACE);
      const csrfToken = await browser.csrfToken();
      const mallory = app.openBrowser();
      const strange = await mallory.csrfToken();
      const session = `${SESSION}=${browser.cookies.get(SESSION)}`;
      const pairs = [mallory, browser].map((one) => `${CSRF}=${one.cookies.get(CSRF)}`);
      for (const cookies of [pairs, [...pairs].reverse()]) {
        const cookie = [session, ...cookies].join("; ");
        for (const [token, status] of [
          [csrfToken, 200],
          [strange, 403],
        ] as const) {
          const headers = { cookie, origin: ORIGIN };
          const body = new URLSearchParams({ csrfToken: token });
          const request = new Request(`${ORIGIN}/auth/session`, { method: "POST", headers, body });
          expect((await app.auth.fetch(request)).status).toBe(status);
        }
      }
    });

    it("is accepted in a form whose session has ended since", async () => {
      const app = createApp();
      const { browser } = app;
      await browser.signInWith("credentials", LOVELACE);
      const csrfToken = await browser.csrfToken();
      browser.cookies.delete(SESSION);
      const response = await browser.post("/auth/signout", { csrfToken });
      expect(queryOf(response).error).toBeUndefined();
      browser.cookies.set(SESSION, "00000000-0000-0000-0000-000000000000");
      const again = await browser.post("/auth/signout", { csrfToken });
      expect(queryOf(again).error).toBeUndefined();
    });

    it("may be an Auth.js pair for one post, in the session that Auth.js issued", async () => {
      const app = createApp();
      const { browser } = app;
      await browser.signInWith("credentials", LOVELACE);
      browser.cookies.set(CSRF, `${TOKEN}%7C${LEGACY}`);
      // Open forms keep their token.
      expect(await browser.csrfToken()).toBe(TOKEN);
      const update = await browser.post("/auth/session", { csrfToken: TOKEN });
      expect(update.status).toBe(200);
      expect(await browser.session()).not.toBeNull();
      expect(browser.cookies.has(CSRF)).toBe(false);
      expect(await browser.csrfToken()).not.toBe(TOKEN);
      browser.cookies.set(CSRF, `${TOKEN}%7C${LEGACY}`);
      expect((await browser.post("/auth/session", { csrfToken: TOKEN })).status).toBe(403);
    });
  });
});
