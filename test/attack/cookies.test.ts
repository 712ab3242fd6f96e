import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/index.ts";
import { createTokens } from "../../src/token.ts";
import { createHouse, type House, LOVELACE, ORIGIN, SECRET, setCookieNames } from "../_setup.ts";
import { ask, givesSession, post, runs, stranger, watchRejections } from "./_attack.ts";

watchRejections();

const NAME = "authjs.session-token";

const get = (path: string, cookie: string) =>
  new Request(`${ORIGIN}/auth/${path}`, { headers: { cookie, accept: "text/html" } });

async function sessionOf(house: House, cookie: string): Promise<unknown> {
  const response = await house.auth.fetch(get("session", cookie));
  expect(response.status).toBe(200);
  return response.json();
}

/** A bad jar is no session, is dropped, and stands in nobody's way (R8). */
async function expectNobody(house: House, cookie: string): Promise<Response> {
  const response = await ask(house, get("session", cookie));
  expect(response.status).toBe(200);
  expect(await response.json()).toBeNull();
  return response;
}

async function expectEntry(house: House, cookie: string): Promise<Response> {
  const { csrfToken, cookie: csrf } = await stranger(house);
  const fields = { cookie: `${csrf}; ${cookie}`, csrfToken, ...LOVELACE };
  const request = post(`${ORIGIN}/auth/callback/credentials`, fields);
  const response = await ask(house, request, { mayEnter: true });
  expect(givesSession(response)).toBe(true);
  return response;
}

const bytesOf = (token: string) =>
  token
    .split(".")
    .map((part) => Buffer.from(part, "base64url").toString("hex"))
    .join(".");

const signedIn = async (config: AuthConfig = {}) => {
  const house = createHouse(config);
  await house.browser.signInWith("credentials", LOVELACE);
  const parts = [...house.browser.cookies].filter(([name]) => name.startsWith(NAME));
  return { house, token: parts.map(([, value]) => value).join(""), parts };
};

describe("a session cookie that was changed", () => {
  it("at any place is no session", async () => {
    const { house, token } = await signedIn();
    expect(await sessionOf(house, `${NAME}=${token}`)).not.toBeNull();
    const letter = fc.constantFrom(...'ABCDEFabcdef0189-_.~=+/ %"\\,é');
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), letter, async (at, put) => {
        fc.pre(token[at] !== put);
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        // The last letter of a part has bits to spare: written otherwise, it is the same token.
        fc.pre(bytesOf(changed) !== bytesOf(token));
        const response = await expectNobody(house, `${NAME}=${changed}`);
        expect(setCookieNames(response)).toEqual([NAME]);
      }),
      runs(250),
    );
  });

  it("by cutting, doubling, turning or reassembling is none", async () => {
    const { house, token } = await signedIn();
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
      await expectNobody(house, `${NAME}=${value}`);
      await expectEntry(house, `${NAME}=${value}`);
    }
  });

  it("by writing it another way is the same one, or none", async () => {
    const { house, token } = await signedIn();
    for (const value of [
      `"${token}"`,
      encodeURIComponent(token),
      token.replaceAll(".", "%2e"),
      ` ${token} `,
    ]) {
      await expect(sessionOf(house, `${NAME}=${value}`)).resolves.toMatchObject({
        user: { name: "Ada" },
      });
    }
  });
});

describe("a session in several parts", () => {
  const big = {
    callbacks: { jwt: ({ token }: { token: object }) => ({ ...token, big: "x".repeat(9000) }) },
  };
  const jar = (parts: [string, string][]) => parts.map((pair) => pair.join("=")).join("; ");

  it("is whole in any order of the parts", async () => {
    const { house, parts } = await signedIn(big);
    expect(parts.length).toBeGreaterThan(2);
    for (const order of [parts, [...parts].reverse()]) {
      expect(await sessionOf(house, jar(order))).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("is none when a part is missing, foreign, empty, twice, swapped or renamed", async () => {
    const { house, parts } = await signedIn(big);
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
      // Left over from a session that was longer.
      [...parts, [`${NAME}.${parts.length}`, "stale"]],
      // The whole cookie is asked first.
      [[NAME, "planted"], ...parts],
      // Tossed before the own one: the browser's first counts.
      [[`${NAME}.0`, "tossed"], ...parts],
    ];
    for (const pairs of bad) {
      await expectNobody(house, jar(pairs));
      await expectEntry(house, jar(pairs));
    }
  });

  it("never has more than ten", async () => {
    const { house, token } = await signedIn();
    const letters = [...token].map((letter, at): [string, string] => [`${NAME}.${at}`, letter]);
    await expectNobody(house, jar(letters));
    await expectNobody(house, jar(letters.slice(0, 11)));
  });

  it("by the thousand costs nothing and is cleared", async () => {
    const house = createHouse();
    const many = Array.from({ length: 5000 }, (_, at) => `${NAME}.${at}=${"x".repeat(3)}`).join(
      "; ",
    );
    const response = await expectNobody(house, many);
    expect(setCookieNames(response).every((name) => name.startsWith(`${NAME}.`))).toBe(true);
    // Servers refuse an answer of too many headers just as well.
    expect(setCookieNames(response).length).toBeLessThanOrEqual(20);
    await expectEntry(house, many);
  });

  it("leaves no part of a longer one behind", async () => {
    const { house, parts } = await signedIn(big);
    const response = await expectEntry(house, jar([...parts, [`${NAME}.7`, "x"]]));
    const set = response.headers.getSetCookie().filter((cookie) => cookie.startsWith(NAME));
    const last = set.find((cookie) => cookie.startsWith(`${NAME}.7=`));
    expect(last).toContain("Max-Age=0");
  });
});

describe("cookies whose names are nearly ours", () => {
  it("take no part in a session", async () => {
    const { house, token } = await signedIn();
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
      await expectNobody(house, `${name}=${token}`);
      const both = await sessionOf(house, `${name}=planted; ${NAME}=${token}`);
      expect(both, name).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("of an application beside us are never cleared", async () => {
    const house = createHouse();
    const response = await expectNobody(
      house,
      `${NAME}=bad; ${NAME}x=1; ${NAME}.x=2; ${NAME}.0a=3; other=4`,
    );
    expect(setCookieNames(response)).toEqual([NAME]);
  });

  it("with the secure prefix do not count on a plain origin, nor the other way round", async () => {
    const house = createHouse({ env: { NODE_ENV: "test", AUTH_URL: "https://app.example" } });
    const browser = house.visit("https://app.example");
    await browser.signInWith("credentials", LOVELACE);
    const token = browser.cookies.get(`__Secure-${NAME}`);
    expect(token).toBeDefined();
    const plain = new Request("https://app.example/auth/session", {
      headers: { cookie: `${NAME}=${token}` },
    });
    expect(await (await house.auth.fetch(plain)).json()).toBeNull();
  });
});

describe("of two cookies of one name", () => {
  it("a bad one in front hides nothing", async () => {
    const { house, token } = await signedIn();
    expect(await sessionOf(house, `${NAME}=${token}; ${NAME}=planted`)).not.toBeNull();
    expect(await sessionOf(house, `${NAME}=planted; ${NAME}=${token}`)).not.toBeNull();
  });

  it("nobody gets somebody else's session by planting a second one", async () => {
    const ada = await signedIn();
    const mallory = await createTokens().encode({
      token: { sub: "9", name: "Mallory" },
      secret: SECRET,
      salt: NAME,
    });
    const both = await sessionOf(ada.house, `${NAME}=${ada.token}; ${NAME}=${mallory}`);
    expect(both).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("a Cookie header", () => {
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

  it("of any form is answered like a stranger's, and keeps nobody out", async () => {
    const house = createHouse();
    for (const jar of jars) {
      for (const path of PAGES) await ask(house, get(path, jar));
      await expectNobody(house, jar);
      await expectEntry(house, jar);
      const { csrfToken, cookie } = await stranger(house);
      await ask(house, post(`${ORIGIN}/auth/signout`, { cookie: `${cookie}; ${jar}`, csrfToken }));
    }
  });

  it("of any text too", async () => {
    const house = createHouse();
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
        await ask(house, get(path, cookie));
        await expectNobody(house, cookie);
      }),
      runs(250),
    );
  });
});

describe("every cookie that is set", () => {
  it("is HttpOnly, SameSite, of the whole host and, on https, Secure", async () => {
    for (const origin of [ORIGIN, "https://app.example"]) {
      const house = createHouse();
      const browser = house.visit(origin);
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
        // Browsers drop a longer one without a word.
        expect(cookie.length).toBeLessThanOrEqual(4096);
      }
    }
  });

  it("stays within what a browser keeps, however long the target", async () => {
    const house = createHouse();
    const who = await stranger(house);
    for (const length of [100, 2000, 3900, 4000, 4096, 8000, 60_000]) {
      const request = post(`${ORIGIN}/auth/signin`, {
        ...who,
        callbackUrl: `/${"é".repeat(length / 10)}`,
      });
      await ask(house, request);
    }
  });
});
