import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/kernel.ts";
import { createTestAuth, type TestAuth, LOVELACE, ORIGIN } from "../_app.ts";
import {
  ask,
  EVIL,
  type Fields,
  givesSession,
  post,
  runs,
  stranger,
  watchRejections,
  wellFormed,
} from "./_attack.ts";

watchRejections();

const rename: AuthConfig = {
  callbacks: {
    jwt: ({ token, trigger, session }) =>
      trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
  },
};

/** Creates an application and a victim who is signed in. */
async function victim() {
  const app = createTestAuth(rename);
  const { browser } = app;
  await browser.signInWith("credentials", LOVELACE);
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  return { app, cookie, csrfToken: await browser.csrfToken(), fromJar: () => browser.session() };
}

type Change = { path: string; fields: Fields; changes: (response: Response) => boolean };

/** Every POST that changes state, and how to detect the change. */
const CHANGES: Record<string, Change> = {
  "sign-in": {
    path: "/auth/callback/credentials",
    fields: LOVELACE,
    changes: givesSession,
  },
  "sign-out": {
    path: "/auth/signout",
    fields: {},
    changes: (response) =>
      response.headers.getSetCookie().some((one) => /session-token=;/.test(one)),
  },
  update: {
    path: "/auth/session",
    fields: { data: { name: "Mallory" } },
    changes: (response) => givesSession(response),
  },
  "sign-in start": {
    path: "/auth/signin/credentials",
    fields: { callbackUrl: "/planted" },
    // A browser without a token gets one with the refusal.
    changes: ({ headers }) =>
      headers.getSetCookie().some((cookie) => !cookie.startsWith("authjs.csrf-token=")),
  },
};

type Tokens = { own: string; cookie: string; foreign: string };
const signature = ({ cookie }: Tokens) =>
  decodeURIComponent(/csrf-token=([^;]+)/.exec(cookie)?.[1] ?? "").split("|")[1] ?? "";

/** Tokens that differ from the browser's own. */
const BAD_TOKENS: Record<string, (tokens: Tokens) => unknown> = {
  missing: () => undefined,
  empty: () => "",
  null: () => null,
  true: () => true,
  zero: () => 0,
  "another browser's": ({ foreign }) => foreign,
  "in capitals": ({ own }) => own.toUpperCase(),
  "cut short": ({ own }) => own.slice(0, -1),
  "too long": ({ own }) => `${own}0`,
  "with a space": ({ own }) => ` ${own}`,
  "with a line end": ({ own }) => `${own}\n`,
  "with a null byte": ({ own }) => `${own}\u0000`,
  "the cookie's whole value": (tokens) => `${tokens.own}|${signature(tokens)}`,
  "the signature": signature,
  "in a list": ({ own }) => [own],
  "in a list of two": ({ own }) => [own, own],
  "in an object": ({ own }) => ({ toString: own, value: own }),
  "in an object of letters": ({ own }) => ({ ...own.split(""), length: 64 }),
  "of zeros": () => "0".repeat(64),
  "the word undefined": () => "undefined",
  "of a prototype": () => "constructor",
  huge: () => "a".repeat(50_000),
};

describe.each(Object.entries(CHANGES))("CSRF of %s", (_, { path, fields, changes }) => {
  it("the browser's own CSRF token is accepted", async () => {
    const { app, cookie, csrfToken } = await victim();
    for (const encoding of ["form", "json", "multipart"]) {
      if (path.endsWith("/session") && encoding !== "json") continue;
      const request = post(ORIGIN + path, { ...fields, cookie, csrfToken }, encoding);
      expect(changes(await ask(app, request, { mayEnter: true })), encoding).toBe(true);
    }
  });

  it.each(Object.entries(BAD_TOKENS))("rejects a CSRF token that is %s", async (__, make) => {
    const { app, cookie, csrfToken: own } = await victim();
    const { csrfToken: foreign } = await stranger(app);
    const csrfToken = make({ own, cookie, foreign });
    for (const encoding of ["form", "json", "multipart"]) {
      // Forms contain only text, and browsers normalize it.
      if (typeof csrfToken !== "string" && csrfToken !== undefined && encoding !== "json") continue;
      if (encoding === "multipart" && typeof csrfToken === "string" && csrfToken.endsWith("\n"))
        continue;
      const sent = csrfToken === undefined ? {} : { csrfToken };
      const response = await ask(
        app,
        post(ORIGIN + path, { ...fields, cookie, ...sent }, encoding),
      );
      expect(changes(response), encoding).toBe(false);
    }
  });

  it("rejects a CSRF token outside of the body and of the header `x-csrf-token`", async () => {
    const { app, cookie, csrfToken } = await victim();
    const headers = { "x-xsrf-token": csrfToken, csrftoken: csrfToken };
    const url = `${ORIGIN}${path}?csrfToken=${csrfToken}`;
    for (const encoding of ["form", "json"]) {
      const response = await ask(app, post(url, { ...fields, cookie }, encoding, headers));
      expect(changes(response)).toBe(false);
    }
  });

  it("rejects a wrong header `x-csrf-token`, also with the right token in the body", async () => {
    const { app, cookie, csrfToken } = await victim();
    for (const given of ["", "x", "0".repeat(64), `${csrfToken}, ${csrfToken}`]) {
      const headers = { "x-csrf-token": given };
      const request = post(ORIGIN + path, { ...fields, cookie, csrfToken }, "form", headers);
      expect(changes(await ask(app, request))).toBe(false);
    }
  });

  it.each([
    ["missing", () => undefined],
    ["empty", () => "authjs.csrf-token="],
    ["the token without a signature", (token: string) => `authjs.csrf-token=${token}`],
    ["the token with an empty signature", (token: string) => `authjs.csrf-token=${token}%7C`],
    [
      "the token with a wrong signature",
      (token: string) => `authjs.csrf-token=${token}%7C${"0".repeat(64)}`,
    ],
    [
      "the token with itself as signature",
      (token: string) => `authjs.csrf-token=${token}%7C${token}`,
    ],
    [
      "named with the secure prefix",
      (token: string) => `__Host-authjs.csrf-token=${token}%7C${token}`,
    ],
    ["of three parts", (token: string) => `authjs.csrf-token=${token}%7C${token}%7C${token}`],
  ])("rejects the right CSRF token with a cookie that is %s", async (__, make) => {
    const { app, cookie, csrfToken } = await victim();
    const session = /authjs\.session-token=[^;]+/.exec(cookie)?.[0] ?? "";
    const jar = [session, make(csrfToken)].filter(Boolean).join("; ");
    for (const encoding of ["form", "json"]) {
      const request = post(ORIGIN + path, { ...fields, cookie: jar, csrfToken }, encoding);
      expect(changes(await ask(app, request))).toBe(false);
    }
  });

  it("rejects a CSRF token and cookie signed with another secret", async () => {
    const other = createTestAuth({ secret: "another-secret-another-secret-another" });
    const foreign = await stranger(other);
    const { app, cookie } = await victim();
    const session = /authjs\.session-token=[^;]+/.exec(cookie)?.[0] ?? "";
    const jar = `${session}; ${foreign.cookie}`;
    const request = post(
      ORIGIN + path,
      { ...fields, cookie: jar, csrfToken: foreign.csrfToken },
      "json",
    );
    expect(changes(await ask(app, request))).toBe(false);
  });

  it.each([
    "text/plain",
    "text/plain;charset=UTF-8",
    "text/plain; application/json",
    "text/html",
    "application/octet-stream",
    "application/xml",
    "application/csp-report",
    "application/x-www-form-urlencodedx",
    "x-application/json",
    "application/json+x",
    "application/ld+json",
    "application/json, text/plain",
    "text/json",
    "",
    "*/*",
    "undefined",
    "application/x-json",
    "multipart/mixed; boundary=x",
  ])("rejects a valid CSRF token in a body of content type %j", async (type) => {
    const { app, cookie, csrfToken } = await victim();
    const all = { ...fields, csrfToken };
    for (const body of [
      JSON.stringify(all),
      new URLSearchParams(all as Record<string, string>).toString(),
    ]) {
      const headers = { cookie, origin: ORIGIN, "content-type": type };
      const request = new Request(ORIGIN + path, { method: "POST", headers, body });
      expect(changes(await ask(app, request))).toBe(false);
    }
  });

  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "post"])(
    "ignores method overrides in a %s request",
    async (method) => {
      const { app, cookie, csrfToken } = await victim();
      const all = { ...fields, csrfToken, _method: "POST" } as Record<string, string>;
      const headers = {
        cookie,
        "x-http-method-override": "POST",
        "x-http-method": "POST",
        "x-method-override": "POST",
      };
      const hasBody = !["GET", "HEAD"].includes(method);
      const request = new Request(`${ORIGIN}${path}?${new URLSearchParams(all)}`, {
        method,
        headers,
        ...(hasBody && { body: new URLSearchParams(all) }),
      });
      // `Request` normalizes `post` to POST, which may pass with its token.
      if (request.method === "POST") return;
      // A GET of the sign-in page may set the callback-url cookie.
      if (method === "GET" && path.includes("/signin/")) return;
      expect(changes(await ask(app, request))).toBe(false);
    },
  );

  const ORIGINS: [origin: string | undefined, site: string | undefined, passes: boolean][] = [
    [ORIGIN, undefined, true],
    [ORIGIN, "same-origin", true],
    [undefined, undefined, true],
    [undefined, "same-origin", true],
    [undefined, "none", true],
    ["null", "same-origin", true],
    ["null", "none", true],
    [undefined, "same-site", false],
    [undefined, "cross-site", false],
    [undefined, "Same-Origin", false],
    [undefined, "garbage", false],
    ["null", "cross-site", false],
    ["null", "same-site", false],
    [`http://${EVIL}`, undefined, false],
    [`http://${EVIL}`, "same-origin", false],
    [`http://${EVIL}`, "none", false],
    ["http://localhost", "same-site", false],
    ["http://localhost:3001", undefined, false],
    ["https://localhost:3000", undefined, false],
    ["http://127.0.0.1:3000", undefined, false],
    ["http://sub.localhost:3000", undefined, false],
    [`http://localhost:3000.${EVIL}`, undefined, false],
    [`http://localhost:3000@${EVIL}`, undefined, false],
    ["http://LOCALHOST:3000", undefined, false],
    ["http://localhost:3000/", undefined, false],
    ["http://localhost:3000, http://evil.example", undefined, false],
    ["localhost:3000", undefined, false],
    ["file://", undefined, false],
    ["chrome-extension://x", undefined, false],
    ["undefined", undefined, false],
  ];
  it.each(ORIGINS)(
    "CSRF check with a valid token, Origin %s and Sec-Fetch-Site %s: passes %s",
    async (origin, site, passes) => {
      const { app, cookie, csrfToken } = await victim();
      const headers: Record<string, string> = { cookie, "content-type": "application/json" };
      if (origin !== undefined) headers.origin = origin;
      if (site !== undefined) headers["sec-fetch-site"] = site;
      const body = JSON.stringify({ ...fields, csrfToken });
      const request = new Request(ORIGIN + path, { method: "POST", headers, body });
      expect(changes(await ask(app, request, { mayEnter: passes }))).toBe(passes);
    },
  );

  it("rejects arbitrary CSRF tokens, cookies and bodies", async () => {
    const { app, cookie } = await victim();
    const session = /authjs\.session-token=[^;]+/.exec(cookie)?.[0] ?? "";
    const hex = fc.string({
      unit: fc.constantFrom(..."0123456789abcdef"),
      minLength: 64,
      maxLength: 64,
    });
    const token = fc.oneof(hex, fc.jsonValue(), fc.string());
    await fc.assert(
      fc.asyncProperty(token, hex, async (csrfToken, mac) => {
        const text = typeof csrfToken === "string" ? csrfToken : JSON.stringify(csrfToken);
        const pair = encodeURIComponent(wellFormed(`${text}|${mac}`));
        const jar = `${session}; authjs.csrf-token=${pair}`;
        const request = post(ORIGIN + path, { ...fields, cookie: jar, csrfToken }, "json");
        expect(changes(await ask(app, request))).toBe(false);
      }),
      runs(60),
    );
  });
});

describe("several CSRF tokens in one form", () => {
  const twice = async (app: TestAuth, tokens: string[], cookie: string) => {
    const body = new URLSearchParams(Object.entries(LOVELACE));
    for (const token of tokens) body.append("csrfToken", token);
    const headers = { cookie, origin: ORIGIN };
    const request = new Request(`${ORIGIN}/auth/callback/credentials`, {
      method: "POST",
      headers,
      body,
    });
    return givesSession(await ask(app, request, { mayEnter: true }));
  };

  it("POST /callback/credentials refuses two csrfToken fields, whichever is right", async () => {
    const app = createTestAuth();
    const { cookie, csrfToken } = await stranger(app);
    expect(await twice(app, ["x", csrfToken], cookie)).toBe(false);
    expect(await twice(app, [csrfToken, csrfToken], cookie)).toBe(false);
    expect(await twice(app, [csrfToken, "x"], cookie)).toBe(false);
    expect(await twice(app, [csrfToken, ""], cookie)).toBe(false);
  });
});

describe("CSRF cookie planted by a sibling host", () => {
  it("POST /signout from another origin is rejected with a planted CSRF cookie next to the victim's", async () => {
    const { app, cookie, csrfToken } = await victim();
    const tossed = await stranger(app);
    // The browser sends both cookies. The page that posts belongs to the attacker.
    for (const jar of [`${cookie}; ${tossed.cookie}`, `${tossed.cookie}; ${cookie}`]) {
      const headers = { origin: `http://${EVIL}`, "sec-fetch-site": "same-site" };
      for (const token of [tossed.csrfToken, csrfToken]) {
        const fields = { cookie: jar, csrfToken: token };
        const response = await ask(app, post(`${ORIGIN}/auth/signout`, fields, "form", headers));
        expect(response.headers.getSetCookie().filter((one) => one.includes("session"))).toEqual(
          [],
        );
      }
    }
  });
});
