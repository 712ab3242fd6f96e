import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MissingSecretError } from "../../src/errors/errors.ts";
import { decode, encode, getToken } from "../../src/jwt/jwt.ts";
import type { GetTokenParams } from "../../src/jwt/jwt.ts";

const secret = "keyhook-test-secret-0123456789abcdef";
const NAME = "authjs.session-token";
const SECURE = `__Secure-${NAME}`;

const variables = ["AUTH_SECRET", "AUTH_SECRET_1", "AUTH_SECRET_2", "AUTH_SECRET_3"];

beforeEach(() => {
  for (const name of [...variables, "NEXTAUTH_SECRET", "AUTH_URL", "NEXTAUTH_URL"]) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const tokenFor = (salt = NAME, sub = "42", from = secret) =>
  encode({ token: { sub }, secret: from, salt });

const withCookie = (cookie: string) => ({ headers: { cookie } });

type Rest = Omit<GetTokenParams, "req" | "raw">;

const sub = async (req: GetTokenParams["req"], rest: Rest = {}) =>
  (await getToken({ req, secret, ...rest }))?.sub ?? null;

const raw = (req: GetTokenParams["req"], rest: Rest = {}) => getToken({ req, raw: true, ...rest });

describe("encode() and decode()", () => {
  it("decode() returns what encode() encrypted, and both are asynchronous", async () => {
    const made = tokenFor();
    expect(made).toBeInstanceOf(Promise);
    const read = decode<{ sub: string }>({ token: await made, secret, salt: NAME });
    expect(read).toBeInstanceOf(Promise);
    expect((await read)?.sub).toBe("42");
  });

  it("encode() and decode() reject instead of throwing", async () => {
    await expect(encode({ secret: "", salt: NAME })).rejects.toThrow(MissingSecretError);
    await expect(decode({ token: "x", secret, salt: NAME })).rejects.toThrow("The token");
    await expect(decode({ token: await tokenFor(), secret, salt: SECURE })).rejects.toThrow();
    expect(await decode({ secret, salt: NAME })).toBeNull();
  });
});

describe("getToken() from the cookie", () => {
  it("getToken() reads the cookie from headers of every shape", async () => {
    const cookie = `a=b; ${NAME}=${await tokenFor()}; c=d`;
    const shapes = [
      new Request("http://localhost", { headers: { cookie } }),
      { headers: new Headers({ cookie }) },
      { headers: { cookie } },
      { headers: { Cookie: cookie } },
      { headers: { ":authority": "localhost", host: undefined, cookie } },
      { headers: { cookie: cookie.split("; ") } },
    ];
    for (const req of shapes) expect(await sub(req)).toBe("42");
  });

  it("getToken() reads no token from a name with a blank that HTTP does not define", async () => {
    const token = await tokenFor(SECURE);
    const secureCookie = true;
    for (const blank of ["\u00a0", "\u0085", "\u000b", "\u000c", "\ufeff", "\u3000"]) {
      for (const name of [`${blank}${SECURE}`, `${SECURE}${blank}`, `${blank}${SECURE}.0`]) {
        const cookie = `a=b; ${name}=${token}`;
        for (const req of [
          withCookie(cookie),
          { headers: { cookie: ["a=b", `${name}=${token}`] } },
        ]) {
          expect(await raw(req, { secureCookie }), JSON.stringify(name)).toBeNull();
        }
      }
    }
    expect(await sub(withCookie(`\t${SECURE} =\t${token} `), { secureCookie })).toBe("42");
  });

  it.each([
    [{}, {}, NAME],
    [{ AUTH_URL: "" }, {}, NAME],
    [{ AUTH_URL: "http://localhost:3000" }, {}, NAME],
    [{ AUTH_URL: "HTTP://localhost" }, {}, NAME],
    [{ AUTH_URL: "https://example.com" }, {}, SECURE],
    [{ AUTH_URL: "https://example.com/auth" }, {}, SECURE],
    [{ NEXTAUTH_URL: "https://example.com" }, {}, SECURE],
    [{ NEXTAUTH_URL: "http://example.com" }, {}, NAME],
    [{ AUTH_URL: "http://a", NEXTAUTH_URL: "https://b" }, {}, NAME],
    [{ AUTH_URL: "https://example.com" }, { secureCookie: false }, NAME],
    [{ AUTH_URL: "http://localhost" }, { secureCookie: true }, SECURE],
    [{}, { secureCookie: true }, SECURE],
    [{}, { secureCookie: undefined }, NAME],
    [{ AUTH_URL: "https://example.com" }, { cookieName: "mine" }, "mine"],
    [{}, { secureCookie: true, cookieName: "mine" }, "mine"],
  ])("getToken() with %j and %j reads the cookie %s", async (env, rest, name) => {
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
    const all = await Promise.all(
      [NAME, SECURE, "mine"].map(async (one) => `${one}=${await tokenFor(one, one)}`),
    );
    expect(await sub(withCookie(all.join("; ")), rest)).toBe(name);
  });

  it("getToken() uses the cookie's name as the salt, unless another is given", async () => {
    const foreign = withCookie(`${NAME}=${await tokenFor("other")}`);
    expect(await sub(foreign)).toBeNull();
    expect(await sub(foreign, { salt: "other" })).toBe("42");
  });

  it.each([
    [
      "another cookie that starts with its name",
      `${NAME}-other=junk; ${NAME}x=junk; ${NAME}=TOKEN`,
      "42",
    ],
    ["only other cookies that start with its name", `${NAME}-other=TOKEN; ${NAME}.x=TOKEN`, null],
    [
      "another cookie that ends with its name",
      `x${NAME}=junk; x.${NAME}=junk; ${NAME}=TOKEN`,
      "42",
    ],
    ["two cookies of its name, the first valid", `${NAME}=TOKEN; ${NAME}=junk`, "42"],
    ["two cookies of its name, the first invalid", `${NAME}=junk; ${NAME}=TOKEN`, "42"],
    ["an empty cookie", `${NAME}=`, null],
    ["a cookie without a value", NAME, null],
    ["percent signs that cannot be decoded", `${NAME}=%E0%A4%A`, null],
    ["chunks in order", `${NAME}.0=FIRST; ${NAME}.1=SECOND`, "42"],
    ["chunks in another order", `${NAME}.1=SECOND; a=b; ${NAME}.0=FIRST`, "42"],
    ["a gap in the chunks", `${NAME}.0=FIRST; ${NAME}.2=SECOND`, null],
    ["chunks that do not start at 0", `${NAME}.1=FIRST; ${NAME}.2=SECOND`, null],
    ["chunk numbers with leading zeros", `${NAME}.00=FIRST; ${NAME}.01=SECOND`, null],
    ["a chunk after a gap, which is ignored", `${NAME}.0=TOKEN; ${NAME}.2=junk`, "42"],
    [
      "a chunk whose suffix is not a number",
      `${NAME}.0=FIRST; ${NAME}.1=SECOND; ${NAME}.x=junk`,
      "42",
    ],
    ["a stale chunk at the end", `${NAME}.0=FIRST; ${NAME}.1=SECOND; ${NAME}.2=junk`, null],
    [
      "stale chunks next to the whole cookie",
      `${NAME}.0=junk; ${NAME}.1=junk; ${NAME}=TOKEN`,
      "42",
    ],
    ["an empty whole cookie next to chunks", `${NAME}=; ${NAME}.0=FIRST; ${NAME}.1=SECOND`, "42"],
  ])("getToken() with %s", async (_, cookie, expected) => {
    const token = await tokenFor();
    const filled = cookie
      .replaceAll("TOKEN", token)
      .replaceAll("FIRST", token.slice(0, 200))
      .replaceAll("SECOND", token.slice(200));
    expect(await sub(withCookie(filled))).toBe(expected);
  });

  it("getToken() reads at most ten chunks", async () => {
    const token = await tokenFor();
    const split = (count: number) => {
      const size = Math.ceil(token.length / count);
      return Array.from(
        { length: count },
        (_, at) => `${NAME}.${at}=${token.slice(at * size, (at + 1) * size)}`,
      ).join("; ");
    };
    expect(await sub(withCookie(split(10)))).toBe("42");
    expect(await sub(withCookie(split(11)))).toBeNull();
    const thousands = Array.from({ length: 5000 }, (_, at) => `${NAME}.${at}=x`).join("; ");
    expect(await raw(withCookie(thousands))).toBe("x".repeat(10));
  });
});

describe("getToken() from the Authorization header", () => {
  it.each([
    ["Bearer TOKEN", "42"],
    ["Bearer ENCODED", "42"],
    ["Bearer TOKEN and more", "42"],
    ["bearer TOKEN", null],
    ["BEARER TOKEN", null],
    ["Basic TOKEN", null],
    ["TOKEN", null],
    ["Bearer", null],
    ["Bearer ", null],
    ["Bearer  TOKEN", null],
    ["Bearer %", null],
    ["Bearer %E0%A4%A", null],
    ["Bearer undefined", null],
  ])("getToken() with Authorization: %s", async (authorization, expected) => {
    const token = await tokenFor();
    const encoded = token.replaceAll(".", "%2E");
    const value = authorization.replace("TOKEN", token).replace("ENCODED", encoded);
    for (const headers of [{ authorization: value }, { Authorization: value }]) {
      expect(await sub({ headers })).toBe(expected);
      expect(await raw({ headers })).toBe(
        expected ? token : authorization.endsWith("undefined") ? "undefined" : null,
      );
    }
  });

  it("getToken() reads the bearer token only when there is no cookie", async () => {
    const authorization = `Bearer ${await tokenFor(NAME, "bearer")}`;
    const cookie = `${NAME}=${await tokenFor(NAME, "cookie")}`;
    expect(await sub({ headers: { cookie, authorization } })).toBe("cookie");
    expect(await sub({ headers: { cookie: "a=b", authorization } })).toBe("bearer");
    expect(await sub({ headers: { cookie: `${NAME}=`, authorization } })).toBe("bearer");
    expect(await sub({ headers: { cookie: `${NAME}=bad`, authorization } })).toBeNull();
  });
});

describe("getToken() results", () => {
  it("getToken({ raw: true }) returns the token as it was sent and needs no secret", async () => {
    const token = await tokenFor();
    expect(await raw(withCookie(`${NAME}=${token}`))).toBe(token);
    expect(await raw(withCookie(`${NAME}=not%20a%20token`))).toBe("not a token");
    expect(await raw({ headers: {} })).toBeNull();
  });

  it("getToken() returns null without a token, even without a secret", async () => {
    expect(await getToken({ req: { headers: {} } })).toBeNull();
    expect(await getToken({ req: new Request("http://localhost") })).toBeNull();
  });

  it("getToken() returns null for an expired, foreign or malformed token", async () => {
    const expired = await encode({ secret, salt: NAME, maxAge: -16 });
    const foreign = await tokenFor(NAME, "42", "another secret");
    for (const token of [expired, foreign, "a.b.c.d.e", "x".repeat(5000)]) {
      expect(await sub(withCookie(`${NAME}=${token}`))).toBeNull();
    }
  });

  it("getToken() returns the result of a custom decode function, and null when it throws", async () => {
    const own = vi.fn(async () => ({ sub: "own" }));
    const req = withCookie(`${NAME}=whatever`);
    expect(await sub(req, { decode: own })).toBe("own");
    expect(own).toHaveBeenCalledWith({ token: "whatever", secret, salt: NAME });
    const failing = () => {
      throw new Error("no");
    };
    expect(await sub(req, { decode: failing })).toBeNull();
    expect(await sub(req, { decode: () => Promise.reject(new Error("no")) })).toBeNull();
    expect(await sub(req, { decode: () => null })).toBeNull();
  });

  it("getToken() rejects without a request", async () => {
    await expect(getToken({} as GetTokenParams)).rejects.toThrow("req");
    await expect(getToken({ req: {} } as GetTokenParams)).rejects.toThrow("req");
  });

  it("getToken() rejects with MissingSecretError when there is a token and no secret", async () => {
    const req = withCookie(`${NAME}=${await tokenFor()}`);
    await expect(getToken({ req })).rejects.toThrow(MissingSecretError);
    for (const none of ["", [], [""]]) {
      await expect(getToken({ req, secret: none })).rejects.toThrow(MissingSecretError);
    }
  });
});

describe("getToken() secrets", () => {
  it.each([
    [{ AUTH_SECRET: "s" }, ["s"], ["other"]],
    [{ NEXTAUTH_SECRET: "s" }, ["s"], ["other"]],
    [{ AUTH_SECRET: "s", NEXTAUTH_SECRET: "old" }, ["s"], ["old"]],
    [{ AUTH_SECRET_1: "one", AUTH_SECRET: "s" }, ["s", "one"], []],
    [{ AUTH_SECRET_1: "1", AUTH_SECRET_2: "2", AUTH_SECRET_3: "3" }, ["1", "2", "3"], ["4"]],
    [{ AUTH_SECRET_1: "1", NEXTAUTH_SECRET: "old" }, ["1"], ["old"]],
    [{ AUTH_SECRET: "", NEXTAUTH_SECRET: "s" }, ["s"], [""]],
  ])("getToken() reads the secrets from the environment %j", async (env, good, bad) => {
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
    const read = async (from: string) =>
      getToken({ req: withCookie(`${NAME}=${await tokenFor(NAME, "42", from)}`) });
    for (const from of good) expect((await read(from))?.sub).toBe("42");
    for (const from of bad.filter(Boolean)) expect(await read(from)).toBeNull();
  });

  it("getToken() passes the secrets of the environment to decode, newest first", async () => {
    vi.stubEnv("AUTH_SECRET_3", "3");
    vi.stubEnv("AUTH_SECRET_1", "1");
    vi.stubEnv("AUTH_SECRET", "s");
    const own = vi.fn(() => null);
    await getToken({ req: withCookie(`${NAME}=x`), decode: own });
    expect(own).toHaveBeenCalledWith({ token: "x", secret: ["3", "1", "s"], salt: NAME });
  });

  it("getToken() prefers the secret of its argument to the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "s");
    const req = withCookie(`${NAME}=${await tokenFor(NAME, "42", "mine")}`);
    expect(await sub(req, { secret: "mine" })).toBe("42");
    expect(await sub(req, { secret: ["new", "mine"] })).toBe("42");
    expect(await getToken({ req })).toBeNull();
  });
});

describe("getToken() logger", () => {
  it("getToken() logs a refused token without any of its content", async () => {
    const debug = vi.fn();
    const token = await encode({
      token: { sub: "ada@example.com" },
      secret,
      salt: NAME,
      maxAge: -99,
    });
    expect(await sub(withCookie(`${NAME}=${token}`), { logger: { debug } })).toBeNull();
    expect(debug).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(debug.mock.calls)).not.toMatch(/ada|eyJ|keyhook-test/);
  });

  it("getToken() ignores a logger that throws or that lacks debug()", async () => {
    const debug = () => {
      throw new Error("disk full");
    };
    for (const logger of [{ debug }, {}]) {
      expect(await sub(withCookie(`${NAME}=bad`), { logger })).toBeNull();
    }
  });
});
