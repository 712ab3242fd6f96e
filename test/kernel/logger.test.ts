import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type AccessDenied,
  AdapterError,
  BootError,
  CredentialsSignin,
  EventError,
  InvalidConfig,
} from "../../src/errors/errors.ts";
import { redactError } from "../../src/errors/redact-error.ts";
import { createLogger, describe as text, oneLine } from "../../src/kernel/logger.ts";
import { redact } from "../../src/platform/redact.ts";
import { createTestAuth, LOVELACE } from "../_app.ts";

const silent = { error: () => {}, warn: () => {}, debug: () => {} };

describe("createLogger()", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    vi.spyOn(console, "debug").mockReturnValue(undefined);
  });
  afterEach(() => void vi.restoreAllMocks());

  it("createLogger() writes missing levels to the console, debug only when it is enabled", () => {
    createLogger().debug("quiet");
    expect(console.debug).not.toHaveBeenCalled();
    const logger = createLogger({}, true);
    logger.error(new Error("broken"));
    logger.warn("code", "detail");
    logger.warn("code");
    logger.debug("message", { a: 1 });
    expect(vi.mocked(console.error).mock.calls[0]?.[0]).toMatch(/^\[keyhook\] Error: broken/);
    expect(vi.mocked(console.warn).mock.calls).toEqual([
      ["[keyhook] code: detail"],
      ["[keyhook] code"],
    ]);
    expect(console.debug).toHaveBeenCalledWith("[keyhook] message", { a: 1 });
  });

  it("createLogger() calls the given methods with `this`, debug() even when debug is off", () => {
    const own = {
      seen: [] as unknown[],
      error(error: Error) {
        this.seen.push(error);
      },
      debug(message: string) {
        this.seen.push(message);
      },
    };
    const logger = createLogger(own);
    const error = new Error("x");
    logger.error(error);
    logger.debug("m");
    expect(own.seen).toEqual([error, "m"]);
    logger.warn("to the console");
    expect(console.warn).toHaveBeenCalledOnce();
  });

  it("a thrown text that quotes what the request sent is logged without it", () => {
    const thrown = "the code 4711 is wrong" as unknown as Error;
    const error = new EventError("A listener failed.", { cause: { err: thrown } });
    expect(redactError(error, ["4711"]).cause).toEqual({ err: "the code ... is wrong" });
  });

  it("a logger that throws does not fail the request (F28)", async () => {
    const throwing = () => {
      throw new Error("disk full");
    };
    const { browser } = createTestAuth({
      secret: "short",
      logger: { error: throwing, warn: throwing, debug: throwing },
    });
    browser.cookies.set("authjs.session-token", "nonsense");
    expect((await browser.get("/auth/session")).status).toBe(200);
    expect((await browser.post("/auth/signout")).status).toBe(302);
  });
});

describe("describe() of an error", () => {
  it("the log entry of an error has its type, message, tap, data and causes", () => {
    const inner = new AdapterError("it failed", {
      cause: { err: new Error("db"), method: "getUser" },
    });
    Object.defineProperty(inner, "tap", {
      value: { hook: "jwt", name: "mine", plugin: "acme", stage: 0 },
    });
    const lines = text(inner).split("\n");
    expect(lines[0]).toBe("AdapterError: it failed");
    expect(lines[1]).toBe('  in tap "mine" of hook "jwt" (plugin acme)');
    expect(lines[2]).toBe('  {"method":"getUser"}');
    expect(lines[3]).toBe("  caused by Error: db");
  });

  it("the log entry of an error has the id that the visitor was shown", () => {
    const error = new Error("x");
    Object.defineProperty(error, "id", { value: "0123456789ab" });
    expect(text(error)).toContain("0123456789ab");
  });

  it("the log entry of a BootError has a line for each fault", () => {
    const boot = new BootError([new InvalidConfig("one"), new InvalidConfig("two")]);
    expect(text(boot)).toContain("\n1. InvalidConfig: one\n2. InvalidConfig: two");
  });

  it("the log entry of an error cannot forge another line of the log", () => {
    for (const line of text(new Error("x\n[keyhook] Error: forged\r\n\u2028y")).split("\n")) {
      expect(line).not.toMatch(/^\[keyhook\]/);
      expect(line).not.toContain("\u2028");
    }
    const cause = { err: new Error("x\n[keyhook] forged"), path: "a\n[keyhook] forged" };
    for (const line of text(new AdapterError("x", { cause })).split("\n")) {
      expect(line).not.toMatch(/^\[keyhook\]/);
    }
  });

  it("the log entry of an error shows no secret of its data, in any spelling (R16)", () => {
    const cause = {
      clientSecret: "s1",
      access_token: "s2",
      Password: "s3",
      code: "s4",
      nested: { code_verifier: "s5", deeper: { cookie: "s6", authorization: "s7" } },
      session: [{ sessionToken: "s8" }],
      status: 401,
    };
    const shown = text(new AdapterError("x", { cause }));
    for (let at = 1; at <= 8; at++) expect(shown).not.toContain(`s${at}"`);
    expect(shown).toContain("401");
  });

  it("the log entry of an error with circular causes is finite", () => {
    const error = new AdapterError("round", { cause: { method: "x" } });
    (error.cause as { err?: Error }).err = error;
    expect(text(error).length).toBeLessThan(10_000);
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    expect(text(new AdapterError("x", { cause: circle }))).toContain("AdapterError: x");
  });

  it("the log entry of an error includes the causes of other packages' errors, at any depth", () => {
    const refused = ["::1", "127.0.0.1"].map((host) =>
      Object.assign(new Error(`connect ECONNREFUSED ${host}:5433`), { code: "ECONNREFUSED" }),
    );
    const driver = Object.assign(new AggregateError(refused), { code: "ECONNREFUSED" });
    const query = new Error("Failed query: select 1", { cause: driver });
    const lines = text(new AdapterError("it failed", { cause: { err: query } })).split("\n");
    const shown = lines.filter((line) => !/^\s+at /.test(line));
    expect(shown).toEqual([
      "AdapterError: it failed",
      "  caused by Error: Failed query: select 1",
      "    caused by AggregateError [ECONNREFUSED]",
      "      caused by Error: connect ECONNREFUSED ::1:5433 [ECONNREFUSED]",
      "      caused by Error: connect ECONNREFUSED 127.0.0.1:5433 [ECONNREFUSED]",
    ]);
    expect(text(query)).toContain("  caused by AggregateError");
  });

  it("the causes of another package's error are redacted in the log like the error itself (R16)", () => {
    const inner = new Error("no row for ada@example.com", {
      cause: new Error("at eve@example.com"),
    });
    const shown = text(new Error("Failed query", { cause: inner }));
    expect(shown).toContain("caused by Error: no row for ...");
    expect(shown).toContain("caused by Error: at ...");
  });

  it("the log entry of errors that contain each other is finite, and nests at most two errors in each", () => {
    const circle = new AggregateError([], "round");
    circle.errors = [circle, circle, circle];
    circle.cause = circle;
    expect(text(circle).length).toBeLessThan(20_000);
    const many = new AggregateError(
      Array.from({ length: 9 }, () => new Error("one")),
      "several",
    );
    expect(text(many).match(/caused by/g)).toHaveLength(2);
  });

  it("the log entry of an error accepts values that JSON cannot represent", () => {
    const cause = { big: 1n, symbol: Symbol("x"), fn() {} };
    expect(text(new AdapterError("x", { cause }))).toContain("AdapterError: x");
  });
});

describe("oneLine()", () => {
  it("oneLine() replaces control characters and limits the length", () => {
    expect(oneLine("a\r\nb\u0000c\u0085d\u2029e")).toBe("a b c d e");
    // Characters that display a line in another order.
    expect(oneLine("a\u202eb\u2066c\u200fd\u200ee")).toBe("a b c d e");
    expect(oneLine("x".repeat(1000))).toHaveLength(500);
  });
});

describe("log of a request", () => {
  it("the log of a request contains no cookie, token or password (R16)", async () => {
    const written: string[] = [];
    const spies = (["error", "warn", "debug"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...args: unknown[]) => {
        written.push(
          args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg))).join(),
        );
      }),
    );
    const { browser } = createTestAuth({ logger: undefined as never, debug: true });
    await browser.signInWith("credentials", { username: "ada", password: "hunter2-wrong" });
    await browser.signInWith("credentials", { username: "ada", password: "lovelace" });
    const session = browser.cookies.get("authjs.session-token") ?? "none";
    browser.cookies.set("authjs.session-token", `${session.slice(0, -8)}tampered`);
    await browser.session();
    await browser.post("/auth/signout", { csrfToken: "guessed-token" });
    for (const spy of spies) spy.mockRestore();
    const all = written.join("\n");
    expect(all).toContain("CredentialsSignin");
    for (const secret of ["hunter2", session.slice(0, 60), "guessed-token", "lovelace"]) {
      expect(all).not.toContain(secret);
    }
  });

  it("an error of the application quotes nothing that the request sent, however short (R16)", async () => {
    const { browser, log } = createTestAuth({
      errors: "allowed",
      callbacks: {
        signIn() {
          throw new Error("unexpected tulip near crocus");
        },
      },
    });
    browser.cookies.set("pin", "tulip");
    await browser.signInWith("credentials", { ...LOVELACE, note: "crocus" });
    const [error] = log.errors;
    expect(error?.message).toBe("unexpected ... near ...");
    expect(`${error?.stack} ${String((error as AccessDenied).cause?.err)}`).not.toMatch(
      /tulip|crocus/,
    );
  });

  it("many other cookies do not keep the log from hiding what the request sent (R16)", async () => {
    const { browser, log } = createTestAuth({
      errors: "allowed",
      callbacks: {
        signIn() {
          throw new Error("unexpected tulip near crocus");
        },
      },
    });
    for (let at = 0; at < 250; at++) browser.cookies.set(`c${at}`, `junk${at}`);
    await browser.signInWith("credentials", { ...LOVELACE, color: "tulip", note: "crocus" });
    expect(log.errors[0]?.message).toBe("unexpected ... near ...");
  });

  it("createLogger() accepts a logger whose methods do nothing", () => {
    expect(() => createLogger(silent).error(new Error("x"))).not.toThrow();
  });
});

describe("redact() of other packages' texts", () => {
  const uuid = "3f0e8f0a-6c1b-4d7e-9a55-0b8f5e3c2d1a";
  it.each([
    ["an address", "no user ada@example.com here", "no user ... here"],
    ["an encoded address", "GET /x/ada%40example.com", "GET ..."],
    ["a UUID", `session ${uuid} not found`, "session ... not found"],
    [
      "the query of a URL",
      "GET https://app.example/cb?code=abc#d failed",
      "GET https://app.example/cb?... failed",
    ],
    ["a quoted secret", '{"access_token":"abc","id":"7"}', '{"access_token":"...","id":"7"}'],
    ["an inspected secret", "{ password: 'abc', id: 7 }", "{ password: '...', id: 7 }"],
    ["an assigned secret", "client_secret=abc&x=1", "client_secret=...&x=1"],
    ["an escaped secret", '"{\\"token\\":\\"abc\\"}"', '"{\\"token\\":\\"...\\"}"'],
    ["a key of an API", '{"apiKey":"abc"} x-api-key=abc', '{"apiKey":"..."} x-api-key=...'],
    ["the credentials of a header", "Authorization: Bearer abc", "Authorization: Bearer ..."],
    ["the user of a header", "authorization: 'Basic dTpwYXNz'", "authorization: '... ...'"],
    ["what a mail server was sent", "503 AUTH PLAIN AHUAcGFzcw==", "503 AUTH PLAIN ...=="],
    ["a column of a database", "Key (email)=(ada@example.com) exists", "Key (email)=(...) exists"],
  ])("redact() removes %s", (_, given, expected) => {
    expect(redact(given)).toBe(expected);
  });

  it.each([
    'relation "public.users" does not exist',
    "select * from users where id = ? and name = ?",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "the bearer token has expired, and basic authentication is disabled",
    "PrismaClientKnownRequestError in AuthorizationResponseHandler",
    "POST idp.example/token: the response is a redirect",
    "duplicate key value violates unique constraint users_email_key",
    "Cannot find module /app/node_modules/pg/lib/connection.js",
  ])("redact() keeps text that reveals nothing about the request: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  const phrase = `it's "so" \\long`;
  it.each([
    ["as it is", phrase],
    ["as JSON", JSON.stringify(phrase).slice(1, -1)],
    ["as Node inspects it", inspect(phrase).slice(1, -1)],
    ["as Node inspects it, without quotes of one kind", inspect('say "so"').slice(1, -1)],
  ])("redact() removes a secret that is quoted %s", (_, quoted) => {
    expect(redact(`[ ${quoted} ] failed`, [phrase, 'say "so"'])).toBe("[ ... ] failed");
  });

  it("redact() removes the whole of a secret that begins with another secret", () => {
    expect(redact("no row for abcdefgh", ["abcdef", "abcdefgh"])).toBe("no row for ...");
  });

  it("redact() leaves nothing of a secret that ends beyond the text that it reads", () => {
    const secret = "correct horse battery staple";
    const long = `${"x ".repeat(1490)}${secret} ${"y ".repeat(200)}`;
    expect(redact(long, [secret], { max: 10_000 })).toMatch(/^(?:x )+x?$/);
  });
});

describe("errors of other packages in the log", () => {
  it("an error keeps its class and code, and loses its other fields", () => {
    class DriverError extends Error {}
    const cause = Object.assign(new DriverError("failed for ada@example.com"), {
      code: "23505",
      parameters: ["secret"],
    });
    const errors: Error[] = [];
    createLogger({ error: (error) => void errors.push(error) }).error(
      new AdapterError("The adapter's `createUser` failed.", {
        cause: { err: cause, method: "createUser" },
      }),
    );
    const [logged] = errors as [AdapterError];
    expect(logged).toBeInstanceOf(AdapterError);
    expect(logged.type).toBe("AdapterError");
    const inner = logged.cause?.err as Error & { code?: string; parameters?: unknown };
    expect(inner).toBeInstanceOf(DriverError);
    expect(inner.message).toBe("failed for ...");
    expect(inner.code).toBe("23505");
    expect(inner.parameters).toBeUndefined();
    expect(text(logged)).toContain("caused by Error: failed for ... [23505]");
    expect(inner.stack).toMatch(/^Error: failed for \.\.\.\n\s+at /);
  });

  it("a refused sign-in is logged with the code that the application set, even without a text", () => {
    class AccountLocked extends CredentialsSignin {
      override code = "locked";
    }
    expect(text(new AccountLocked())).toBe("CredentialsSignin [locked]");
    expect(text(new AccountLocked("Too many attempts."))).toBe(
      "CredentialsSignin: Too many attempts. [locked]",
    );
    expect(text(new CredentialsSignin("wrong"))).toBe("CredentialsSignin: wrong");
  });

  it("an error with nothing to hide is logged as the same object", () => {
    const errors: Error[] = [];
    const error = new AdapterError("it failed", {
      cause: { err: new TypeError("x is not a function") },
    });
    createLogger({ error: (one) => void errors.push(one) }).error(error);
    expect(errors[0]).toBe(error);
  });

  it("five causes are logged, five errors within one, and twenty of a list in its facts", () => {
    const errors: Error[] = [];
    const log = createLogger({ error: (one) => void errors.push(one) });
    const many = Array.from({ length: 30 }, (_, at) => new TypeError(`ada@example.com ${at}`));
    const chain = many.reduce((cause, one) => Object.assign(one, { cause }));
    log.error(new AdapterError("it failed", { cause: { err: chain, list: Array(30).fill(1) } }));
    log.error(new AggregateError(many.slice(0, 9), "several"));
    const [first, second] = errors as [AdapterError, AggregateError];
    const causes: unknown[] = [];
    for (let at: unknown = first.cause?.err; at; at = (at as Error).cause) causes.push(at);
    expect(causes).toHaveLength(5);
    expect(first.cause?.list).toHaveLength(20);
    expect(second.errors).toHaveLength(5);
    expect(inspect(errors, { depth: 20 })).not.toContain("ada@");
  });

  it("three levels of objects in facts are logged", () => {
    const errors: Error[] = [];
    const facts = { one: { two: { three: { four: "five" } } } };
    createLogger({ error: (one) => void errors.push(one) }).error(
      new AdapterError("it failed", { cause: facts }),
    );
    expect((errors[0] as AdapterError).cause).toEqual({ one: { two: { three: "..." } } });
  });

  it("a value that is not an Error is not written", () => {
    const errors: Error[] = [];
    createLogger({ error: (one) => void errors.push(one) }).error("token-of-someone" as never);
    expect(errors[0]?.message).toBe("The thrown value is not an Error.");
  });
});
