import { describe, expect, it } from "vitest";
import { newCsrfCookie, readCsrfCookie } from "../../src/request/csrf.ts";
import { createTestAuth, ORIGIN, queryOf, SECRET, setCookie, setCookieNames } from "../_app.ts";

const TOKEN = "a".repeat(64);
const OTHER = "another-secret-0123456789abcdefghij";
// Created by Auth.js 5.
const LEGACY = "4fd4ffdb5aaa9226007ea69151ed287d5394a30f21d17af4126b9bba49fdf986";
const LEGACY_ARRAY = "263b7ba6c5ec3f1761a353af80545680dd6a5a9c1ffbdeb33dc7a6579ffe0c34";

describe("the CSRF cookie", () => {
  it("the CSRF cookie holds a token of 64 hex characters and its signature", async () => {
    const { token, cookie } = await newCsrfCookie([SECRET]);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(cookie).toMatch(new RegExp(`^${token}\\|[0-9a-f]{64}$`));
    expect(await readCsrfCookie(cookie, [SECRET])).toBe(token);
  });

  it("newCsrfCookie() creates a different token each time", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => newCsrfCookie([SECRET])));
    expect(new Set(made.map(({ token }) => token)).size).toBe(50);
  });

  it("the CSRF cookie is signed with the first secret and verified with any (F23)", async () => {
    const { token, cookie } = await newCsrfCookie([OTHER, SECRET]);
    expect(await readCsrfCookie(cookie, [OTHER])).toBe(token);
    expect(await readCsrfCookie(cookie, [SECRET])).toBeUndefined();
    expect(await readCsrfCookie(cookie, ["newest-secret", OTHER])).toBe(token);
  });

  it("readCsrfCookie() accepts the cookie of Auth.js, of one secret and of several", async () => {
    expect(await readCsrfCookie(`${TOKEN}|${LEGACY}`, [SECRET])).toBe(TOKEN);
    expect(await readCsrfCookie(`${TOKEN}|${LEGACY}`, [OTHER, SECRET])).toBe(TOKEN);
    expect(await readCsrfCookie(`${TOKEN}|${LEGACY_ARRAY}`, ["x", SECRET])).toBe(TOKEN);
  });

  it.each([
    undefined,
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
  ])("readCsrfCookie() rejects %j", async (cookie) => {
    expect(await readCsrfCookie(cookie, [SECRET])).toBeUndefined();
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
