import { describe, expect, it } from "vitest";
import { newCsrfCookie, readCsrfCookie } from "../../src/csrf.ts";
import { createHouse, ORIGIN, queryOf, SECRET, setCookie, setCookieNames } from "../_setup.ts";

const TOKEN = "a".repeat(64);
const OTHER = "another-secret-0123456789abcdefghij";
// BEHAVIOUR.md section 21: made by Auth.js.
const LEGACY = "4fd4ffdb5aaa9226007ea69151ed287d5394a30f21d17af4126b9bba49fdf986";
const LEGACY_ARRAY = "263b7ba6c5ec3f1761a353af80545680dd6a5a9c1ffbdeb33dc7a6579ffe0c34";

describe("the cookie", () => {
  it("is a token of 64 hex characters and its signature", async () => {
    const { token, cookie } = await newCsrfCookie([SECRET]);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(cookie).toMatch(new RegExp(`^${token}\\|[0-9a-f]{64}$`));
    expect(await readCsrfCookie(cookie, [SECRET])).toBe(token);
  });

  it("is never the same twice", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => newCsrfCookie([SECRET])));
    expect(new Set(made.map(({ token }) => token)).size).toBe(50);
  });

  it("is signed by the first secret and read by any (F23)", async () => {
    const { token, cookie } = await newCsrfCookie([OTHER, SECRET]);
    expect(await readCsrfCookie(cookie, [OTHER])).toBe(token);
    expect(await readCsrfCookie(cookie, [SECRET])).toBeUndefined();
    expect(await readCsrfCookie(cookie, ["newest-secret", OTHER])).toBe(token);
  });

  it("of Auth.js is still good, of a secret and of several", async () => {
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
  ])("is not %j", async (cookie) => {
    expect(await readCsrfCookie(cookie, [SECRET])).toBeUndefined();
  });
});

describe("GET /csrf", () => {
  it("answers the token of the cookie it sets", async () => {
    const { browser } = createHouse();
    const response = await browser.get("/auth/csrf");
    const { csrfToken } = (await response.json()) as { csrfToken: string };
    expect(setCookie(response, "authjs.csrf-token")).toMatch(
      new RegExp(`^authjs.csrf-token=${csrfToken}%7C[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax$`),
    );
    expect(response.headers.get("cache-control")).toBe("private, no-cache, no-store");
  });

  it("keeps a good cookie, and replaces a bad one", async () => {
    const { browser } = createHouse();
    const token = await browser.csrfToken();
    const again = await browser.get("/auth/csrf");
    expect(await again.json()).toEqual({ csrfToken: token });
    expect(setCookieNames(again)).toEqual([]);
    browser.cookies.set("authjs.csrf-token", `${TOKEN}%7C${"0".repeat(64)}`);
    expect(await browser.csrfToken()).not.toBe(TOKEN);
  });
});

describe("a POST", () => {
  const refused = async (init: RequestInit, csrfToken?: string) => {
    const { browser, log } = createHouse();
    const own = await browser.csrfToken();
    const response = await browser.post("/auth/signout", { csrfToken: csrfToken ?? own }, init);
    const isRefused = queryOf(response).error === "MissingCSRF";
    if (isRefused) log.expectErrors("MissingCSRF");
    return isRefused;
  };

  it("passes with this browser's token", async () => {
    expect(await refused({})).toBe(false);
  });

  it.each(["", TOKEN, "undefined", "null"])("does not pass with the token %j", async (token) => {
    expect(await refused({}, token)).toBe(true);
  });

  it("does not pass with another browser's token", async () => {
    const { browser, visit, log } = createHouse();
    const foreign = await visit().csrfToken();
    await browser.csrfToken();
    const response = await browser.post("/auth/signout", { csrfToken: foreign });
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });

  it("does not pass without the cookie", async () => {
    const { browser, log } = createHouse();
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
  ])("of the origin %s is refused: %j", async (origin, expected) => {
    expect(await refused({ headers: { origin } })).toBe(expected);
  });

  it.each([
    ["cross-site", true],
    ["same-site", true],
    ["same-origin", false],
    ["none", false],
  ])("without an origin, fetched %s, is refused: %j", async (site, expected) => {
    expect(await refused({ headers: { origin: "null", "sec-fetch-site": site } })).toBe(expected);
  });

  it("may send its token as JSON", async () => {
    const { browser } = createHouse();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/signout", undefined, {
      body: JSON.stringify({ csrfToken }),
      headers: { "content-type": "application/json" },
    });
    expect(queryOf(response)).toEqual({});
    expect(response.status).toBe(302);
  });

  it.each([[[TOKEN]], [{ toString: 1 }], [1], [null], [true]])(
    "does not pass with a token of another type, such as %j",
    async (csrfToken) => {
      const { browser, log } = createHouse();
      await browser.csrfToken();
      const response = await browser.post("/auth/signout", undefined, {
        body: JSON.stringify({ csrfToken }),
        headers: { "content-type": "application/json" },
      });
      expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
      log.expectErrors("MissingCSRF");
    },
  );

  it("does not take the token from the query", async () => {
    const { browser, log } = createHouse();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post(`/auth/signout?csrfToken=${csrfToken}`);
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });
});
