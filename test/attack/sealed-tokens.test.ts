import { CompactEncrypt, CompactSign, UnsecuredJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import { createAuth } from "../../presets/standard.ts";
import {
  encodeBase64url,
  encodeText,
  hkdfSha256,
  hmacSha256Hex,
  platform,
} from "../../src/crypto.ts";
import type { AuthConfig, JWT } from "../../src/index.ts";
import { createBrowser } from "../../src/testing.ts";
import { createTokens } from "../../src/token.ts";
import {
  ADA,
  createHouse,
  createLog,
  credentials,
  ENV,
  LOVELACE,
  ORIGIN,
  SECRET,
} from "../_setup.ts";
import { ask, givesSession, watchRejections } from "./_attack.ts";

watchRejections();

const NAME = "authjs.session-token";
const KINDS = {
  session: NAME,
  state: "authjs.state",
  pkce: "authjs.pkce.code_verifier",
  nonce: "authjs.nonce",
  challenge: "authjs.challenge",
  "secure session": `__Secure-${NAME}`,
  "secure state": "__Secure-authjs.state",
  "another attempt's state": "authjs.state.abcdefghijkl",
  "a part of a session": `${NAME}.0`,
  csrf: "authjs.csrf-token",
  "callback URL": "authjs.callback-url",
  nothing: "",
  "an application's own purpose": "reset-password",
};

const CLAIMS = { sub: ADA.id, name: ADA.name, email: ADA.email };
const now = () => Math.floor(Date.now() / 1000);

const read = (cookie: string) =>
  new Request(`${ORIGIN}/auth/session`, { headers: { cookie, accept: "application/json" } });

async function sessionOf(token: string, config: AuthConfig = {}): Promise<unknown> {
  const house = createHouse(config);
  const response = await ask(house, read(`${NAME}=${token}`), { mayEnter: true });
  expect(response.status).toBe(200);
  return response.json();
}

const keyOf = (length = 64, salt = NAME, secret = SECRET) =>
  hkdfSha256(secret, salt, `Auth.js Generated Encryption Key (${salt})`, length);

const kidOf = async (key: Uint8Array<ArrayBuffer>) => {
  const jwk = JSON.stringify({ k: encodeBase64url(key), kty: "oct" });
  return encodeBase64url(
    await platform.digest(key.length === 64 ? "SHA-512" : "SHA-256", encodeText(jwk)),
  );
};

/** A token as an attacker with the right key would make it: only claims and header are odd. */
async function sealed(payload: unknown, header: Record<string, unknown> = {}): Promise<string> {
  const key = await keyOf(header.enc === "A256GCM" ? 32 : 64);
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const protectedHeader = { alg: "dir", enc: "A256CBC-HS512", kid: await kidOf(key), ...header };
  return new CompactEncrypt(encodeText(text)).setProtectedHeader(protectedHeader).encrypt(key);
}

describe("a token sealed for one purpose (R3)", () => {
  const tokens = createTokens();
  const seal = (salt: string, token: JWT) => tokens.encode({ token, secret: SECRET, salt });

  it("is a session under its own name", async () => {
    expect(await sessionOf(await seal(NAME, CLAIMS))).toMatchObject({ user: { name: "Ada" } });
  });

  it.each(Object.entries(KINDS).filter(([kind]) => kind !== "session"))(
    "such as %s is no session",
    async (_, salt) => {
      expect(await sessionOf(await seal(salt, CLAIMS))).toBeNull();
      const check = { ...CLAIMS, value: "x", provider: "acme", attempt: "a", checks: ["state"] };
      expect(await sessionOf(await seal(salt, check))).toBeNull();
    },
  );

  it("is refused by the very decoder that opened it for its own purpose just before", async () => {
    const salts = Object.values(KINDS);
    for (const salt of salts) {
      const token = await seal(salt, CLAIMS);
      expect(await tokens.decode({ token, secret: SECRET, salt })).toMatchObject(CLAIMS);
      for (const other of salts.filter((one) => one !== salt)) {
        const wrong = async () => tokens.decode({ token, secret: SECRET, salt: other });
        await expect(wrong()).rejects.toThrow();
      }
    }
  });

  it("is no CSRF token, nor is a CSRF token any of them", async () => {
    const house = createHouse();
    const csrfToken = await house.browser.csrfToken();
    const csrf = decodeURIComponent(house.browser.cookies.get("authjs.csrf-token") ?? "");
    for (const value of [csrf, csrfToken, csrf.split("|")[1] ?? ""]) {
      expect(await sessionOf(encodeURIComponent(value))).toBeNull();
    }
    for (const salt of Object.values(KINDS)) {
      const token = await seal(salt, CLAIMS);
      for (const cookie of [token, `${csrfToken}|${token}`, `${token}|${token}`]) {
        const body = new URLSearchParams({ csrfToken: token, ...LOVELACE });
        const headers = {
          cookie: `authjs.csrf-token=${encodeURIComponent(cookie)}`,
          origin: ORIGIN,
        };
        const url = `${ORIGIN}/auth/callback/credentials`;
        expect(
          givesSession(await ask(house, new Request(url, { method: "POST", headers, body }))),
        ).toBe(false);
      }
    }
  });

  it("an HMAC of another purpose signs no CSRF cookie", async () => {
    const house = createHouse();
    const token = "a".repeat(64);
    for (const text of [token, `csrf ${token}`, `keyhook email ${token}`, `keyhook csrf${token}`]) {
      const cookie = encodeURIComponent(`${token}|${await hmacSha256Hex(SECRET, text)}`);
      const headers = { cookie: `authjs.csrf-token=${cookie}`, origin: ORIGIN };
      const body = new URLSearchParams({ csrfToken: token, ...LOVELACE });
      const url = `${ORIGIN}/auth/callback/credentials`;
      expect(
        givesSession(await ask(house, new Request(url, { method: "POST", headers, body }))),
      ).toBe(false);
    }
  });
});

describe("the cookies of an attempt", () => {
  const acme = (id: string) => ({
    id,
    name: id,
    type: "oauth" as const,
    clientId: "client",
    clientSecret: "secret",
    authorization: "https://acme.example/authorize",
    token: {
      url: "https://acme.example/token",
      // Whoever gets here was believed.
      request: () => ({ tokens: { access_token: "at" } }),
    },
    userinfo: { url: "https://acme.example/me", request: () => ({ id: "1", name: "Ada" }) },
    profile: () => ({ id: "1", name: "Ada" }),
    checks: ["pkce", "state"] as const,
  });
  const open = async () => {
    const log = createLog();
    log.ignoreErrors();
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      logger: log.logger,
      providers: [credentials(), acme("acme"), acme("other")],
    });
    const browser = createBrowser(auth.fetch);
    const away = await browser.signIn("acme");
    const state = new URL(away.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const jar = new Map([...browser.cookies].filter(([name]) => /state|pkce/.test(name)));
    expect([...jar.keys()].toSorted()).toEqual(["authjs.pkce.code_verifier", "authjs.state"]);
    const back = (
      cookies: Map<string, string>,
      query: Record<string, string> = {},
      id = "acme",
    ) => {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const url = `${ORIGIN}/auth/callback/${id}?${new URLSearchParams({ code: "c", state, ...query })}`;
      return auth.fetch(new Request(url, { headers: { cookie, accept: "text/html" } }));
    };
    return { auth, browser, jar, state, back };
  };

  it("let in by themselves, as they are", async () => {
    const { jar, back } = await open();
    expect(givesSession(await back(jar))).toBe(true);
  });

  it("let nobody in when exchanged for one another, or for anything else that is sealed", async () => {
    const { browser, jar, back } = await open();
    await browser.signInWith("credentials", LOVELACE);
    const state = jar.get("authjs.state") as string;
    const pkce = jar.get("authjs.pkce.code_verifier") as string;
    const session = browser.cookies.get(NAME) as string;
    const csrf = browser.cookies.get("authjs.csrf-token") as string;
    for (const [first, second] of [
      [pkce, state],
      [state, state],
      [pkce, pkce],
      [session, pkce],
      [state, session],
      [csrf, pkce],
      [state, csrf],
      [state, ""],
      ["", pkce],
    ] as const) {
      const cookies = new Map([
        ["authjs.state", first],
        ["authjs.pkce.code_verifier", second],
      ]);
      const response = await back(cookies);
      expect(givesSession(response)).toBe(false);
      expect(response.headers.get("location")).toContain("/auth/signin?error=InvalidCheck");
    }
    for (const value of [state, pkce]) expect(await sessionOf(value)).toBeNull();
  });

  it("let nobody in after a quarter of an hour, whatever the browser kept", async () => {
    const { jar, back } = await open();
    const { now: clock } = Date;
    const later = (seconds: number) =>
      vi.spyOn(Date, "now").mockImplementation(() => clock() + seconds * 1000);
    try {
      later(930);
      expect(givesSession(await back(jar))).toBe(false);
      later(880);
      expect(givesSession(await back(jar))).toBe(true);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("let nobody in at another provider, with another state or with another attempt's", async () => {
    const { jar, state, back } = await open();
    const other = await open();
    const mixed = new Map(jar).set(
      "authjs.pkce.code_verifier",
      other.jar.get("authjs.pkce.code_verifier") as string,
    );
    const attempts = [
      await back(jar, {}, "other"),
      await back(jar, { state: "" }),
      await back(jar, { state: `${state}x` }),
      await back(jar, {
        state: state.toLowerCase() === state ? state.toUpperCase() : state.toLowerCase(),
      }),
      await back(jar, { state: other.state }),
      await back(other.jar),
      await back(mixed),
      await back(new Map()),
    ];
    for (const response of attempts) expect(givesSession(response)).toBe(false);
  });
});

describe("a header that says something else", () => {
  const odd: Record<string, Record<string, unknown>> = {
    "another key's id": { kid: "another" },
    "an empty key id": { kid: "" },
    "a path as key id": { kid: "../../dev/null" },
    "SQL as key id": { kid: "' OR 1=1 --" },
    "a number as key id": { kid: 1 },
    "null as key id": { kid: null },
  };
  it.each(Object.entries(odd))("%s is refused", async (_, header) => {
    const token = await sealed({ ...CLAIMS, exp: now() + 1000 }, header);
    expect(await sessionOf(token)).toBeNull();
  });

  it("A256GCM without a key id is what older versions wrote: read, with the right key alone", async () => {
    const token = await sealed(
      { ...CLAIMS, exp: now() + 1000 },
      { enc: "A256GCM", kid: undefined },
    );
    expect(await sessionOf(token)).toMatchObject({ user: { name: "Ada" } });
    expect(await sessionOf(token, { secret: "x".repeat(40) })).toBeNull();
  });

  it.each(["A128GCM", "A192GCM", "A128CBC-HS256", "A192CBC-HS384"])(
    "%s is refused",
    async (enc) => {
      const length = { A128GCM: 16, A192GCM: 24, "A128CBC-HS256": 32, "A192CBC-HS384": 48 }[
        enc
      ] as number;
      for (const key of [await keyOf(length), (await keyOf(64)).subarray(0, length)]) {
        const token = await new CompactEncrypt(
          encodeText(JSON.stringify({ ...CLAIMS, exp: now() + 1000 })),
        )
          .setProtectedHeader({ alg: "dir", enc })
          .encrypt(key);
        expect(await sessionOf(token)).toBeNull();
      }
    },
  );

  it.each(["A128KW", "A256KW", "A256GCMKW", "PBES2-HS256+A128KW", "PBES2-HS512+A256KW"])(
    "%s is refused, at no cost",
    async (alg) => {
      const length = { A128KW: 16, A256KW: 32, A256GCMKW: 32 }[alg];
      const key = length ? await keyOf(length) : encodeText(SECRET);
      const token = await new CompactEncrypt(
        encodeText(JSON.stringify({ ...CLAIMS, exp: now() + 1000 })),
      )
        .setProtectedHeader({ alg, enc: "A256CBC-HS512" })
        .encrypt(key);
      expect(await sessionOf(token)).toBeNull();
      // As many rounds as it likes: nobody counts them.
      const [, ...rest] = token.split(".");
      const greedy = encodeBase64url(
        JSON.stringify({ alg, enc: "A256CBC-HS512", p2c: 2 ** 31, p2s: "AAAA" }),
      );
      expect(await sessionOf([greedy, ...rest].join("."))).toBeNull();
    },
  );

  const headers: Record<string, unknown>[] = [
    {},
    { alg: "none" },
    { alg: "None", enc: "none" },
    { alg: "dir" },
    { alg: "dir", enc: "none" },
    { alg: "DIR", enc: "A256CBC-HS512" },
    { alg: "dir", enc: "a256cbc-hs512" },
    { alg: ["dir"], enc: ["A256CBC-HS512"] },
    { alg: "RSA-OAEP", enc: "A256CBC-HS512" },
    { alg: "ECDH-ES", enc: "A256CBC-HS512", epk: { kty: "EC", crv: "P-256", x: "AA", y: "AA" } },
    { alg: "dir", enc: "A256CBC-HS512", crit: ["exp"], exp: 1 },
    { alg: "dir", enc: "A256CBC-HS512", crit: ["b64"], b64: false },
    { alg: "dir", enc: "A256CBC-HS512", zip: "DEF" },
    { alg: "dir", enc: "A256CBC-HS512", jku: "https://evil.example/jwks" },
    { alg: "dir", enc: "A256CBC-HS512", jwk: { kty: "oct", k: "AAAA" } },
    { alg: "dir", enc: "A256CBC-HS512", x5u: "https://evil.example/cert" },
    { alg: "dir", enc: "A256CBC-HS512", cty: "JWT" },
    { __proto__: null, constructor: { name: "x" }, alg: "dir", enc: "toString" },
  ];
  it.each(headers.map((header) => [JSON.stringify(header), header] as const))(
    "%s in front of a good token is refused",
    async (_, header) => {
      const good = await createTokens().encode({ token: CLAIMS, secret: SECRET, salt: NAME });
      const [, ...rest] = good.split(".");
      for (const first of [header, JSON.stringify(header), [header]]) {
        const text = typeof first === "string" ? first : JSON.stringify(first);
        expect(await sessionOf([encodeBase64url(text), ...rest].join("."))).toBeNull();
      }
    },
  );

  it("a compressed one is not unpacked, not even by its maker", async () => {
    const key = await keyOf(64);
    const token = await new CompactEncrypt(encodeText(JSON.stringify(CLAIMS)))
      .setProtectedHeader({ alg: "dir", enc: "A256CBC-HS512" })
      .encrypt(key);
    const [, ...rest] = token.split(".");
    const zipped = encodeBase64url(
      JSON.stringify({ alg: "dir", enc: "A256CBC-HS512", zip: "DEF" }),
    );
    expect(await sessionOf([zipped, ...rest].join("."))).toBeNull();
  });

  it("a signed or unsecured token is no sealed one", async () => {
    const claims = { ...CLAIMS, exp: now() + 1000 };
    const text = encodeText(JSON.stringify(claims));
    const signed = [];
    for (const key of [
      encodeText(SECRET.padEnd(64, "0")),
      await keyOf(64),
      encodeText(SECRET.repeat(2)),
    ]) {
      for (const alg of ["HS256", "HS512"]) {
        signed.push(await new CompactSign(text).setProtectedHeader({ alg }).sign(key));
      }
    }
    signed.push(new UnsecuredJWT(claims).encode(), `${new UnsecuredJWT(claims).encode()}..`);
    signed.push(encodeBase64url(JSON.stringify(claims)), JSON.stringify(claims));
    for (const token of signed) expect(await sessionOf(encodeURIComponent(token))).toBeNull();
  });

  it("a key derived from something near the secret opens nothing", async () => {
    for (const secret of [
      "",
      " ",
      `${SECRET} `,
      SECRET.slice(1),
      SECRET.toUpperCase(),
      "undefined",
      "secret",
    ]) {
      const salt = NAME;
      const info = `Auth.js Generated Encryption Key (${salt})`;
      const key = await hkdfSha256(secret, salt, info, 64);
      const token = await new CompactEncrypt(
        encodeText(JSON.stringify({ ...CLAIMS, exp: now() + 1000 })),
      )
        .setProtectedHeader({ alg: "dir", enc: "A256CBC-HS512" })
        .encrypt(key);
      expect(await sessionOf(token)).toBeNull();
    }
  });
});

describe("the times of a token", () => {
  it.each([
    ["ended a minute ago", { exp: -60 }],
    ["ended 20 seconds ago", { exp: -20 }],
    ["ended at the epoch", { exp: -1e12 }],
    ["begins in a minute", { nbf: 60, exp: 1000 }],
    ["begins in a century", { nbf: 3e9, exp: 4e9 }],
  ])("that %s make it none", async (_, offsets) => {
    const claims = Object.fromEntries(
      Object.entries(offsets).map(([name, by]) => [name, now() + by]),
    );
    expect(await sessionOf(await sealed({ ...CLAIMS, ...claims }))).toBeNull();
  });

  it.each([
    ["text", "9999999999"],
    ["a list", [9_999_999_999]],
    ["true", true],
    ["an object", {}],
    ["null", null],
  ])("written as %s are refused", async (_, value) => {
    for (const claim of ["exp", "iat", "nbf"]) {
      expect(
        await sessionOf(await sealed({ ...CLAIMS, exp: now() + 1000, [claim]: value })),
      ).toBeNull();
    }
  });

  it.each([1e11, 1e13, 1e15, 1e300, 1.7976931348623157e308, 253_402_300_800])(
    "in a future without dates (%d) are no fault of the server",
    async (far) => {
      for (const claims of [
        { exp: far },
        { exp: far, iat: far },
        { iat: far },
        { iat: -far, exp: far },
      ]) {
        const house = createHouse();
        await ask(house, read(`${NAME}=${await sealed({ ...CLAIMS, ...claims })}`));
      }
    },
  );

  it("cannot make a session outlive its bound", async () => {
    const token = await sealed({ ...CLAIMS, iat: now() - 10, exp: now() + 1e9 });
    const session = (await sessionOf(token, { session: { maxAge: 3600 } })) as {
      expires: string;
    } | null;
    if (session) expect(Date.parse(session.expires)).toBeLessThanOrEqual(Date.now() + 3_601_000);
  });
});

describe("what is inside", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["text", '"x"'],
    ["a number", "1"],
    ["null", "null"],
    ["a byte order mark", "\ufeff{}"],
    ["a prototype", '{"__proto__":{"sub":"1"},"exp":9999999999}'],
    ["deep nesting", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ])("being %s is no fault of the server", async (_, text) => {
    const house = createHouse();
    await ask(house, read(`${NAME}=${await sealed(text)}`));
    expect(({} as { sub?: string }).sub).toBeUndefined();
  });
});
