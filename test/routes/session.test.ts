import { describe, expect, it } from "vitest";
import { createHouse, LOVELACE, ORIGIN, setCookieNames } from "../_setup.ts";

const PRIVATE = "private, no-cache, no-store";

describe("GET /session", () => {
  it("answers JSON null for nobody: never 401, never {}", async () => {
    const { browser } = createHouse();
    const response = await browser.get("/auth/session");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe("null");
  });

  it("answers the session, kept by nobody on the way (R10)", async () => {
    const { browser } = createHouse();
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
  it("answers the changed session", async () => {
    const { browser } = createHouse({
      callbacks: { jwt: ({ token, session }) => ({ ...token, ...(session as object) }) },
    });
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.post("/auth/session", undefined, {
      body: JSON.stringify({ csrfToken: await browser.csrfToken(), data: { name: "Countess" } }),
      headers: { "content-type": "application/json" },
    });
    expect(await response.json()).toMatchObject({ user: { name: "Countess" } });
    expect(response.headers.get("cache-control")).toBe(PRIVATE);
  });

  it.each([
    ["without a token", "{}"],
    ["with a broken body", "{"],
    ["with a body that is no object", "[]"],
  ])("%s is refused by 400 null, as clients of Auth.js expect", async (_, body) => {
    const { browser, log } = createHouse();
    const response = await browser.post("/auth/session", undefined, {
      body,
      headers: { "content-type": "application/json" },
    });
    expect([response.status, await response.text()]).toEqual([400, "null"]);
    expect(log.errors.splice(0)).toHaveLength(1);
  });
});

describe("GET /providers", () => {
  it("lists what a page of one's own needs, in order, and sets nothing", async () => {
    const { browser } = createHouse();
    const response = await browser.get("/auth/providers");
    expect(await response.json()).toEqual({
      credentials: {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        signinUrl: `${ORIGIN}/auth/signin/credentials`,
        callbackUrl: `${ORIGIN}/auth/callback/credentials`,
      },
    });
    expect(setCookieNames(response)).toEqual([]);
  });
});

describe("POST /signout", () => {
  it("leads on where nobody is signed in, and sets nothing else", async () => {
    const { browser } = createHouse();
    const response = await browser.signOut();
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(setCookieNames(response)).toEqual([]);
  });

  it("leads where the form says, on the own origin", async () => {
    const { browser } = createHouse();
    for (const [callbackUrl, expected] of [
      ["/bye", `${ORIGIN}/bye`],
      ["https://evil.example", `${ORIGIN}/`],
    ] as const) {
      const csrfToken = await browser.csrfToken();
      const response = await browser.post("/auth/signout", { csrfToken, callbackUrl });
      expect(response.headers.get("location")).toBe(expected);
    }
  });

  it("is not to be had by GET: a picture's address signs nobody out", async () => {
    const { browser } = createHouse();
    await browser.signInWith("credentials", LOVELACE);
    await browser.get("/auth/signout");
    expect(await browser.session()).not.toBeNull();
  });
});
