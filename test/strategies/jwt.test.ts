import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import { JWTSessionError } from "../../src/errors/errors.ts";
import { decode, encode, getToken } from "../../src/jwt/jwt.ts";
import type { AuthConfig, JWT, JWTParams, Kernel } from "../../src/kernel.ts";
import type { JWTEncodeParams } from "../../src/types.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  ENV,
  LOVELACE,
  ORIGIN,
  SECRET,
  setCookie,
  setCookieNames,
} from "../_app.ts";
import { createTestAdapter } from "../flows/_mail.ts";

const NAME = "authjs.session-token";
const START = new Date("2026-06-01T12:00:00.000Z");
const DAY = 86_400;

// Created by Auth.js 5.
const AUTHJS =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwia2lkIjoiSHJOMlI4dXEtbW5BR2NMb2ZqbnFRei1SbHhfdWU2" +
  "eE5VaVhRRlRJdS1SNUxOclFBUUV6cXprWjN3c1BlYlE3UEowQnB6T0ZXRUFpRmxPeC1RdHdqWFEifQ..gODjF_E4QPvO9h3cZ" +
  "B8rPw.0mXPQ1n8kBuQKc_qkKKg8-A4QexaNz2eRsa8bBXEJV64pw1VtaLSFEqi_Y8EFrkk1TqUcJE1fTPhCVMmXSPCpnycg6hG6" +
  "y9IThV3wS7xKof4KND9BB6KA9QNrNDBIfSaQFcrlzJlmxtCZ2LCueTqWbc0BQb5FtG6vKd4LEY7R-M-pT9m2UGLzWJyH5J48TMa" +
  "wX7KpLMXwjnBPTzfSpQ64w.glvV_bej-X9izKABfnkt3I8Q6Y2KNAJPfeVqeu8Z3sg";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

const at = (seconds: number) => vi.setSystemTime(START.getTime() + seconds * 1000);
const iso = (seconds: number) => new Date(START.getTime() + seconds * 1000).toISOString();

/** Creates an application in which Ada has been signed in since `START`. */
async function signedIn(config: AuthConfig = {}) {
  const app = createTestAuth(config);
  const response = await app.browser.signInWith("credentials", LOVELACE);
  const look = () => app.browser.get("/auth/session", { headers: { accept: "application/json" } });
  const expires = async () =>
    ((await (await look()).json()) as { expires: string } | null)?.expires ?? null;
  const token = async (cookies = app.browser.cookies) =>
    (await decode({ token: joinChunks(cookies), secret: SECRET, salt: NAME })) as JWT;
  return { ...app, response, look, expires, token };
}

function joinChunks(cookies: Map<string, string>): string {
  if (cookies.has(NAME)) return cookies.get(NAME) as string;
  let value = "";
  for (let part = 0; cookies.has(`${NAME}.${part}`); part++)
    value += cookies.get(`${NAME}.${part}`);
  return value;
}

describe("jwt strategy: claims of the sign-in", () => {
  it("a callback that merges the client's data cannot add reserved claims that the sign-in did not set", async () => {
    const jwt = ({ token, session, trigger }: JWTParams & { token: JWT }): JWT =>
      trigger === "update" ? { ...token, ...(session as JWT) } : token;
    const { browser, token } = await signedIn({ callbacks: { jwt } });
    const stated = {
      auth_time: START.getTime() / 1000,
      "keyhook.email_verified": true,
      "keyhook.origin": "https://evil.example",
    };
    await browser.send("/auth/session", { json: { data: { ...stated, role: "reader" } } });
    const claims = await token();
    expect(claims).toMatchObject({ sub: "1", role: "reader" });
    expect(Object.keys(claims)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/time|keyhook/)]),
    );
  });
});

describe("jwt strategy: sign-in", () => {
  it("a sign-in stores name, email, picture and sub in an encrypted cookie", async () => {
    const { response, token } = await signedIn();
    expect(setCookie(response, NAME)).toMatch(
      /^authjs\.session-token=ey[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Expires=Wed, 01 Jul 2026 12:00:00 GMT; HttpOnly; SameSite=Lax$/,
    );
    const iat = START.getTime() / 1000;
    expect(await token()).toEqual({
      name: "Ada",
      email: "ada@example.com",
      picture: null,
      sub: "1",
      iat,
      exp: iat + 30 * DAY,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("the jwt callback changes the token of a sign-in, and receives user, account and trigger", async () => {
    const seen: [JWT, JWTParams][] = [];
    await signedIn({
      callbacks: {
        jwt({ token, ...params }) {
          seen.push([token, params]);
          return { ...token, role: "countess" };
        },
      },
    });
    expect(seen).toEqual([
      [
        { name: "Ada", email: "ada@example.com", picture: null, sub: "1" },
        {
          user: ADA,
          account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
          trigger: "signIn",
        },
      ],
    ]);
  });

  it("a sign-in creates no session and ends the previous one when the jwt callback returns null", async () => {
    let ends = false;
    const { browser } = await signedIn({
      callbacks: { jwt: ({ token }) => (ends ? null : token) },
    });
    expect(await browser.session()).not.toBeNull();
    ends = true;
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
    expect(await browser.session()).toBeNull();
  });
});

describe("jwt strategy: reading the session", () => {
  it("by default, a session has user and expires, and no other claim of the token", async () => {
    const { browser } = await signedIn({
      callbacks: { jwt: ({ token }) => ({ ...token, secret: "claim" }) },
    });
    expect(await browser.session()).toEqual({
      user: { name: "Ada", email: "ada@example.com", image: null },
      expires: iso(30 * DAY),
    });
  });

  it("a session is the result of the session callback", async () => {
    const { browser } = await signedIn({
      callbacks: {
        session: ({ session, token }) => ({ ...session, id: token?.sub, expires: session.expires }),
      },
    });
    expect(await browser.session()).toMatchObject({ id: "1" });
  });

  it("a session callback that returns null shows no session and emits no event", async () => {
    const events: object[] = [];
    const { browser } = await signedIn({
      callbacks: { session: () => null },
      events: { session: (message) => void events.push(message) },
    });
    expect(await browser.session()).toBeNull();
    expect(events).toEqual([]);
    expect(browser.cookies.has(NAME)).toBe(true);
  });

  it("the valid cookie is found among any number of malformed cookies of the same name (R8)", async () => {
    const { auth, browser } = await signedIn();
    const good = browser.cookies.get(NAME);
    const look = async (planted: number) => {
      const cookie = [...Array.from({ length: planted }, (_, one) => `bad${one}`), good]
        .map((value) => `${NAME}=${value}`)
        .join("; ");
      return auth.getSession(new Request(ORIGIN, { headers: { cookie } }));
    };
    expect(await look(1)).toMatchObject({ user: { name: "Ada" } });
    expect(await look(4)).toMatchObject({ user: { name: "Ada" } });
    expect(await look(500)).toMatchObject({ user: { name: "Ada" } });
  });

  it("a read sets no cookie if no renewal is due and nothing changes", async () => {
    const { look } = await signedIn({ callbacks: { jwt: ({ token }) => ({ ...token }) } });
    at(60);
    expect(setCookieNames(await look())).toEqual([]);
  });

  it("a read calls the jwt callback without trigger, user or account, with the token's own times", async () => {
    const seen: object[] = [];
    const { browser } = await signedIn({
      callbacks: {
        jwt: ({ token, ...params }) => {
          seen.push({ token, ...params });
          return token;
        },
      },
    });
    await browser.session();
    expect(seen[1]).toEqual({ token: expect.objectContaining({ iat: START.getTime() / 1000 }) });
  });
});

describe("jwt strategy: sliding expiry", () => {
  it("a session is extended only after updateAge has passed", async () => {
    const { look, expires } = await signedIn({ session: { maxAge: 1000, updateAge: 100 } });
    at(99);
    expect(setCookieNames(await look())).toEqual([]);
    expect(await expires()).toBe(iso(1000));
    at(100);
    const extended = await look();
    expect(setCookie(extended, NAME)).toContain(`Expires=${new Date(iso(1100)).toUTCString()}`);
    expect(await extended.json()).toMatchObject({ expires: iso(1100) });
    at(150);
    expect(setCookieNames(await look())).toEqual([]);
    expect(await expires()).toBe(iso(1100));
  });

  it("a session is extended at every access with updateAge 0", async () => {
    const { look, expires } = await signedIn({ session: { maxAge: 1000, updateAge: 0 } });
    for (const seconds of [0, 1, 2]) {
      at(seconds);
      expect(setCookieNames(await look())).toEqual([NAME]);
      expect(await expires()).toBe(iso(1000 + seconds));
    }
  });

  it("a session that is used stays live far beyond maxAge", async () => {
    const { browser } = await signedIn({ session: { maxAge: 1000, updateAge: 100 } });
    for (let seconds = 0; seconds < 5000; seconds += 900) {
      at(seconds);
      expect(await browser.session(), `after ${seconds} s`).not.toBeNull();
    }
  });

  // `maxAge` is how long a session may stay unused, and `updateAge` defaults to a day.
  it.each<[string, AuthConfig, number]>([
    ["session.maxAge of an hour", { session: { maxAge: 3600 } }, 3600],
    ["session.maxAge of a day", { session: { maxAge: DAY } }, DAY],
    ["session.maxAge of two days", { session: { maxAge: 2 * DAY } }, 2 * DAY],
    ["jwt.maxAge of an hour", { jwt: { maxAge: 3600 } }, 3600],
  ])("a session that is used stays live with only %s", async (_, config, maxAge) => {
    const { browser } = await signedIn(config);
    for (let reads = 1; reads < 6; reads++) {
      at(reads * maxAge * 0.9);
      expect(await browser.session(), `read ${reads}`).not.toBeNull();
    }
  });

  it("a session that lasts for weeks is extended at most once a day", async () => {
    const { look } = await signedIn({ session: { maxAge: 7 * DAY } });
    at(DAY - 1);
    expect(setCookieNames(await look())).toEqual([]);
    at(DAY);
    expect(setCookieNames(await look())).toEqual([NAME]);
  });

  it("boot warns if sessions are never extended", async () => {
    const codes = async (config: AuthConfig) => {
      const { log } = await signedIn(config);
      return log.warnings.filter((code) => code === "update-age");
    };
    const session = { maxAge: 1000, updateAge: 1000 };
    expect(await codes({ session })).toEqual(["update-age"]);
    const extended = { session: { updateAge: 999 }, jwt: { maxAge: 1000 } };
    expect(await codes(extended)).toEqual([]);
  });

  it("an unused session ends after maxAge, and its cookie is cleared", async () => {
    const { look } = await signedIn({ session: { maxAge: 1000, updateAge: 100 } });
    at(1000);
    const response = await look();
    expect(await response.json()).toBeNull();
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
  });

  it("a session ends exactly at `expires`", async () => {
    const { expires } = await signedIn({ session: { maxAge: 1000, updateAge: 2000 } });
    at(999);
    expect(await expires()).toBe(iso(1000));
    at(1000);
    expect(await expires()).toBeNull();
  });

  it("a session is extended once when twenty tabs read it concurrently (F22)", async () => {
    const { browser } = await signedIn({ session: { maxAge: 1000, updateAge: 100 } });
    at(100);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => browser.get("/auth/session")),
    );
    for (const answer of answers) expect(await answer.json()).toMatchObject({ expires: iso(1100) });
    at(101);
    expect(setCookieNames(await browser.get("/auth/session"))).toEqual([]);
  });
});

describe("jwt strategy: tokens that the jwt callback changes", () => {
  const counting: AuthConfig = {
    session: { maxAge: 1000, updateAge: 100 },
    callbacks: { jwt: ({ token }) => ({ ...token, seen: ((token.seen as number) ?? 0) + 1 }) },
  };

  it("a changed token is stored without extending the session", async () => {
    const { look, token } = await signedIn(counting);
    at(50);
    const response = await look();
    expect(setCookie(response, NAME)).toContain(`Expires=${new Date(iso(1000)).toUTCString()}`);
    expect(await response.json()).toMatchObject({ expires: iso(1000) });
    expect(await token()).toMatchObject({ seen: 2, exp: START.getTime() / 1000 + 1000 });
  });

  it.each<[string, JWT, (token: JWT) => JWT, boolean]>([
    ["in another order", {}, ({ sub = "", ...rest }) => ({ ...rest, sub }), false],
    ["with a claim that is undefined", {}, (token) => ({ ...token, role: undefined }), false],
    ["with another claim", {}, (token) => ({ ...token, role: "reader" }), true],
    ["without a claim", {}, ({ email: _, ...token }) => token, true],
    ["with equal objects", { roles: [] }, (token) => ({ ...token, roles: [] }), false],
    [
      "with an object that was changed in place",
      { roles: [] },
      (token) => ((token.roles as string[]).push("writer"), token),
      true,
    ],
  ])("the jwt callback returns the token %s", async (_, claims, change, isStored) => {
    const jwt = ({ token, user }: JWTParams & { token: JWT }): JWT =>
      user ? { ...token, ...claims } : change(token);
    const { look } = await signedIn({ callbacks: { jwt } });
    expect(setCookieNames(await look())).toEqual(isStored ? [NAME] : []);
  });

  it("a token that is stored often loses no second of its lifetime", async () => {
    const { expires, token } = await signedIn(counting);
    for (let step = 1; step <= 40; step++) {
      at(step + 0.5);
      expect(await expires()).toBe(iso(1000));
    }
    expect(await token()).toMatchObject({ seen: 41, exp: START.getTime() / 1000 + 1000 });
  });

  it("a session whose token changes is extended at most once per updateAge (SPEC States)", async () => {
    const { look } = await signedIn(counting);
    const extensions: number[] = [];
    let last = iso(1000);
    for (let seconds = 5; seconds <= 400; seconds += 5) {
      at(seconds + 0.4);
      const { expires } = (await (await look()).json()) as { expires: string };
      if (expires !== last) extensions.push(seconds);
      last = expires;
    }
    expect(extensions.length).toBeLessThanOrEqual(4);
    for (const [step, seconds] of extensions.entries()) {
      expect(seconds - (extensions[step - 1] ?? 0)).toBeGreaterThanOrEqual(100);
    }
  });

  it("a jwt callback that returns null ends the session, clears the cookie and emits no event", async () => {
    let ends = false;
    const events: unknown[] = [];
    const { look } = await signedIn({
      callbacks: { jwt: ({ token }) => (ends ? null : token) },
      events: { session: (message) => void events.push(message) },
    });
    ends = true;
    const response = await look();
    expect(await response.json()).toBeNull();
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
    expect(events).toEqual([]);
  });
});

describe("jwt strategy: update", () => {
  const merging: AuthConfig = {
    callbacks: {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, ...(session as object) } : token,
    },
  };
  const post = async (app: Awaited<ReturnType<typeof signedIn>>, data: unknown) =>
    app.browser.send("/auth/session", { json: { data } });

  it("an update calls the jwt callback with trigger `update` and the client's data", async () => {
    const app = await signedIn(merging);
    const response = await post(app, { name: "Countess" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user: { name: "Countess" } });
    expect(await app.browser.session()).toMatchObject({ user: { name: "Countess" } });
  });

  it("an update calls the session callback with newSession and trigger", async () => {
    const seen: object[] = [];
    const app = await signedIn({
      callbacks: {
        session: ({ session, token: _, ...rest }) => {
          seen.push(rest);
          return session;
        },
      },
    });
    await post(app, { a: 1 });
    expect(seen).toEqual(
      [
        {
          session: undefined,
          newSession: { a: 1 },
          trigger: "update",
        },
      ].map(({ session: _, ...rest }) => rest),
    );
  });

  it.each([{ sub: "2" }, { sub: null }, { sub: ["1"] }, { sub: "" }])(
    "a client's update %j does not change the session's user",
    async (data) => {
      const app = await signedIn(merging);
      expect((await post(app, { ...data, name: "Countess" })).status).toBe(200);
      expect(await app.token()).toMatchObject({ sub: "1", name: "Countess" });
      expect(await app.getUserId()).toBe("1");
    },
  );

  it("an update does not change the user either if the callback mutates the token, and the sign-in stays unchanged", async () => {
    const app = await signedIn({
      jwt: { bindOrigin: true },
      session: { absoluteMaxAge: 10 * DAY },
      callbacks: {
        jwt: ({ token, session }) => Object.assign(token, session),
      },
    });
    const before = await app.token();
    at(100);
    const forged = {
      sub: "2",
      auth_time: before.iat! + 5 * DAY,
      exp: before.exp! + 100 * DAY,
      "keyhook.origin": "https://attacker.example",
      "keyhook.email_verified": true,
    };
    const response = await post(app, { ...forged, name: "Countess" });
    expect(await response.json()).toMatchObject({ expires: iso(10 * DAY) });
    const { iat: _, jti: __, ...kept } = before;
    expect(await app.token()).toMatchObject({ ...kept, name: "Countess" });
    expect(await app.token()).not.toHaveProperty(["keyhook.email_verified"]);
    expect(await app.getUserId()).toBe("1");
  });

  it("a client's update cannot add the time of a sign-in to a session without one", async () => {
    const app = await signedIn(merging);
    await post(app, {
      auth_time: 1,
      "keyhook.email_verified": true,
      "keyhook.origin": "x",
      name: "C",
    });
    const token = await app.token();
    expect(token).toMatchObject({ name: "C" });
    for (const claim of ["auth_time", "keyhook.email_verified", "keyhook.origin"]) {
      expect(token).not.toHaveProperty([claim]);
    }
  });

  it("the application's own update may change the session's user", async () => {
    const app = await signedIn(merging);
    const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const event = {
      req: new Request(`${ORIGIN}/`, { headers: { cookie } }),
      res: { headers: new Headers() },
    };
    await app.auth.update(event, { sub: "2" });
    const [set = ""] = event.res.headers.getSetCookie();
    expect(set).toContain("session-token=");
    const [name = "", value = ""] = set.split(/[=;]/, 2);
    app.browser.cookies.set(name, value);
    expect(await app.token()).toMatchObject({ sub: "2" });
  });

  it("an update without a callback changes nothing: the client's data is never stored by itself", async () => {
    const app = await signedIn();
    await post(app, { name: "Eve", sub: "2", email: "eve@example.com" });
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(await app.token()).toMatchObject({ sub: "1" });
  });

  it("an update does not extend the session before updateAge", async () => {
    const app = await signedIn({ ...merging, session: { maxAge: 1000, updateAge: 100 } });
    at(50);
    const response = await post(app, { name: "Countess" });
    expect(await response.json()).toMatchObject({ expires: iso(1000) });
  });

  it("an update returns null without a session, and an error without the CSRF token", async () => {
    const app = createTestAuth();
    const csrfToken = await app.browser.csrfToken();
    const response = await app.browser.post("/auth/session", { csrfToken });
    expect([response.status, await response.json()]).toEqual([200, null]);
    const refused = await app.browser.post("/auth/session", { data: "x" });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: "MissingCSRF" });
    app.log.expectErrors("MissingCSRF");
  });
});

describe("jwt strategy: callbacks that throw on a read (F27)", () => {
  const faulty = (hook: "jwt" | "session") => {
    let broken = false;
    const app = signedIn({
      callbacks: {
        [hook]: (params: { token: JWT; session: never }) => {
          if (broken) throw new Error("refresh server is down");
          return params[hook === "jwt" ? "token" : "session"];
        },
      },
    });
    return { app, set: (value: boolean) => void (broken = value) };
  };

  it.each(["jwt", "session"] as const)(
    "a %s callback that throws on a read is reported and keeps the cookie, and the next read succeeds",
    async (hook) => {
      const { app, set } = faulty(hook);
      const { look, log, auth, browser } = await app;
      set(true);
      const response = await look();
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({
        message: expect.stringContaining("The request failed"),
        id: expect.any(String),
      });
      expect(setCookieNames(response)).toEqual([]);
      const [error] = log.expectErrors("JWTSessionError");
      expect(error?.cause?.err?.message).toBe("refresh server is down");

      const cookie = `${NAME}=${browser.cookies.get(NAME)}`;
      const call = new Request(ORIGIN, { headers: { cookie } });
      await expect(auth.getSession(call)).rejects.toThrow(JWTSessionError);

      set(false);
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    },
  );
});

describe("jwt.encode and jwt.decode", () => {
  const own = (over: AuthConfig["jwt"] = {}): AuthConfig => ({
    jwt: {
      encode: ({ token }) => btoa(JSON.stringify(token)),
      decode: ({ token }) => JSON.parse(atob(token ?? "")) as JWT,
      ...over,
    },
  });

  it("custom encode and decode receive secret, salt and lifetime of the session token", async () => {
    const seen: object[] = [];
    const { browser } = await signedIn(
      own({
        maxAge: 500,
        encode: ({ token, ...params }) => {
          seen.push(params);
          return btoa(JSON.stringify(token));
        },
        decode: ({ token, ...params }) => {
          seen.push(params);
          return JSON.parse(atob(token ?? "")) as JWT;
        },
      }),
    );
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(seen).toEqual([
      { secret: SECRET, salt: NAME, maxAge: 500 },
      // For the CSRF token of the new session.
      { secret: SECRET, salt: NAME },
      { secret: SECRET, salt: NAME },
    ]);
  });

  // As in Auth.js: an application signs with the secret, or with its first entry.
  const [OLD, OWN] = [
    "the secret from before, with 32 characters",
    "a secret of tokens, with 32 characters",
  ];
  it.each<[string, AuthConfig, JWTEncodeParams["secret"]]>([
    ["`secret` is a list", { secret: [SECRET] }, [SECRET]],
    ["`secret` is a list of several secrets", { secret: [SECRET, OLD] }, [SECRET, OLD]],
    ["`jwt.secret` is text", { secret: [SECRET], jwt: { secret: OWN } }, OWN],
    ["`jwt.secret` is a list", { jwt: { secret: [OWN, OLD] } }, [OWN, OLD]],
    ["`jwt.secret` is empty", { jwt: { secret: "" } }, SECRET],
    [
      "the environment sets the secret",
      { secret: "", env: { AUTH_SECRET: OLD, NODE_ENV: "test" } },
      [OLD],
    ],
  ])(
    "a custom encode receives the secret exactly as configured: %s",
    async (_, config, expected) => {
      const encode = vi.fn(({ token }: JWTEncodeParams) => btoa(JSON.stringify(token)));
      await signedIn({ ...config, ...own({ ...config.jwt, encode }) });
      expect(encode.mock.calls[0]?.[0].secret).toEqual(expected);
    },
  );

  it("custom encode and decode may be asynchronous", async () => {
    const { browser } = await signedIn(
      own({
        encode: async ({ token }) => btoa(JSON.stringify(token)),
        decode: async ({ token }) => JSON.parse(atob(token ?? "")) as JWT,
      }),
    );
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a custom decode that returns null ends the session, and the cookie is cleared", async () => {
    const { look } = await signedIn(own({ decode: () => null }));
    const response = await look();
    expect(await response.json()).toBeNull();
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
  });

  it("a session whose custom token has no times expires maxAge from now", async () => {
    const { browser } = await signedIn(own());
    at(100 * DAY);
    expect(await browser.session()).toMatchObject({ expires: iso(130 * DAY) });
  });
});

describe("jwt strategy: large tokens", () => {
  const claims = (size: number): AuthConfig => ({
    callbacks: { jwt: ({ token }) => ({ ...token, big: "x".repeat(size) }) },
  });

  it("a token of 8 kB is split into cookies that browsers accept", async () => {
    const { browser, response, token } = await signedIn(claims(8192));
    const parts = [`${NAME}.0`, `${NAME}.1`, `${NAME}.2`];
    expect(setCookieNames(response)).toEqual([...parts, "authjs.csrf-token"]);
    for (const cookie of response.headers.getSetCookie()) expect(cookie.length).toBeLessThan(4096);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect((await token()).big).toHaveLength(8192);
  });

  it("a token of 45 kB is rejected with SessionTooLarge and creates no session", async () => {
    const { browser, response, log } = await signedIn(claims(45_000));
    expect(response.headers.get("location")).toContain("error=SessionTooLarge");
    const [error] = log.expectErrors("SessionTooLarge");
    expect(error?.message).toContain("Return fewer claims from the `jwt` callback");
    expect(await browser.session()).toBeNull();
  });

  it("a token of more than 7,500 characters is warned about, because proxies refuse such large requests", async () => {
    expect((await signedIn(claims(4096))).log.warnings).toEqual([]);
    expect((await signedIn(claims(8192))).log.warnings).toEqual(["session-large"]);
  });

  it("a token of more than jwt.maxSize is refused, 12,000 characters by default", async () => {
    const { browser, response, log } = await signedIn(claims(9000));
    const page = response.headers.get("location") ?? "";
    expect(page).toContain("error=SessionTooLarge");
    log.expectErrors("SessionTooLarge");
    expect(await (await browser.get(page)).text()).toContain("We couldn’t sign you in");
    const config = claims(9000);
    const wide = await signedIn({ ...config, jwt: { maxSize: 20_000 } });
    expect(await wide.browser.session()).not.toBeNull();
  });

  it("a session that is already larger continues, but must not grow", async () => {
    let size = 14_000;
    const app = createTestAuth({
      callbacks: { jwt: ({ token }) => ({ ...token, big: "x".repeat(size) }) },
    });
    const wide = await signedIn({ ...claims(14_000), jwt: { maxSize: 30_000 } });
    for (const [name, value] of wide.browser.cookies) app.browser.cookies.set(name, value);
    at(3 * DAY);
    expect(await app.browser.session()).not.toBeNull();
    size = 18_000;
    expect((await app.browser.get("/auth/session")).status).toBe(500);
    app.log.expectErrors("SessionTooLarge");
    size = 1;
    expect(await app.browser.session()).not.toBeNull();
  });

  it("a client that makes the token too large by POST /session gets a client error", async () => {
    const callbacks: AuthConfig["callbacks"] = {
      jwt: ({ token, session }) => ({ ...token, ...(session as object) }),
    };
    const { browser, auth, log } = await signedIn({ callbacks });
    for (const size of [20_000, 45_000]) {
      const response = await browser.send("/auth/session", {
        json: { data: { note: "x".repeat(size) } },
      });
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({
        error: "SessionTooLarge",
        message: "The session is too large for cookies.",
      });
      expect(response.headers.getSetCookie()).toEqual([]);
      // Any visitor can cause it, so the operator's log has no line.
      expect(log.errors).toEqual([]);
    }
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    // The application's own call is the application's fault.
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const request = new Request(`${ORIGIN}/page`, { headers: { cookie } });
    const updated = auth.update(request, { note: "x".repeat(20_000) });
    await expect(updated).rejects.toMatchObject({ type: "SessionTooLarge", status: 500 });
  });

  it("fields of a profile that are too long for a token are omitted, with one warning", async () => {
    const image = `data:image/png;base64,${"A".repeat(3000)}`;
    const { browser, log, token } = await signedIn({
      providers: [credentials({ authorize: () => ({ ...ADA, image }) })],
    });
    expect(await token()).not.toHaveProperty("picture");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    await browser.signInWith("credentials", LOVELACE);
    expect(log.warnings).toEqual(["profile-large"]);
  });

  it("no chunk is left behind when a token shrinks, grows again and ends", async () => {
    let size = 8192;
    const { browser } = await signedIn({
      callbacks: { jwt: ({ token }) => ({ ...token, big: "x".repeat(size) }) },
    });
    const names = () => [...browser.cookies.keys()].filter((name) => name.startsWith(NAME));
    expect(names()).toEqual([`${NAME}.0`, `${NAME}.1`, `${NAME}.2`]);
    size = 10;
    await browser.session();
    expect(names()).toEqual([NAME]);
    size = 4000;
    await browser.session();
    expect(names()).toEqual([`${NAME}.0`, `${NAME}.1`]);
    await browser.signOut();
    expect(names()).toEqual([]);
  });
});

describe("session.maxAge and jwt.maxAge", () => {
  it("a shorter jwt.maxAge ends the session, and `expires` shows that end", async () => {
    const { look, expires } = await signedIn({
      session: { maxAge: 1000, updateAge: 2000 },
      jwt: { maxAge: 300 },
    });
    expect(await expires()).toBe(iso(300));
    at(299);
    expect(await expires()).toBe(iso(300));
    at(300);
    expect(await (await look()).json()).toBeNull();
  });

  it("an extension with a shorter jwt.maxAge gives the response and the cookie the same expiry", async () => {
    const { look, response } = await signedIn({
      session: { maxAge: 1000, updateAge: 100 },
      jwt: { maxAge: 300 },
    });
    const until = (seconds: number) => `Expires=${new Date(iso(seconds)).toUTCString()}`;
    expect(setCookie(response, NAME)).toContain(until(300));
    at(100);
    const extended = await look();
    expect(await extended.json()).toMatchObject({ expires: iso(400) });
    expect(setCookie(extended, NAME)).toContain(until(400));
  });

  it("a longer jwt.maxAge does not extend the session", async () => {
    const { expires } = await signedIn({
      session: { maxAge: 300, updateAge: 2000 },
      jwt: { maxAge: 1000 },
    });
    expect(await expires()).toBe(iso(300));
    at(300);
    expect(await expires()).toBeNull();
  });

  it("a shortened session.maxAge also applies to existing cookies", async () => {
    const before = await signedIn({ session: { maxAge: 1000 } });
    const { browser } = createTestAuth({ session: { maxAge: 100, updateAge: 100 } });
    browser.cookies.set(NAME, before.browser.cookies.get(NAME) as string);
    at(50);
    expect(await browser.session()).toMatchObject({ expires: iso(100) });
    at(150);
    expect(await browser.session()).toBeNull();
  });
});

describe("jwt strategy: clocks (F17)", () => {
  it.each([-30, -300, -3600])(
    "a clock that jumps by %i s keeps the session live, with a valid date",
    async (jump) => {
      const { look, expires } = await signedIn({ session: { maxAge: 1000, updateAge: 100 } });
      at(jump);
      const response = await look();
      expect(response.status).toBe(200);
      expect(setCookieNames(response)).toEqual([]);
      expect(await expires()).toBe(iso(1000));
    },
  );

  it("a server whose clock is 5 minutes ahead does not end sessions early", async () => {
    const { browser } = await signedIn({ session: { maxAge: 3600, updateAge: 600 } });
    at(300);
    expect(await browser.session()).not.toBeNull();
    at(0);
    expect(await browser.session()).not.toBeNull();
  });

  it.each([
    ["2038", "2038-01-19T03:14:08Z"],
    ["2100", "2100-01-01T00:00:00Z"],
    ["1970", "1970-01-01T00:00:01Z"],
  ])("`expires` is a valid date in the year %s", async (_, now) => {
    vi.setSystemTime(now);
    const { browser } = await signedIn();
    const session = await browser.session<{ expires: string }>();
    expect(Date.parse(session?.expires ?? "")).toBe(Date.parse(now) + 30 * DAY * 1000);
  });
});

describe("jwt strategy: invalid cookies (R8)", () => {
  const look = async (value: string, config: AuthConfig = {}) => {
    const { browser, log } = createTestAuth(config);
    browser.cookies.set(NAME, value);
    const response = await browser.get("/auth/session");
    return { response, browser, log };
  };

  const bad = async (): Promise<[string, string][]> => {
    const make = (over: object = {}) =>
      encode({ token: { sub: "1", name: "Ada" }, secret: SECRET, salt: NAME, ...over });
    const good = await make();
    const [header, , iv, ciphertext, tag] = good.split(".") as [string, "", string, string, string];
    const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    return [
      ["nonsense", "nonsense"],
      ["dots", "...."],
      ["four dots of letters", "a.b.c.d.e"],
      ["another secret", await make({ secret: "a-foreign-secret-0123456789abcdef" })],
      ["another salt", await make({ salt: "authjs.csrf-token" })],
      ["the secure cookie's salt", await make({ salt: `__Secure-${NAME}` })],
      ["expired", await make({ maxAge: -100 })],
      ["a changed tag", `${header}..${iv}.${ciphertext}.${tag.slice(0, -2)}AA`],
      ["a changed body", `${header}..${iv}.AAAA${ciphertext.slice(4)}.${tag}`],
      ["a changed iv", `${header}..${"A".repeat(22)}.${ciphertext}.${tag}`],
      ["alg none", `${b64({ alg: "none" })}..${b64({ sub: "1" })}.`],
      ["a signed token", `${b64({ alg: "HS256" })}.${b64({ sub: "1" })}.${"A".repeat(43)}`],
      ["another enc", `${b64({ alg: "dir", enc: "A128GCM" })}..${iv}.${ciphertext}.${tag}`],
      [
        "alg RSA",
        `${b64({ alg: "RSA-OAEP", enc: "A256CBC-HS512" })}.AAAA.${iv}.${ciphertext}.${tag}`,
      ],
      [
        "zip",
        `${b64({ alg: "dir", enc: "A256CBC-HS512", zip: "DEF" })}..${iv}.${ciphertext}.${tag}`,
      ],
      ["a quoted token", `"${good}`],
      ["broken escapes", "%E0%A4%A"],
      ["control characters", "a%00b%0d%0a"],
      ["very long", "A".repeat(60_000)],
    ];
  };

  it("an invalid cookie of any kind gives no session and no error, and is cleared", async () => {
    for (const [kind, value] of await bad()) {
      const { response } = await look(value);
      expect(response.status, kind).toBe(200);
      expect(await response.json(), kind).toBeNull();
      expect(setCookie(response, NAME), kind).toContain("Max-Age=0");
    }
  });

  it("an invalid cookie of any kind prevents neither a sign-in nor a sign-out", async () => {
    for (const [kind, value] of await bad()) {
      const { browser, log } = await look("nonsense");
      browser.cookies.set(NAME, value);
      const out = await browser.signOut();
      expect(out.status, kind).toBe(302);
      log.ignoreErrors();
      log.errors.length = 0;
      browser.cookies.set(NAME, value);
      await browser.signInWith("credentials", LOVELACE);
      expect(await browser.session(), kind).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("an invalid cookie is logged at debug level only, without its value", async () => {
    const { log } = await look("very-secret-nonsense");
    expect(log.debugs).toHaveLength(1);
    expect(JSON.stringify(log.debugs)).not.toContain("very-secret-nonsense");
  });
});

describe("jwt strategy: sign-out", () => {
  it("a sign-out clears the cookie and emits the token, and another browser stays signed in", async () => {
    const ended: unknown[] = [];
    const { browser, openBrowser } = await signedIn({
      events: { signOut: (message) => void ended.push(message) },
    });
    const other = openBrowser();
    await other.signInWith("credentials", LOVELACE);
    await browser.signOut();
    expect(browser.cookies.has(NAME)).toBe(false);
    expect(await browser.session()).toBeNull();
    expect(await other.session()).not.toBeNull();
    expect(ended).toEqual([{ token: expect.objectContaining({ sub: "1" }) }]);
  });

  it("a sign-out with an unreadable cookie clears it and logs a SignOutError", async () => {
    const ended: unknown[] = [];
    const { browser, log } = createTestAuth({
      events: { signOut: (message) => void ended.push(message) },
    });
    browser.cookies.set(NAME, "nonsense");
    const response = await browser.signOut();
    expect(setCookie(response, NAME)).toContain("Max-Age=0");
    expect(ended).toEqual([{ token: null }]);
    log.expectErrors("SignOutError");
  });
});

describe("jwt strategy: rotation of secrets (F23)", () => {
  const OLD = "old-secret-0123456789abcdefghijklmnop";
  const NEW = "new-secret-0123456789abcdefghijklmnop";

  it("a token of the old secret is accepted, and new tokens use the new secret", async () => {
    const old = createTestAuth({ secret: OLD });
    await old.browser.signInWith("credentials", LOVELACE);
    const { browser } = createTestAuth({ secret: [NEW, OLD], session: { updateAge: 100 } });
    for (const [name, value] of old.browser.cookies) browser.cookies.set(name, value);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    at(100);
    await browser.session();
    const token = browser.cookies.get(NAME) as string;
    expect(await decode({ token, secret: NEW, salt: NAME })).toMatchObject({ sub: "1" });
    await expect(decode({ token, secret: OLD, salt: NAME })).rejects.toThrow();
  });

  it("a CSRF cookie of the old secret stays valid", async () => {
    const old = createTestAuth({ secret: OLD });
    const csrfToken = await old.browser.csrfToken();
    const { browser } = createTestAuth({ secret: [NEW, OLD] });
    for (const [name, value] of old.browser.cookies) browser.cookies.set(name, value);
    expect(await browser.csrfToken()).toBe(csrfToken);
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
  });

  it("servers with different secret lists accept each other's tokens while the lists overlap", async () => {
    const one = createTestAuth({ secret: [OLD, NEW] });
    const two = createTestAuth({ secret: [NEW, OLD] });
    await one.browser.signInWith("credentials", LOVELACE);
    await two.browser.signInWith("credentials", LOVELACE);
    const [first, second] = [one, two].map(({ browser }) => browser.cookies.get(NAME) as string);
    one.browser.cookies.set(NAME, second as string);
    two.browser.cookies.set(NAME, first as string);
    expect(await one.browser.session()).not.toBeNull();
    expect(await two.browser.session()).not.toBeNull();
  });

  it("a token of a removed secret is refused", async () => {
    const old = createTestAuth({ secret: OLD });
    await old.browser.signInWith("credentials", LOVELACE);
    const { browser } = createTestAuth({ secret: NEW });
    browser.cookies.set(NAME, old.browser.cookies.get(NAME) as string);
    expect(await browser.session()).toBeNull();
  });
});

describe("session cookies of Auth.js", () => {
  it("a session cookie of Auth.js is accepted", async () => {
    vi.setSystemTime("2026-12-01");
    const { browser } = createTestAuth({ secret: SECRET });
    browser.cookies.set(NAME, AUTHJS);
    expect(await browser.session()).toMatchObject({
      user: { name: "Ada", email: "ada@example.com", image: null },
    });
  });

  it("a session cookie of Auth.js in chunks is accepted", async () => {
    vi.setSystemTime("2026-12-01");
    const { browser } = createTestAuth({ secret: ["a-newer-secret-0123456789abcdefghij", SECRET] });
    browser.cookies.set(`${NAME}.1`, AUTHJS.slice(200));
    browser.cookies.set(`${NAME}.0`, AUTHJS.slice(0, 200));
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("session cookies of Auth.js whose user verifies the address by e-mail", () => {
  const claims = { sub: "1", name: "Ada", email: "ada@example.com" };
  /** An application with a session that Auth.js issued at `seconds`. */
  const createMoved = async (seconds: number, emailVerified: Date | null) => {
    const user = { id: "1", email: claims.email, emailVerified };
    const adapter = createTestAdapter();
    adapter.users.set("1", user);
    at(seconds);
    const cookie = await encode({ token: claims, secret: SECRET, salt: NAME, maxAge: 30 * DAY });
    const session = { strategy: "jwt", updateAge: 0 };
    const app = createTestAuth({ preset: standardPreset, adapter, session, mail: {} });
    app.browser.cookies.set(NAME, cookie);
    return { ...app, user };
  };
  const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);

  it("a session that began with the verification, in the same second, is valid", async () => {
    const { browser } = await createMoved(0.6, after(0.4));
    at(DAY);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a session that was issued before the verification is no longer valid", async () => {
    const { browser } = await createMoved(0, after(2));
    at(DAY);
    expect(await browser.session()).toBeNull();
  });

  it("a session that Keyhook renewed ends with a later verification, even in the same second", async () => {
    const { browser, user } = await createMoved(0, null);
    at(DAY + 0.2);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    user.emailVerified = after(DAY + 0.4);
    at(DAY + 0.6);
    expect(await browser.session()).toBeNull();
  });

  it("a session of a verified user survives the next link that the user opens", async () => {
    const { browser, user } = await createMoved(DAY, after(0));
    at(DAY + 1);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    user.emailVerified = after(3 * DAY);
    at(4 * DAY);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("jwt taps of plugins", () => {
  it("a plugin's jwt tap runs before the application's callback, which has the last word", async () => {
    const { browser } = createTestAuth({
      callbacks: {
        jwt: ({ token }) => ({ ...token, name: `${String(token.name)}, application` }),
      },
      use: [
        {
          name: "titles",
          setup: (kernel: Kernel) =>
            kernel.hooks.jwt.tap("titles", (token, { user }) =>
              user ? { ...token, name: "plugin" } : undefined,
            ),
        },
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({
      user: { name: "plugin, application, application" },
    });
  });
});

describe("jwt strategy: state", () => {
  it("a session needs no clock, store or process state except its cookie", async () => {
    const one = createTestAuth({ env: { ...ENV, AUTH_SECRET: SECRET } });
    await one.browser.signInWith("credentials", LOVELACE);
    const two = createTestAuth({ env: { ...ENV, AUTH_SECRET: SECRET } });
    two.browser.cookies.set(NAME, one.browser.cookies.get(NAME) as string);
    expect(await two.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("jwt strategy: absoluteMaxAge in the token", () => {
  it("the token's `exp` is the absolute end, so that other readers of tokens agree", async () => {
    const app = await signedIn({ session: { absoluteMaxAge: 40 * DAY } });
    const start = START.getTime() / 1000;
    expect((await app.token()).exp).toBe(start + 30 * DAY);
    at(20 * DAY);
    await app.look();
    expect((await app.token()).exp).toBe(start + 40 * DAY);
    expect(await app.expires()).toBe(iso(40 * DAY));
    at(40 * DAY + 16);
    expect(await app.expires()).toBeNull();
  });

  it("a token that already ends at the absolute end is not rewritten", async () => {
    const app = await signedIn({ session: { absoluteMaxAge: 10 * DAY } });
    expect((await app.token()).exp).toBe(START.getTime() / 1000 + 10 * DAY);
    for (const days of [2, 5, 9]) {
      at(days * DAY);
      const response = await app.look();
      expect(setCookieNames(response)).toEqual([]);
      expect(((await response.json()) as { expires: string }).expires).toBe(iso(10 * DAY));
    }
  });

  it("a session that is shorter than its tokens ends when unused, and at its absolute end when used", async () => {
    const config: AuthConfig = {
      session: { maxAge: 3 * DAY, absoluteMaxAge: 10 * DAY },
      jwt: { maxAge: 30 * DAY },
    };
    const used = await signedIn(config);
    expect(await used.expires()).toBe(iso(3 * DAY));
    for (const days of [2, 4, 6, 8]) {
      at(days * DAY);
      expect(await used.expires()).toBe(iso(Math.min(days + 3, 10) * DAY));
    }
    at(10 * DAY);
    expect(await used.expires()).toBeNull();
    at(0);
    const unused = await signedIn(config);
    at(3 * DAY);
    expect(await unused.expires()).toBeNull();
  });

  it("an older token, whose `exp` exceeds the absolute end, is capped when it is rewritten", async () => {
    const app = createTestAuth({ session: { absoluteMaxAge: 10 * DAY } });
    const auth_time = START.getTime() / 1000;
    const token = { name: "Ada", sub: "1", auth_time };
    app.browser.cookies.set(NAME, await encode({ token, secret: SECRET, salt: NAME }));
    at(2 * DAY);
    await app.browser.session();
    const cookie = app.browser.cookies.get(NAME) ?? "";
    const claims = await decode({ token: cookie, secret: SECRET, salt: NAME });
    expect(claims?.exp).toBe(auth_time + 10 * DAY);
  });
});

describe("jwt strategy: bindOrigin", () => {
  const bound: AuthConfig = { jwt: { bindOrigin: true }, trustHost: true };
  const STAGE = "https://stage.example";
  const read = async (app: ReturnType<typeof createTestAuth>, origin: string, cookie: string) => {
    const response = await app.auth.fetch(
      new Request(`${origin}/auth/session`, { headers: { cookie } }),
    );
    return response.json();
  };

  it("a token is only valid for the origin that it was issued for", async () => {
    const app = await signedIn(bound);
    expect((await app.token())["keyhook.origin"]).toBe(ORIGIN);
    expect(await app.expires()).not.toBeNull();
    const cookie = app.browser.cookies.get(NAME) ?? "";
    expect(await read(app, ORIGIN, `${NAME}=${cookie}`)).not.toBeNull();
    const other = createTestAuth({ ...bound, env: { ...ENV, AUTH_URL: "http://stage.example" } });
    expect(await read(other, "http://stage.example", `${NAME}=${cookie}`)).toBeNull();
    const unbound = createTestAuth({ env: { ...ENV, AUTH_URL: "http://stage.example" } });
    expect(await read(unbound, "http://stage.example", `${NAME}=${cookie}`)).not.toBeNull();
  });

  it("a token without an origin is refused, and a `jwt` tap can neither remove nor set it", async () => {
    const app = createTestAuth({
      ...bound,
      callbacks: { jwt: ({ token }) => ({ sub: token.sub ?? "1", "keyhook.origin": STAGE }) },
    });
    const plain = await encode({ token: { sub: "1" }, secret: SECRET, salt: NAME });
    expect(await read(app, ORIGIN, `${NAME}=${plain}`)).toBeNull();
    await app.browser.signInWith("credentials", LOVELACE);
    expect(await app.browser.session()).not.toBeNull();
    const token = app.browser.cookies.get(NAME) ?? "";
    const claims = await decode({ token, secret: SECRET, salt: NAME });
    expect(claims?.["keyhook.origin"]).toBe(ORIGIN);
  });

  it("getToken() checks the origin option", async () => {
    const app = await signedIn(bound);
    const req = { headers: { cookie: `${NAME}=${app.browser.cookies.get(NAME)}` } };
    expect(await getToken({ req, secret: SECRET, secureCookie: false })).toMatchObject({
      sub: "1",
    });
    expect(
      await getToken({ req, secret: SECRET, secureCookie: false, origin: ORIGIN }),
    ).toMatchObject({ sub: "1" });
    const messages: unknown[] = [];
    const logger = { debug: (...args: unknown[]) => void messages.push(args) };
    expect(
      await getToken({ req, secret: SECRET, secureCookie: false, origin: STAGE, logger }),
    ).toBeNull();
    expect(messages).toEqual([["getToken() refused a token", { reason: "origin" }]]);
  });
});

describe("jwt strategy: storeNamespace", () => {
  const TENANTS = [undefined, "acme", "globex"] as const;
  const under = (storeNamespace: string | undefined) =>
    createTestAuth(storeNamespace === undefined ? {} : { storeNamespace });
  const NAMESPACE = "keyhook.namespace";

  it("a token is only valid under the namespace that it was issued under", async () => {
    for (const issuedUnder of TENANTS) {
      const { browser } = under(issuedUnder);
      await browser.signInWith("credentials", LOVELACE);
      const cookie = browser.cookies.get(NAME) as string;
      for (const readUnder of TENANTS) {
        const other = under(readUnder).browser;
        other.cookies.set(NAME, cookie);
        const session = expect(await other.session(), `${issuedUnder} under ${readUnder}`);
        if (issuedUnder === readUnder) session.toMatchObject({ user: { name: "Ada" } });
        else session.toBeNull();
      }
    }
  });

  it("tokens of the default namespace contain no namespace, as in Auth.js", async () => {
    const { token } = await signedIn();
    expect(await token()).not.toHaveProperty([NAMESPACE]);
    const { browser } = under(undefined);
    browser.cookies.set(NAME, await encode({ token: { sub: "1" }, secret: SECRET, salt: NAME }));
    expect(await browser.session()).not.toBeNull();
  });

  it("a `jwt` callback can neither remove the namespace nor set another one", async () => {
    const app = createTestAuth({
      storeNamespace: "acme",
      callbacks: { jwt: ({ token }) => ({ sub: token.sub ?? "1", [NAMESPACE]: "globex" }) },
    });
    await app.browser.signInWith("credentials", LOVELACE);
    expect(await app.browser.session()).not.toBeNull();
    const token = app.browser.cookies.get(NAME) ?? "";
    const claims = await decode({ token, secret: SECRET, salt: NAME });
    expect(claims?.[NAMESPACE]).toBe("acme");
  });

  it("getToken() accepts tokens of an Auth with the same `storeNamespace`, or with neither set", async () => {
    const app = await signedIn({ storeNamespace: "acme" });
    const req = { headers: { cookie: `${NAME}=${app.browser.cookies.get(NAME)}` } };
    const given = { req, secret: SECRET, secureCookie: false };
    expect(await getToken(given)).toBeNull();
    expect(await getToken({ ...given, storeNamespace: "acme" })).toMatchObject({ sub: "1" });
    const plain = await signedIn();
    const cookie = `${NAME}=${plain.browser.cookies.get(NAME)}`;
    const other = { ...given, req: { headers: { cookie } } };
    expect(await getToken(other)).toMatchObject({ sub: "1" });
    expect(await getToken({ ...other, storeNamespace: "acme" })).toBeNull();
    const debug = vi.fn();
    expect(await getToken({ ...given, storeNamespace: "globex", logger: { debug } })).toBeNull();
    expect(debug.mock.calls).toEqual([
      ["getToken() refused a token", { reason: "storeNamespace" }],
    ]);
  });
});

describe("jwt strategy: a sign-out during another request of the browser", () => {
  const SLOW = ["jwt", "session"] as const;

  /**
   * Starts a read that waits in a callback, signs the browser out, and returns the response to the
   * read. `isRenewed`: another read has renewed the cookie in between.
   */
  async function interrupt(slow: (typeof SLOW)[number], { isRenewed = false } = {}) {
    let gate: Promise<void> | undefined;
    const app = await signedIn({
      session: { updateAge: 0 },
      callbacks: {
        async jwt({ token }) {
          if (slow === "jwt") await gate;
          return token;
        },
        async session({ session }) {
          if (slow === "session") await gate;
          return session;
        },
      },
    });
    const cookie = `${NAME}=${app.browser.cookies.get(NAME)}`;
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const pending = app.auth.fetch(new Request(`${ORIGIN}/auth/session`, { headers: { cookie } }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    gate = undefined;
    if (isRenewed) expect(setCookieNames(await app.look())).toContain(NAME);
    const csrfToken = await app.browser.csrfToken();
    await app.browser.post("/auth/signout", { csrfToken });
    open();
    return pending;
  }

  it.each(SLOW)(
    "a read that waits in the %s callback does not restore the session",
    async (slow) => {
      const late = await interrupt(slow);
      expect(late.status).toBe(200);
      // The cookie may be cleared again.
      expect(setCookie(late, NAME) ?? `${NAME}=;`).toContain(`${NAME}=;`);
    },
  );

  it.each(SLOW)(
    "a read that waits in the %s callback while another one renews the cookie does not restore the session",
    async (slow) => {
      const late = await interrupt(slow, { isRenewed: true });
      expect(late.status).toBe(200);
      expect(setCookie(late, NAME) ?? `${NAME}=;`).toContain(`${NAME}=;`);
    },
  );

  it("a read that waits in the jwt callback does not change the cookie of a sign-in after the sign-out", async () => {
    expect(setCookieNames(await interrupt("jwt"))).not.toContain(NAME);
  });

  it("a sign-in after the sign-out is renewed as before", async () => {
    const app = await signedIn({ session: { updateAge: 0 } });
    await app.look();
    await app.browser.post("/auth/signout", { csrfToken: await app.browser.csrfToken() });
    await app.browser.signInWith("credentials", LOVELACE);
    expect(setCookieNames(await app.look())).toContain(NAME);
  });

  it("a read without a sign-out writes its cookie as before", async () => {
    const app = await signedIn({ session: { updateAge: 0 } });
    expect(setCookieNames(await app.look())).toContain(NAME);
  });
});
