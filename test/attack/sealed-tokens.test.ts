import { CompactEncrypt, CompactSign, UnsecuredJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import {
  encodeBase64url,
  encodeText,
  hkdfSha256,
  createHmac,
  getPlatform,
} from "../../src/crypto/crypto.ts";
import { createTokens } from "../../src/crypto/token.ts";
import type { AuthConfig, JWT } from "../../src/kernel.ts";
import { ADA, createTestAuth, credentials, LOVELACE, ORIGIN, SECRET } from "../_app.ts";
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
  "the state of another attempt": "authjs.state.abcdefghijkl",
  "a chunk of a session": `${NAME}.0`,
  csrf: "authjs.csrf-token",
  "callback URL": "authjs.callback-url",
  nothing: "",
  "a purpose of the application": "reset-password",
};

const CLAIMS = { sub: ADA.id, name: ADA.name, email: ADA.email };
const now = () => Math.floor(Date.now() / 1000);

const read = (cookie: string) =>
  new Request(`${ORIGIN}/auth/session`, { headers: { cookie, accept: "application/json" } });

async function fetchSession(token: string, config: AuthConfig = {}): Promise<unknown> {
  const app = createTestAuth(config);
  const response = await ask(app, read(`${NAME}=${token}`), { mayEnter: true });
  expect(response.status).toBe(200);
  return response.json();
}

const deriveKey = (length = 64, salt = NAME, secret = SECRET) =>
  hkdfSha256(secret, salt, `Auth.js Generated Encryption Key (${salt})`, length);

const deriveKid = async (key: Uint8Array<ArrayBuffer>) => {
  const jwk = JSON.stringify({ k: encodeBase64url(key), kty: "oct" });
  return getPlatform().digest(key.length === 64 ? "SHA-512" : "SHA-256", jwk);
};

/** Seals a token as an attacker with the right key would. Only its claims and header are odd. */
async function sealed(payload: unknown, header: Record<string, unknown> = {}): Promise<string> {
  const key = await deriveKey(header.enc === "A256GCM" ? 32 : 64);
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const protectedHeader = {
    alg: "dir",
    enc: "A256CBC-HS512",
    kid: await deriveKid(key),
    ...header,
  };
  return new CompactEncrypt(encodeText(text)).setProtectedHeader(protectedHeader).encrypt(key);
}

describe("purposes of sealed tokens (R3)", () => {
  const tokens = createTokens();
  const seal = (salt: string, token: JWT) => tokens.encode({ token, secret: SECRET, salt });

  it("a token sealed as a session is accepted as a session", async () => {
    expect(await fetchSession(await seal(NAME, CLAIMS))).toMatchObject({ user: { name: "Ada" } });
  });

  it.each(Object.entries(KINDS).filter(([kind]) => kind !== "session"))(
    "a token sealed as %s is not accepted as a session",
    async (_, salt) => {
      expect(await fetchSession(await seal(salt, CLAIMS))).toBeNull();
      const check = { ...CLAIMS, value: "x", provider: "acme", attempt: "a", checks: ["state"] };
      expect(await fetchSession(await seal(salt, check))).toBeNull();
    },
  );

  it("decode rejects a token under another salt after it was decoded under its own", async () => {
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

  it("a sealed token is not a CSRF token, and a CSRF token is not a session", async () => {
    const app = createTestAuth();
    const csrfToken = await app.browser.csrfToken();
    const csrf = decodeURIComponent(app.browser.cookies.get("authjs.csrf-token") ?? "");
    for (const value of [csrf, csrfToken, csrf.split("|")[1] ?? ""]) {
      expect(await fetchSession(encodeURIComponent(value))).toBeNull();
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
          givesSession(await ask(app, new Request(url, { method: "POST", headers, body }))),
        ).toBe(false);
      }
    }
  });

  it("an HMAC of another purpose does not sign a CSRF cookie", async () => {
    const app = createTestAuth();
    const token = "a".repeat(64);
    for (const text of [token, `csrf ${token}`, `keyhook email ${token}`, `keyhook csrf${token}`]) {
      const cookie = encodeURIComponent(`${token}|${await createHmac(SECRET)(text)}`);
      const headers = { cookie: `authjs.csrf-token=${cookie}`, origin: ORIGIN };
      const body = new URLSearchParams({ csrfToken: token, ...LOVELACE });
      const url = `${ORIGIN}/auth/callback/credentials`;
      expect(
        givesSession(await ask(app, new Request(url, { method: "POST", headers, body }))),
      ).toBe(false);
    }
  });
});

describe("state and PKCE cookies of an attempt", () => {
  const acme = (id: string) => ({
    id,
    name: id,
    type: "oauth" as const,
    clientId: "client",
    clientSecret: "secret",
    authorization: "https://acme.example/authorize",
    token: {
      url: "https://acme.example/token",
      // A sign-in that reaches this function has passed the checks.
      request: () => ({ tokens: { access_token: "at" } }),
    },
    userinfo: { url: "https://acme.example/me", request: () => ({ id: "1", name: "Ada" }) },
    profile: () => ({ id: "1", name: "Ada" }),
    checks: ["pkce", "state"] as const,
  });
  const open = async () => {
    const { auth, browser } = createTestAuth({
      preset: standardPreset,
      errors: "allowed",
      providers: [credentials(), acme("acme"), acme("other")],
    });
    const away = await browser.signIn("acme");
    const state = new URL(away.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const jar = new Map([...browser.cookies].filter(([name]) => /state|pkce|keyhook/.test(name)));
    expect([...jar.keys()].toSorted()).toEqual([
      "authjs.pkce.code_verifier",
      "authjs.state",
      "keyhook.browser",
    ]);
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

  it("GET /callback/acme accepts the cookies of its own attempt", async () => {
    const { jar, back } = await open();
    expect(givesSession(await back(jar))).toBe(true);
  });

  it("GET /callback/acme rejects state and PKCE cookies that are swapped or replaced by other tokens", async () => {
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
        ...jar,
        ["authjs.state", first],
        ["authjs.pkce.code_verifier", second],
      ]);
      const response = await back(cookies);
      expect(givesSession(response)).toBe(false);
      expect(response.headers.get("location")).toContain("/auth/signin?error=InvalidCheck");
    }
    for (const value of [state, pkce]) expect(await fetchSession(value)).toBeNull();
  });

  it("GET /callback/acme rejects the cookies of an attempt after 15 minutes", async () => {
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

  it("GET /callback/acme rejects the cookies at another provider, or with another state or attempt", async () => {
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

describe("headers of sealed tokens", () => {
  const odd: Record<string, Record<string, unknown>> = {
    "another key's id": { kid: "another" },
    "an empty key id": { kid: "" },
    "a path as key id": { kid: "../../dev/null" },
    "SQL as key id": { kid: "' OR 1=1 --" },
    "a number as key id": { kid: 1 },
    "null as key id": { kid: null },
  };
  it.each(Object.entries(odd))("a session token with %s is rejected", async (_, header) => {
    const token = await sealed({ ...CLAIMS, exp: now() + 1000 }, header);
    expect(await fetchSession(token)).toBeNull();
  });

  it("a session token of A256GCM without a key id, as older versions wrote, is decrypted with the right key", async () => {
    const token = await sealed(
      { ...CLAIMS, exp: now() + 1000 },
      { enc: "A256GCM", kid: undefined },
    );
    expect(await fetchSession(token)).toMatchObject({ user: { name: "Ada" } });
    expect(await fetchSession(token, { secret: "x".repeat(40) })).toBeNull();
  });

  it.each(["A128GCM", "A192GCM", "A128CBC-HS256", "A192CBC-HS384"])(
    "a session token encrypted with %s is rejected",
    async (enc) => {
      const length = { A128GCM: 16, A192GCM: 24, "A128CBC-HS256": 32, "A192CBC-HS384": 48 }[
        enc
      ] as number;
      for (const key of [await deriveKey(length), (await deriveKey(64)).subarray(0, length)]) {
        const token = await new CompactEncrypt(
          encodeText(JSON.stringify({ ...CLAIMS, exp: now() + 1000 })),
        )
          .setProtectedHeader({ alg: "dir", enc })
          .encrypt(key);
        expect(await fetchSession(token)).toBeNull();
      }
    },
  );

  it.each(["A128KW", "A256KW", "A256GCMKW", "PBES2-HS256+A128KW", "PBES2-HS512+A256KW"])(
    "a session token with the key management %s is rejected without deriving a key",
    async (alg) => {
      const length = { A128KW: 16, A256KW: 32, A256GCMKW: 32 }[alg];
      const key = length ? await deriveKey(length) : encodeText(SECRET);
      const token = await new CompactEncrypt(
        encodeText(JSON.stringify({ ...CLAIMS, exp: now() + 1000 })),
      )
        .setProtectedHeader({ alg, enc: "A256CBC-HS512" })
        .encrypt(key);
      expect(await fetchSession(token)).toBeNull();
      // Any iteration count, because the server does not run it.
      const [, ...rest] = token.split(".");
      const greedy = encodeBase64url(
        JSON.stringify({ alg, enc: "A256CBC-HS512", p2c: 2 ** 31, p2s: "AAAA" }),
      );
      expect(await fetchSession([greedy, ...rest].join("."))).toBeNull();
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
    "a valid token with the header %s is rejected",
    async (_, header) => {
      const good = await createTokens().encode({ token: CLAIMS, secret: SECRET, salt: NAME });
      const [, ...rest] = good.split(".");
      for (const first of [header, JSON.stringify(header), [header]]) {
        const text = typeof first === "string" ? first : JSON.stringify(first);
        expect(await fetchSession([encodeBase64url(text), ...rest].join("."))).toBeNull();
      }
    },
  );

  it("a compressed session token is rejected", async () => {
    const key = await deriveKey(64);
    const token = await new CompactEncrypt(encodeText(JSON.stringify(CLAIMS)))
      .setProtectedHeader({ alg: "dir", enc: "A256CBC-HS512" })
      .encrypt(key);
    const [, ...rest] = token.split(".");
    const zipped = encodeBase64url(
      JSON.stringify({ alg: "dir", enc: "A256CBC-HS512", zip: "DEF" }),
    );
    expect(await fetchSession([zipped, ...rest].join("."))).toBeNull();
  });

  it("a signed or unsecured JWT is rejected as a session token", async () => {
    const claims = { ...CLAIMS, exp: now() + 1000 };
    const text = encodeText(JSON.stringify(claims));
    const signed = [];
    for (const key of [
      encodeText(SECRET.padEnd(64, "0")),
      await deriveKey(64),
      encodeText(SECRET.repeat(2)),
    ]) {
      for (const alg of ["HS256", "HS512"]) {
        signed.push(await new CompactSign(text).setProtectedHeader({ alg }).sign(key));
      }
    }
    signed.push(new UnsecuredJWT(claims).encode(), `${new UnsecuredJWT(claims).encode()}..`);
    signed.push(encodeBase64url(JSON.stringify(claims)), JSON.stringify(claims));
    for (const token of signed) expect(await fetchSession(encodeURIComponent(token))).toBeNull();
  });

  it("a key derived from a text similar to the secret opens no session token", async () => {
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
      expect(await fetchSession(token)).toBeNull();
    }
  });
});

describe("exp, nbf and iat of sealed tokens", () => {
  it.each([
    ["expired a minute ago", { exp: -60 }],
    ["expired 20 seconds ago", { exp: -20 }],
    ["expired at the epoch", { exp: -1e12 }],
    ["becomes valid in a minute", { nbf: 60, exp: 1000 }],
    ["becomes valid in a century", { nbf: 3e9, exp: 4e9 }],
  ])("a session token that %s is rejected", async (_, offsets) => {
    const claims = Object.fromEntries(
      Object.entries(offsets).map(([name, by]) => [name, now() + by]),
    );
    expect(await fetchSession(await sealed({ ...CLAIMS, ...claims }))).toBeNull();
  });

  it.each([
    ["text", "9999999999"],
    ["a list", [9_999_999_999]],
    ["true", true],
    ["an object", {}],
    ["null", null],
  ])("a session token with exp, iat or nbf written as %s is rejected", async (_, value) => {
    for (const claim of ["exp", "iat", "nbf"]) {
      expect(
        await fetchSession(await sealed({ ...CLAIMS, exp: now() + 1000, [claim]: value })),
      ).toBeNull();
    }
  });

  it.each([1e11, 1e13, 1e15, 1e300, 1.7976931348623157e308, 253_402_300_800])(
    "a session token with times beyond the range of dates (%d) causes no server error",
    async (far) => {
      for (const claims of [
        { exp: far },
        { exp: far, iat: far },
        { iat: far },
        { iat: -far, exp: far },
      ]) {
        const app = createTestAuth();
        await ask(app, read(`${NAME}=${await sealed({ ...CLAIMS, ...claims })}`));
      }
    },
  );

  it("a session expires within session.maxAge even when its token expires later", async () => {
    const token = await sealed({ ...CLAIMS, iat: now() - 10, exp: now() + 1e9 });
    const session = (await fetchSession(token, { session: { maxAge: 3600 } })) as {
      expires: string;
    } | null;
    if (session) expect(Date.parse(session.expires)).toBeLessThanOrEqual(Date.now() + 3_601_000);
  });
});

describe("payloads of sealed tokens", () => {
  it.each([
    ["an empty text", ""],
    ["invalid JSON", "{"],
    ["a list", "[]"],
    ["text", '"x"'],
    ["a number", "1"],
    ["null", "null"],
    ["a byte order mark", "\ufeff{}"],
    ["a prototype", '{"__proto__":{"sub":"1"},"exp":9999999999}'],
    ["deep nesting", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ])("a sealed payload that is %s causes no server error", async (_, text) => {
    const app = createTestAuth();
    await ask(app, read(`${NAME}=${await sealed(text)}`));
    expect(({} as { sub?: string }).sub).toBeUndefined();
  });
});
