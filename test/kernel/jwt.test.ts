import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MissingSecretError } from "../../src/errors.ts";
import { decode, encode, getToken } from "../../src/jwt.ts";
import type { GetTokenParams } from "../../src/jwt.ts";

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

describe("encode and decode", () => {
  it("are each other's inverse, and asynchronous", async () => {
    const made = tokenFor();
    expect(made).toBeInstanceOf(Promise);
    const read = decode<{ sub: string }>({ token: await made, secret, salt: NAME });
    expect(read).toBeInstanceOf(Promise);
    expect((await read)?.sub).toBe("42");
  });

  it("reject rather than throw", async () => {
    await expect(encode({ secret: "", salt: NAME })).rejects.toThrow(MissingSecretError);
    await expect(decode({ token: "x", secret, salt: NAME })).rejects.toThrow("the token");
    await expect(decode({ token: await tokenFor(), secret, salt: SECURE })).rejects.toThrow();
    expect(await decode({ secret, salt: NAME })).toBeNull();
  });
});

describe("getToken finds the cookie", () => {
  it("in headers of every shape", async () => {
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
  ])("with %j and %j under the name %s", async (env, rest, name) => {
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
    const all = await Promise.all(
      [NAME, SECURE, "mine"].map(async (one) => `${one}=${await tokenFor(one, one)}`),
    );
    expect(await sub(withCookie(all.join("; ")), rest)).toBe(name);
  });

  it("and takes its name for the salt, unless told another", async () => {
    const foreign = withCookie(`${NAME}=${await tokenFor("other")}`);
    expect(await sub(foreign)).toBeNull();
    expect(await sub(foreign, { salt: "other" })).toBe("42");
  });

  it.each([
    [
      "a cookie that shares its beginning",
      `${NAME}-other=junk; ${NAME}x=junk; ${NAME}=TOKEN`,
      "42",
    ],
    ["only cookies that share its beginning", `${NAME}-other=TOKEN; ${NAME}.x=TOKEN`, null],
    ["a cookie whose name ends like it", `x${NAME}=junk; x.${NAME}=junk; ${NAME}=TOKEN`, "42"],
    ["two of the same name: the first", `${NAME}=TOKEN; ${NAME}=junk`, "42"],
    ["two of the same name, the first bad", `${NAME}=junk; ${NAME}=TOKEN`, null],
    ["an empty one", `${NAME}=`, null],
    ["no value at all", NAME, null],
    ["percent signs that decode to nothing", `${NAME}=%E0%A4%A`, null],
    ["chunks in order", `${NAME}.0=FIRST; ${NAME}.1=SECOND`, "42"],
    ["chunks in another order", `${NAME}.1=SECOND; a=b; ${NAME}.0=FIRST`, "42"],
    ["a gap in the chunks", `${NAME}.0=FIRST; ${NAME}.2=SECOND`, null],
    ["chunks that do not begin at 0", `${NAME}.1=FIRST; ${NAME}.2=SECOND`, null],
    ["chunks with odd numbers", `${NAME}.00=FIRST; ${NAME}.01=SECOND`, null],
    ["a chunk beyond a gap, which is left out", `${NAME}.0=TOKEN; ${NAME}.2=junk`, "42"],
    ["a chunk that is no number", `${NAME}.0=FIRST; ${NAME}.1=SECOND; ${NAME}.x=junk`, "42"],
    ["a stale chunk behind", `${NAME}.0=FIRST; ${NAME}.1=SECOND; ${NAME}.2=junk`, null],
    ["stale chunks beside the whole", `${NAME}.0=junk; ${NAME}.1=junk; ${NAME}=TOKEN`, "42"],
    ["an empty whole beside chunks", `${NAME}=; ${NAME}.0=FIRST; ${NAME}.1=SECOND`, "42"],
  ])("among %s", async (_, cookie, expected) => {
    const token = await tokenFor();
    const filled = cookie
      .replaceAll("TOKEN", token)
      .replaceAll("FIRST", token.slice(0, 200))
      .replaceAll("SECOND", token.slice(200));
    expect(await sub(withCookie(filled))).toBe(expected);
  });

  it("in ten chunks at most", async () => {
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

describe("getToken finds the bearer token", () => {
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
  ])("of Authorization: %s", async (authorization, expected) => {
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

  it("only when there is no cookie", async () => {
    const authorization = `Bearer ${await tokenFor(NAME, "bearer")}`;
    const cookie = `${NAME}=${await tokenFor(NAME, "cookie")}`;
    expect(await sub({ headers: { cookie, authorization } })).toBe("cookie");
    expect(await sub({ headers: { cookie: "a=b", authorization } })).toBe("bearer");
    expect(await sub({ headers: { cookie: `${NAME}=`, authorization } })).toBe("bearer");
    expect(await sub({ headers: { cookie: `${NAME}=bad`, authorization } })).toBeNull();
  });
});

describe("getToken answers", () => {
  it("the token as it was sent when asked for it raw, without any secret", async () => {
    const token = await tokenFor();
    expect(await raw(withCookie(`${NAME}=${token}`))).toBe(token);
    expect(await raw(withCookie(`${NAME}=not%20a%20token`))).toBe("not a token");
    expect(await raw({ headers: {} })).toBeNull();
  });

  it("null when there is no token, also without a secret", async () => {
    expect(await getToken({ req: { headers: {} } })).toBeNull();
    expect(await getToken({ req: new Request("http://localhost") })).toBeNull();
  });

  it("null when the token is expired, foreign or broken", async () => {
    const expired = await encode({ secret, salt: NAME, maxAge: -16 });
    const foreign = await tokenFor(NAME, "42", "another secret");
    for (const token of [expired, foreign, "a.b.c.d.e", "x".repeat(5000)]) {
      expect(await sub(withCookie(`${NAME}=${token}`))).toBeNull();
    }
  });

  it("what a decoder of one's own says, null when that throws", async () => {
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

  it("with an error where there is no request", async () => {
    await expect(getToken({} as GetTokenParams)).rejects.toThrow("req");
    await expect(getToken({ req: {} } as GetTokenParams)).rejects.toThrow("req");
  });

  it("with an error where there is a token and no secret", async () => {
    const req = withCookie(`${NAME}=${await tokenFor()}`);
    await expect(getToken({ req })).rejects.toThrow(MissingSecretError);
    for (const none of ["", [], [""]]) {
      await expect(getToken({ req, secret: none })).rejects.toThrow(MissingSecretError);
    }
  });
});

describe("getToken takes the secret", () => {
  it.each([
    [{ AUTH_SECRET: "s" }, ["s"], ["other"]],
    [{ NEXTAUTH_SECRET: "s" }, ["s"], ["other"]],
    [{ AUTH_SECRET: "s", NEXTAUTH_SECRET: "old" }, ["s"], ["old"]],
    [{ AUTH_SECRET_1: "one", AUTH_SECRET: "s" }, ["s", "one"], []],
    [{ AUTH_SECRET_1: "1", AUTH_SECRET_2: "2", AUTH_SECRET_3: "3" }, ["1", "2", "3"], ["4"]],
    [{ AUTH_SECRET_1: "1", NEXTAUTH_SECRET: "old" }, ["1"], ["old"]],
    [{ AUTH_SECRET: "", NEXTAUTH_SECRET: "s" }, ["s"], [""]],
  ])("from the environment %j", async (env, good, bad) => {
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
    const read = async (from: string) =>
      getToken({ req: withCookie(`${NAME}=${await tokenFor(NAME, "42", from)}`) });
    for (const from of good) expect((await read(from))?.sub).toBe("42");
    for (const from of bad.filter(Boolean)) expect(await read(from)).toBeNull();
  });

  it("newest first", async () => {
    vi.stubEnv("AUTH_SECRET_3", "3");
    vi.stubEnv("AUTH_SECRET_1", "1");
    vi.stubEnv("AUTH_SECRET", "s");
    const own = vi.fn(() => null);
    await getToken({ req: withCookie(`${NAME}=x`), decode: own });
    expect(own).toHaveBeenCalledWith({ token: "x", secret: ["3", "1", "s"], salt: NAME });
  });

  it("from its argument when there is one", async () => {
    vi.stubEnv("AUTH_SECRET", "s");
    const req = withCookie(`${NAME}=${await tokenFor(NAME, "42", "mine")}`);
    expect(await sub(req, { secret: "mine" })).toBe("42");
    expect(await sub(req, { secret: ["new", "mine"] })).toBe("42");
    expect(await getToken({ req })).toBeNull();
  });
});

describe("getToken's logger", () => {
  it("hears that a token was refused, and nothing of what was in it", async () => {
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

  it("harms nothing when it throws, or says nothing", async () => {
    const debug = () => {
      throw new Error("disk full");
    };
    for (const logger of [{ debug }, {}]) {
      expect(await sub(withCookie(`${NAME}=bad`), { logger })).toBeNull();
    }
  });
});
