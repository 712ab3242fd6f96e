import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { decode } from "../../src/jwt/jwt.ts";
import type { AuthConfig, JWT } from "../../src/kernel.ts";
import { createTestAuth, LOVELACE, ORIGIN, SECRET, setCookie, setCookieNames } from "../_app.ts";

const NAME = "authjs.session-token";
const START = Date.parse("2026-06-01T12:00:00.000Z");
const DAY = 86_400;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

const after = (seconds: number) => vi.setSystemTime(START + seconds * 1000);
const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

async function signedIn(config: AuthConfig = {}) {
  const app = createTestAuth(config);
  const response = await app.browser.signInWith("credentials", LOVELACE);
  const expires = async () => (await app.browser.session<{ expires: string }>())?.expires ?? "none";
  return { ...app, response, expires };
}

describe("SPEC Session", () => {
  it("Session expires: text, ISO 8601 in UTC with milliseconds", async () => {
    const { expires } = await signedIn();
    expect(await expires()).toBe("2026-07-01T12:00:00.000Z");
  });

  it("Session has only name, email and image of the token and `expires` by default", async () => {
    const { browser } = await signedIn({ callbacks: { jwt: ({ token }) => ({ ...token, x: 1 }) } });
    expect(await browser.session()).toEqual({
      user: { name: "Ada", email: "ada@example.com", image: null },
      expires: "2026-07-01T12:00:00.000Z",
    });
  });
});

describe("SPEC States and transitions: session, jwt", () => {
  it("none to live: a sign-in sets the session cookie and calls the jwt callback with trigger `signIn`", async () => {
    const triggers: unknown[] = [];
    const { response, browser } = await signedIn({
      callbacks: {
        jwt: ({ token, trigger }) => {
          triggers.push(trigger);
          return token;
        },
      },
    });
    expect(setCookieNames(response)).toContain(NAME);
    expect(triggers).toEqual(["signIn"]);
    expect(await browser.session()).not.toBeNull();
  });

  it("live: an access after updateAge moves `expires` forward by maxAge", async () => {
    const { expires } = await signedIn();
    after(DAY);
    expect(await expires()).toBe(iso(31 * DAY));
  });

  it("live: a session is extended at most once per updateAge period", async () => {
    const { expires } = await signedIn();
    after(DAY - 1);
    expect(await expires()).toBe(iso(30 * DAY));
    after(DAY + 10);
    expect(await expires()).toBe(iso(31 * DAY + 10));
    after(2 * DAY);
    expect(await expires()).toBe(iso(31 * DAY + 10));
    after(2 * DAY + 10);
    expect(await expires()).toBe(iso(32 * DAY + 10));
  });

  it("live to removed: an access after `expires` removes the session", async () => {
    const { browser } = await signedIn();
    after(30 * DAY);
    const response = await browser.get("/auth/session");
    expect(await response.json()).toBeNull();
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
  });

  it("live to removed: signOut clears the cookie", async () => {
    const { browser } = await signedIn();
    const response = await browser.signOut();
    expect(setCookie(response, NAME)).toMatch(/=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await browser.session()).toBeNull();
  });

  it("live: an update from the client calls the jwt callback with trigger `update`", async () => {
    const { browser } = await signedIn({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update" ? { ...token, name: String(session) } : token,
      },
    });
    await browser.post("/auth/session", { csrfToken: await browser.csrfToken(), data: "Countess" });
    expect(await browser.session()).toMatchObject({ user: { name: "Countess" } });
  });

  it("live: unstable_update calls the jwt callback with trigger `update`", async () => {
    const { auth, browser } = await signedIn({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update" ? { ...token, name: String(session) } : token,
      },
    });
    const cookie = `${NAME}=${browser.cookies.get(NAME)}`;
    const call = new Request(ORIGIN, { headers: { cookie } });
    expect(await auth.unstable_update(call, "Countess")).toMatchObject({
      user: { name: "Countess" },
    });
  });
});

describe("SPEC Session options in effect", () => {
  it("session.maxAge: idle expiry, in seconds", async () => {
    const { expires, browser } = await signedIn({ session: { maxAge: 600 } });
    expect(await expires()).toBe(iso(600));
    after(600);
    expect(await browser.session()).toBeNull();
  });

  it("session.updateAge 0 extends the session on every access", async () => {
    const { expires } = await signedIn({ session: { maxAge: 600, updateAge: 0 } });
    after(1);
    expect(await expires()).toBe(iso(601));
    after(2);
    expect(await expires()).toBe(iso(602));
  });

  it("jwt.maxAge: lifetime of an issued JWT", async () => {
    const { browser } = await signedIn({ jwt: { maxAge: 600 } });
    const token = await decode({ token: browser.cookies.get(NAME), secret: SECRET, salt: NAME });
    expect((token?.exp ?? 0) - (token?.iat ?? 0)).toBe(600);
    after(600);
    expect(await browser.session()).toBeNull();
  });

  it("jwt.encode(params) returns a string, jwt.decode(params) a JWT or null", async () => {
    const { browser } = await signedIn({
      jwt: {
        encode: ({ token }) => `mine.${btoa(JSON.stringify(token))}`,
        decode: ({ token = "" }) =>
          token.startsWith("mine.") ? (JSON.parse(atob(token.slice(5))) as JWT) : null,
      },
    });
    expect(decodeURIComponent(browser.cookies.get(NAME) ?? "")).toMatch(/^mine\./);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    browser.cookies.set(NAME, "theirs");
    expect(await browser.session()).toBeNull();
  });
});
