import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokens } from "../../src/crypto/token.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import {
  createTestAuth,
  type TestAuth,
  LOVELACE,
  ORIGIN,
  SECRET,
  setCookieNames,
} from "../_app.ts";
import { ask, givesSession, post, runs, stranger, watchRejections } from "./_attack.ts";

watchRejections();

const NAME = "authjs.session-token";

const get = (path: string, cookie: string) =>
  new Request(`${ORIGIN}/auth/${path}`, { headers: { cookie, accept: "text/html" } });

async function fetchSession(testApp: TestAuth, cookie: string): Promise<unknown> {
  const response = await testApp.auth.fetch(get("session", cookie));
  expect(response.status).toBe(200);
  return response.json();
}

/** Expects no session for a malformed cookie jar, and that a sign-in still works (R8). */
async function expectNobody(testApp: TestAuth, cookie: string): Promise<Response> {
  const response = await ask(testApp, get("session", cookie));
  expect(response.status).toBe(200);
  expect(await response.json()).toBeNull();
  return response;
}

async function expectEntry(testApp: TestAuth, cookie: string): Promise<Response> {
  const { csrfToken, cookie: csrf } = await stranger(testApp, ORIGIN, cookie);
  const fields = { cookie: `${csrf}; ${cookie}`, csrfToken, ...LOVELACE };
  const request = post(`${ORIGIN}/auth/callback/credentials`, fields);
  const response = await ask(testApp, request, { mayEnter: true });
  expect(givesSession(response)).toBe(true);
  return response;
}

const toBytes = (token: string) =>
  token
    .split(".")
    .map((part) => Buffer.from(part, "base64url").toString("hex"))
    .join(".");

const signedIn = async (config: AuthConfig = {}) => {
  const testApp = createTestAuth(config);
  await testApp.browser.signInWith("credentials", LOVELACE);
  const parts = [...testApp.browser.cookies].filter(([name]) => name.startsWith(NAME));
  return { testApp, token: parts.map(([, value]) => value).join(""), parts };
};

describe("a session cookie that was tampered with", () => {
  it("GET /session returns null when any character of the session cookie is changed", async () => {
    const { testApp, token } = await signedIn();
    expect(await fetchSession(testApp, `${NAME}=${token}`)).not.toBeNull();
    const letter = fc.constantFrom(...'ABCDEFabcdef0189-_.~=+/ %"\\,é');
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), letter, async (at, put) => {
        fc.pre(token[at] !== put);
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        // The last character of a part has spare bits, so two spellings may decode to the same token.
        fc.pre(toBytes(changed) !== toBytes(token));
        const response = await expectNobody(testApp, `${NAME}=${changed}`);
        expect(setCookieNames(response)).toEqual([NAME]);
      }),
      runs(250),
    );
  });

  it("GET /session returns null for a session cookie that is cut, doubled or recombined", async () => {
    const { testApp, token } = await signedIn();
    const parts = token.split(".");
    const other = (await signedIn()).token.split(".");
    const changed = [
      token.slice(1),
      token.slice(0, -1),
      `${token}.`,
      `.${token}`,
      token + token,
      token.toUpperCase(),
      [...parts].reverse().join("."),
      parts.slice(0, 4).join("."),
      parts.slice(0, 3).join("."),
      [...parts, parts[4]].join("."),
      [parts[0], "AAAA", ...parts.slice(2)].join("."),
      [...parts.slice(0, 2), other[2], ...parts.slice(3)].join("."),
      [...parts.slice(0, 3), other[3], parts[4]].join("."),
      [...parts.slice(0, 4), other[4]].join("."),
      [...parts.slice(0, 4), ""].join("."),
      [...parts.slice(0, 2), "", ...parts.slice(3)].join("."),
      [...parts.slice(0, 3), "", parts[4]].join("."),
      [...parts.slice(0, 4), parts[4]?.slice(0, 10)].join("."),
      parts[3] ?? "",
      "....",
      ".",
      "null",
      "undefined",
      "{}",
      "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
      "a".repeat(40_000),
      "%00",
      "%",
      "%E0%A4%A",
      "\u00ff",
    ];
    for (const value of changed) {
      await expectNobody(testApp, `${NAME}=${value}`);
      await expectEntry(testApp, `${NAME}=${value}`);
    }
  });

  it("GET /session accepts a session cookie that is quoted or percent-encoded", async () => {
    const { testApp, token } = await signedIn();
    for (const value of [
      `"${token}"`,
      encodeURIComponent(token),
      token.replaceAll(".", "%2e"),
      ` ${token} `,
    ]) {
      await expect(fetchSession(testApp, `${NAME}=${value}`)).resolves.toMatchObject({
        user: { name: "Ada" },
      });
    }
  });
});

describe("a session cookie in several chunks", () => {
  const big = {
    callbacks: { jwt: ({ token }: { token: object }) => ({ ...token, big: "x".repeat(8000) }) },
  };
  const jar = (parts: [string, string][]) => parts.map((pair) => pair.join("=")).join("; ");

  it("GET /session reads the chunks of a session cookie in any order", async () => {
    const { testApp, parts } = await signedIn(big);
    expect(parts.length).toBeGreaterThan(2);
    for (const order of [parts, [...parts].reverse()]) {
      expect(await fetchSession(testApp, jar(order))).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("GET /session returns null when a chunk is missing, foreign, empty, repeated, swapped or renamed", async () => {
    const { testApp, parts } = await signedIn(big);
    const other = (await signedIn(big)).parts;
    const named = (pairs: [string, string][], change: (name: string, at: number) => string) =>
      pairs.map(([name, value], at): [string, string] => [change(name, at), value]);
    const value = (at: number) => parts[at]?.[1] ?? "";
    const bad: [string, string][][] = [
      parts.slice(1),
      parts.slice(0, -1),
      [parts[0], ...parts.slice(2)] as [string, string][],
      [...parts.slice(0, 1), other[1], ...parts.slice(2)] as [string, string][],
      [...parts.slice(0, -1), other.at(-1)] as [string, string][],
      parts.map(([name], at): [string, string] => [name, at === 1 ? "" : value(at)]),
      parts.map(([name], at): [string, string] => [name, value(at === 0 ? 1 : at === 1 ? 0 : at)]),
      named(parts, (_, at) => `${NAME}.${at + 1}`),
      named(parts, (_, at) => `${NAME}.0${at}`),
      named(parts, (_, at) => `${NAME}.${at}.0`),
      named(parts, (_, at) => `${NAME}-${at}`),
      named(parts, (_, at) => `${NAME}.${at}x`),
      named(parts, (_, at) => `${NAME}.+${at}`),
      named(parts, (_, at) => `${NAME}.${at}e0`),
      named(parts, (name) => name.toUpperCase()),
    ];
    for (const pairs of bad) {
      await expectNobody(testApp, jar(pairs));
      await expectEntry(testApp, jar(pairs));
    }
  });

  it("GET /session reads at most ten chunks of a session cookie", async () => {
    const { testApp, token } = await signedIn();
    const letters = [...token].map((letter, at): [string, string] => [`${NAME}.${at}`, letter]);
    await expectNobody(testApp, jar(letters));
    await expectNobody(testApp, jar(letters.slice(0, 11)));
  });

  it("GET /session with thousands of chunks is fast and clears the ten that are read", async () => {
    const testApp = createTestAuth();
    const many = Array.from({ length: 5000 }, (_, at) => `${NAME}.${at}=${"x".repeat(3)}`).join(
      "; ",
    );
    const response = await expectNobody(testApp, many);
    expect(setCookieNames(response).every((name) => name.startsWith(`${NAME}.`))).toBe(true);
    // Servers also refuse a response with too many headers.
    expect(setCookieNames(response)).toHaveLength(10);
    await expectEntry(testApp, many);
  });

  it("POST /callback/credentials clears the chunks of a longer session cookie", async () => {
    const { testApp, parts } = await signedIn(big);
    const response = await expectEntry(testApp, jar([...parts, [`${NAME}.7`, "x"]]));
    const set = response.headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME));
    const last = set.find((cookie) => cookie.startsWith(`${NAME}.7=`));
    expect(last).toContain("Max-Age=0");
  });
});

describe("cookies with names similar to Keyhook's", () => {
  it("GET /session ignores cookies with similar names", async () => {
    const { testApp, token } = await signedIn();
    for (const name of [
      `x${NAME}`,
      `${NAME}x`,
      `${NAME}_0`,
      `${NAME}.`,
      `${NAME}.-1`,
      `${NAME}.0.0`,
      `${NAME}.zero`,
      `${NAME}.1`,
      `__Secure-${NAME}`,
      `__Host-${NAME}`,
      `__secure-${NAME}`,
      "next-auth.session-token",
      "authjs.session",
      "AUTHJS.SESSION-TOKEN",
      "authjs.session-token ",
      "__proto__",
      "constructor",
      "toString",
    ].filter((one) => one.trim() === one)) {
      await expectNobody(testApp, `${name}=${token}`);
      const both = await fetchSession(testApp, `${name}=planted; ${NAME}=${token}`);
      expect(both, name).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("GET /session does not clear cookies of other applications", async () => {
    const testApp = createTestAuth();
    const response = await expectNobody(
      testApp,
      `${NAME}=bad; ${NAME}x=1; ${NAME}.x=2; ${NAME}.0a=3; other=4`,
    );
    expect(setCookieNames(response)).toEqual([NAME]);
  });

  it("GET /session ignores a session cookie without the __Secure- prefix on https", async () => {
    const testApp = createTestAuth({ env: { NODE_ENV: "test", AUTH_URL: "https://app.example" } });
    const browser = testApp.openBrowser("https://app.example");
    await browser.signInWith("credentials", LOVELACE);
    const token = browser.cookies.get(`__Secure-${NAME}`);
    expect(token).toBeDefined();
    const plain = new Request("https://app.example/auth/session", {
      headers: { cookie: `${NAME}=${token}` },
    });
    expect(await (await testApp.auth.fetch(plain)).json()).toBeNull();
  });
});

describe("a blank before or after a cookie name, which a browser stores from a sibling host", () => {
  const HTTPS = "https://app.example";
  const env = { NODE_ENV: "test", AUTH_URL: HTTPS };
  const blanks = ["\u00a0", "\u0085", "\u000b", "\u000c"];
  const disguise = (jar: Iterable<[string, string]>, blank: string) =>
    [...jar].flatMap(([name, value]) => [
      `${blank}${name}=${value}`,
      `${name}${blank}=${value}`,
      `x${blank};${blank}${name}=${value}`,
    ]);

  // Headers of a runtime that accepts all of these characters.
  const sent = (path: string, cookie: string, init: RequestInit = {}) => {
    const request = new Request(`${HTTPS}/auth/${path}`, init);
    const headers = {
      get: (name: string) => (name === "cookie" ? cookie : request.headers.get(name)),
    };
    return new Proxy(request, {
      get(target, key) {
        if (key === "headers") return Object.assign(new Headers(target.headers), headers);
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  };

  it("no route reads a session or a CSRF token from a name with a blank that HTTP does not define", async () => {
    const testApp = createTestAuth({ env, errors: "allowed" });
    const mallory = testApp.openBrowser(HTTPS);
    await mallory.signInWith("credentials", LOVELACE);
    const csrfToken = await mallory.csrfToken();
    const body = new URLSearchParams({ ...LOVELACE, csrfToken });
    for (const blank of blanks) {
      for (const cookie of disguise(mallory.cookies, blank)) {
        const read = await testApp.auth.fetch(sent("session", cookie));
        expect(await read.json(), JSON.stringify(cookie)).toBeNull();
        expect(read.headers.getSetCookie()).toEqual([]);
        const init = { method: "POST", body, headers: { origin: HTTPS } };
        const posted = await testApp.auth.fetch(sent("callback/credentials", cookie, init));
        expect(givesSession(posted), JSON.stringify(cookie)).toBe(false);
      }
    }
  });
});

describe("two cookies with the same name", () => {
  it("GET /session reads the session cookie as a separate one, not as part of another's quoted value", async () => {
    const { testApp, token } = await signedIn();
    for (const jar of [
      `$Version=1; a="x; ${NAME}=${token}; b=y"`,
      `$Version=1; authjs.callback-url="x; ${NAME}=${token}; b=y"`,
      `authjs.csrf-token="x; ${NAME}=${token}; b="`,
    ]) {
      expect(await fetchSession(testApp, jar)).toHaveProperty("user");
      for (const path of ["session", "csrf", "signin", "error", "providers"]) {
        const response = await ask(testApp, get(path, jar));
        const [, ...signed] = token.split(".");
        const said = [...response.headers].join() + (await response.text());
        expect(said).not.toContain(signed.at(-1));
      }
    }
  });

  it("GET /session finds the valid session cookie before or after an invalid one of the same name", async () => {
    const { testApp, token } = await signedIn();
    expect(await fetchSession(testApp, `${NAME}=${token}; ${NAME}=planted`)).not.toBeNull();
    expect(await fetchSession(testApp, `${NAME}=planted; ${NAME}=${token}`)).not.toBeNull();
  });

  it("GET /session reads the first session cookie when an attacker plants a second one", async () => {
    const ada = await signedIn();
    const mallory = await createTokens().encode({
      token: { sub: "9", name: "Mallory" },
      secret: SECRET,
      salt: NAME,
    });
    const both = await fetchSession(ada.testApp, `${NAME}=${ada.token}; ${NAME}=${mallory}`);
    expect(both).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("malformed Cookie headers", () => {
  const jars = [
    "",
    ";",
    ";;;;",
    "=",
    "=x",
    "==",
    " = ",
    `${NAME}`,
    `${NAME}=`,
    `=${NAME}`,
    `${NAME}==x`,
    `${NAME}=x=y=z`,
    `${NAME}=""`,
    `${NAME}="`,
    `${NAME}=%`,
    `${NAME}=%00`,
    `${NAME}=%zz; authjs.csrf-token=%zz; authjs.callback-url=%zz`,
    "authjs.csrf-token=|; authjs.callback-url=|",
    "authjs.csrf-token=%7C%7C%7C",
    `authjs.csrf-token=${"0".repeat(64)}%7C${"0".repeat(64)}`,
    "authjs.callback-url=http%3A%2F%2Fevil.example",
    "authjs.callback-url=%0d%0aSet-Cookie:x",
    "authjs.state=x; authjs.nonce=x; authjs.pkce.code_verifier=x; authjs.challenge=x",
    "a=b, c=d",
    `a=b,${NAME}=x`,
    "$Version=1; a=b; $Path=/",
    "__proto__=x; constructor=y; toString=z; hasOwnProperty=1",
    "\u00e9=\u00ff; \u0080=\u0080",
    `a=${"x".repeat(60_000)}`,
    Array.from({ length: 20_000 }, (_, at) => `c${at}=`).join(";"),
    ";".repeat(60_000),
    "=".repeat(60_000),
    `${NAME}=${"%41".repeat(20_000)}`,
    `${NAME}=${".".repeat(60_000)}`,
    `authjs.callback-url=${"%2F".repeat(20_000)}`,
    `authjs.csrf-token=${"%7C".repeat(20_000)}`,
    " ".repeat(30_000),
  ];
  const PAGES = [
    "session",
    "csrf",
    "signin",
    "signout",
    "error",
    "verify-request",
    "providers",
    "callback/credentials",
  ];

  it("every route treats a malformed Cookie header as no session and lets sign-in work", async () => {
    const testApp = createTestAuth();
    for (const jar of jars) {
      for (const path of PAGES) await ask(testApp, get(path, jar));
      await expectNobody(testApp, jar);
      await expectEntry(testApp, jar);
      const { csrfToken, cookie } = await stranger(testApp);
      await ask(
        testApp,
        post(`${ORIGIN}/auth/signout`, { cookie: `${cookie}; ${jar}`, csrfToken }),
      );
    }
  });

  it("every route treats an arbitrary Cookie header as no session", async () => {
    const testApp = createTestAuth();
    const piece = fc.oneof(
      fc.constantFrom(
        NAME,
        `${NAME}.0`,
        "authjs.csrf-token",
        "authjs.callback-url",
        "authjs.state",
        "=",
        ";",
        "; ",
        "%",
        "|",
        '"',
        ",",
        ".",
        "ey",
      ),
      fc.string({
        unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
        maxLength: 12,
      }),
    );
    const header = fc
      .array(piece, { maxLength: 20 })
      .map((pieces) => pieces.join("").replaceAll("\u007f", ""));
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom(...PAGES), async (cookie, path) => {
        await ask(testApp, get(path, cookie));
        await expectNobody(testApp, cookie);
      }),
      runs(250),
    );
  });
});

describe("attributes of every Set-Cookie", () => {
  it("every cookie is HttpOnly, SameSite=Lax, without Domain and, on https, Secure", async () => {
    for (const origin of [ORIGIN, "https://app.example"]) {
      const testApp = createTestAuth();
      const browser = testApp.openBrowser(origin);
      const responses = [
        await browser.get("/auth/csrf"),
        await browser.get("/auth/signin?callbackUrl=/x"),
        await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/y" }),
        await browser.signOut(),
      ];
      const cookies = responses.flatMap((response) => response.headers.getSetCookie());
      expect(cookies.length).toBeGreaterThanOrEqual(4);
      for (const cookie of cookies) {
        expect(cookie).toMatch(/; Path=\//);
        expect(cookie).toMatch(/; HttpOnly/);
        expect(cookie).toMatch(/; SameSite=Lax/);
        expect(cookie).not.toMatch(/; Domain=/);
        expect(/; Secure/.test(cookie)).toBe(origin.startsWith("https:"));
        // Browsers drop longer cookies silently.
        expect(cookie.length).toBeLessThanOrEqual(4096);
      }
    }
  });

  it("POST /signin keeps the callback-url cookie within the browser's size limit", async () => {
    const testApp = createTestAuth();
    const who = await stranger(testApp);
    for (const length of [100, 2000, 3900, 4000, 4096, 8000, 60_000]) {
      const request = post(`${ORIGIN}/auth/signin`, {
        ...who,
        callbackUrl: `/${"é".repeat(length / 10)}`,
      });
      await ask(testApp, request);
    }
  });
});
