import { describe, expect, it } from "vitest";
import { createTestAuth, LOVELACE, ORIGIN, setCookieNames } from "../_app.ts";

const PRIVATE = "private, no-cache, no-store";

describe("GET /session", () => {
  it("GET /session returns JSON null with status 200 without a session", async () => {
    const { browser } = createTestAuth();
    const response = await browser.get("/auth/session");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe("null");
  });

  it("GET /session returns the session with headers that forbid caching (R10)", async () => {
    const { browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.get("/auth/session");
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
    expect(response.headers.get("cache-control")).toBe(PRIVATE);
    expect(response.headers.get("expires")).toBe("0");
    expect(response.headers.get("pragma")).toBe("no-cache");
    expect(setCookieNames(response)).toEqual([]);
  });
});

describe("POST /session", () => {
  it("POST /session returns the updated session", async () => {
    const { browser } = createTestAuth({
      callbacks: { jwt: ({ token, session }) => ({ ...token, ...(session as object) }) },
    });
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.send("/auth/session", { json: { data: { name: "Countess" } } });
    expect(await response.json()).toMatchObject({ user: { name: "Countess" } });
    expect(response.headers.get("cache-control")).toBe(PRIVATE);
  });

  it("POST /session without a token responds with the error, as JSON that is not 2xx", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.post("/auth/session", undefined, {
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    // The client of Auth.js returns null for a response that is not 2xx.
    expect(response.status).toBe(403);
    const [error] = log.expectErrors("MissingCSRF");
    expect(await response.json()).toEqual({
      error: "MissingCSRF",
      message: "The CSRF token is missing, or belongs to another browser.",
      id: (error as unknown as { id: string }).id,
    });
  });

  it.each([
    ["malformed JSON", "{"],
    ["a body that is not an object", "[]"],
  ])(
    "POST /session with %s responds with 400 and BadRequest, without an error in the log",
    async (_, body) => {
      const { browser } = createTestAuth();
      const response = await browser.post("/auth/session", undefined, {
        body,
        headers: { "content-type": "application/json" },
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: "BadRequest",
        message: "The request could not be understood.",
      });
    },
  );
});

describe("GET /providers", () => {
  it("GET /providers lists, in order, what a custom sign-in page needs, and sets no cookie", async () => {
    const { browser } = createTestAuth();
    const response = await browser.get("/auth/providers");
    expect(await response.json()).toEqual({
      credentials: {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        signinUrl: `${ORIGIN}/auth/signin/credentials`,
        callbackUrl: `${ORIGIN}/auth/callback/credentials`,
        direct: true,
      },
    });
    expect(setCookieNames(response)).toEqual([]);
  });
});

describe("POST /signout", () => {
  it("POST /signout without a session redirects and sets no cookie", async () => {
    const { browser } = createTestAuth();
    const response = await browser.signOut();
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(setCookieNames(response)).toEqual([]);
  });

  it("POST /signout redirects to the form's callbackUrl, on the own origin only", async () => {
    const { browser } = createTestAuth();
    for (const [callbackUrl, expected] of [
      ["/bye", `${ORIGIN}/bye`],
      ["https://evil.example", `${ORIGIN}/`],
    ] as const) {
      const csrfToken = await browser.csrfToken();
      const response = await browser.post("/auth/signout", { csrfToken, callbackUrl });
      expect(response.headers.get("location")).toBe(expected);
    }
  });

  it("a sign-out form that was open while another tab signed out redirects to its target", async () => {
    const { browser, log } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const csrfToken = await browser.csrfToken();
    await browser.signOut();
    await browser.signInWith("credentials", LOVELACE);
    const refused = await browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" });
    const page = refused.headers.get("location") ?? "";
    expect(page).toBe(`${ORIGIN}/auth/signout?error=MissingCSRF`);
    log.expectErrors("MissingCSRF");
    expect((await browser.get(page)).status).toBe(200);
    await browser.signOut();
    expect((await browser.get(page)).headers.get("location")).toBe(`${ORIGIN}/`);
  });

  it("GET /signout does not end the session, so that an image URL cannot sign a user out", async () => {
    const { browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    await browser.get("/auth/signout");
    expect(await browser.session()).not.toBeNull();
  });
});
