import { describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/standard.ts";
import { SessionTooLarge } from "../../src/errors/errors.ts";
import {
  buildCookieTable,
  createCookies,
  readNamesakes,
  serializeCookie,
} from "../../src/http/cookies.ts";
import type { CookieAttributes, CookiesOptions } from "../../src/kernel.ts";
import { createKernel } from "../../src/kernel/kernel.ts";

const { kernel } = createKernel({
  config: { secret: "keyhook-test-secret-0123456789abcdef", env: { NODE_ENV: "test" } },
  presets: [standardPreset],
  plugins: [],
  environment: { name: "development", reason: "test" },
  devSecret: () => "",
});
const cookieTable = (overrides: CookiesOptions, secure: boolean) =>
  buildCookieTable(kernel.cookies, overrides, secure);
const plain = cookieTable({}, false);
const secure = cookieTable({}, true);
const NAME = "authjs.session-token";

const jar = (header: string | null = null) => createCookies(header, plain);

describe("cookieTable()", () => {
  it("cookieTable() has the names of Auth.js, with prefixes when the origin is secure: __Host- for cookies that Auth.js does not have", () => {
    const names = (table: typeof plain) => Object.values(table).map(({ name }) => name);
    expect(names(plain)).toEqual([
      "authjs.session-token",
      "authjs.callback-url",
      "authjs.csrf-token",
      "keyhook.browser",
      "keyhook.pending-login",
      "authjs.pkce.code_verifier",
      "authjs.state",
      "authjs.nonce",
      "keyhook.oauth-attempt",
      "keyhook.posted-response",
      "authjs.email-check",
      "authjs.challenge",
      "keyhook.auth-time",
    ]);
    expect(names(secure)).toEqual([
      "__Secure-authjs.session-token",
      "__Secure-authjs.callback-url",
      "__Host-authjs.csrf-token",
      "__Host-keyhook.browser",
      "__Host-keyhook.pending-login",
      "__Secure-authjs.pkce.code_verifier",
      "__Secure-authjs.state",
      "__Secure-authjs.nonce",
      "__Host-keyhook.oauth-attempt",
      "__Host-keyhook.posted-response",
      "__Host-authjs.email-check",
      "__Secure-authjs.challenge",
      "__Host-keyhook.auth-time",
    ]);
  });

  it.each([
    ["__Host-sid", "sid"],
    ["__Secure-sid", "sid"],
    ["__Host-Http-sid", "sid"],
    ["__Http-sid", "sid"],
    ["__host-sid", "sid"],
    ["sid", "sid"],
    ["x__Host-sid", "x__Host-sid"],
  ])("cookieTable() uses an application's name %s only on https, and %s on http", (name, bare) => {
    const overrides = { sessionToken: { name } };
    expect(cookieTable(overrides, true).sessionToken.name).toBe(name);
    expect(cookieTable(overrides, false).sessionToken.name).toBe(bare);
  });

  it("cookies are HttpOnly, SameSite=Lax and Path=/, and expire: check cookies after 15 minutes, a pending login after 5, a posted response after 1, the browser cookie after a day", () => {
    for (const [key, { attributes }] of Object.entries(secure)) {
      expect(attributes, key).toMatchObject({
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: true,
      });
    }
    const ages = Object.values(plain).map(({ attributes }) => attributes.maxAge);
    const none = undefined;
    expect(ages).toEqual([none, none, none, 86_400, 300, 900, 900, 900, 900, 60, 900, 900, none]);
  });

  it("cookieTable() merges overrides over the defaults and skips undefined", () => {
    const { state } = cookieTable(
      { state: { name: "mine", options: { sameSite: "none", maxAge: undefined as never } } },
      true,
    );
    expect(state).toEqual({
      name: "mine",
      attributes: { httpOnly: true, sameSite: "none", path: "/", secure: true, maxAge: 900 },
    });
  });
});

describe("cookies.get() and cookies.names()", () => {
  it("cookies.get() returns the first of several cookies with the same name", () => {
    expect(jar("a=1; a=2; b=3").get("a")).toBe("1");
  });

  it.each([
    ["a=1;b=2", "b", "2"],
    ["  a = 1 ;b=2", "a", "1"],
    ["a=x%20y", "a", "x y"],
    ["a=%zz", "a", "%zz"],
    ['a="quoted"', "a", "quoted"],
    ['a="', "a", '"'],
    ['a="x', "a", '"x'],
    ['a=x"', "a", 'x"'],
    ["a=b=c", "a", "b=c"],
    ["a=", "a", ""],
    ["=x; a=1", "a", "1"],
    ["novalue; a=1", "a", "1"],
    ["novalue", "novalue", undefined],
    ["", "a", undefined],
    ["__proto__=1", "__proto__", "1"],
  ])("parses the Cookie header %j: %s is %j", (header, name, value) => {
    expect(jar(header).get(name)).toBe(value);
  });

  // A browser stores such a name from a sibling host, because the browser sees no prefix in it.
  const FOREIGN_BLANKS = [0x0b, 0x0c, 0x85, 0xa0, 0x1680, 0x2003, 0x2028, 0x3000, 0xfeff].map(
    (code) => String.fromCharCode(code),
  );

  it.each([...FOREIGN_BLANKS, "é", '"', "(", "/", "a b"])(
    "no reader of cookies ignores %j around a name",
    (blank) => {
      for (const name of [`${blank}t`, `t${blank}`, ` ${blank} t`]) {
        const cookies = jar(`${name}=evil`);
        expect(cookies.get("t"), JSON.stringify(name)).toBeUndefined();
        expect(cookies.getAll("t")).toEqual([]);
        expect(cookies.getChunked("t")).toBeUndefined();
        expect(cookies.names()).toEqual([]);
        expect(readNamesakes(`${name}=evil`, "t")[0]).toBeUndefined();
        expect(readNamesakes(`${name.replace("t", "t.0")}=evil`, "t")[0]).toBeUndefined();
      }
    },
  );

  it.each(FOREIGN_BLANKS)(
    "cookies keep %j around a value, because it is not a blank in HTTP",
    (blank) => {
      const header = `t=${blank}v${blank}`;
      expect(jar(header).get("t")).toBe(`${blank}v${blank}`);
      expect(jar(header).getAll("t")).toEqual([`${blank}v${blank}`]);
      expect(readNamesakes(header, "t")[0]).toBe(`${blank}v${blank}`);
    },
  );

  it("cookies are found with spaces and tabs around name and value", () => {
    const header = "\t a\t =\t 1 \t; \ta=2";
    expect(jar(header).get("a")).toBe("1");
    expect(jar(header).getAll("a")).toEqual(["1", "2"]);
    expect(readNamesakes(header, "a")[0]).toBe("1");
  });

  it("a Cookie header with a megabyte of blanks is parsed", () => {
    const blanks = " \t".repeat(500_000);
    const header = `a${blanks}b=x${blanks}y; ${blanks}t=1`;
    expect(jar(header).get("t")).toBe("1");
  });

  it("cookies.get() does not find properties of Object.prototype", () => {
    const cookies = jar("a=1");
    expect(cookies.get("constructor")).toBeUndefined();
    expect(cookies.get("toString")).toBeUndefined();
  });

  it("cookies.names() leaves out a pair without a name or a value", () => {
    expect(jar("ab; =c; d=1").names()).toEqual(["d"]);
  });

  it("cookies.names() lists the names that the browser sent, in order and without duplicates", () => {
    expect(jar("b=1; a=2; b=3").names()).toEqual(["b", "a"]);
    expect(jar().names()).toEqual([]);
  });
});

describe("chunked cookies", () => {
  it("readNamesakes() joins chunks by number, whatever their order", () => {
    expect(readNamesakes("t.1=b; t.0=a; t.2=c", "t")[0]).toBe("abc");
  });

  it("readNamesakes() stops at a missing chunk", () => {
    expect(readNamesakes("t.0=a; t.2=c", "t")[0]).toBe("a");
    expect(readNamesakes("t.1=b", "t")[0]).toBeUndefined();
  });

  it("readNamesakes() ignores other cookies that share the prefix", () => {
    const header = "t.0=a; t.x=no; tt=no; t-1=no; t.=no; t.00=no; t.1.0=no; t. 1=no";
    expect(readNamesakes(header, "t")[0]).toBe("a");
  });

  it("readNamesakes() prefers an unchunked cookie that is not empty", () => {
    expect(readNamesakes("t.0=a; t=whole", "t")[0]).toBe("whole");
    expect(readNamesakes("t.0=a; t=", "t")[0]).toBe("a");
  });

  it("readNamesakes() reads at most ten chunks", () => {
    const header = Array.from({ length: 12 }, (_, at) => `t.${at}=${at % 10}`).join("; ");
    expect(readNamesakes(header, "t")[0]).toBe("0123456789");
  });

  it("getCandidates() returns at most 32 values, and the likely ones are among them", () => {
    const junk = Array.from({ length: 100 }, (_, at) => `t=junk${at}`);
    const isLikely = (value: string) => value === "own";
    const found = jar([...junk, "t=own"].join("; ")).getCandidates("t", { isLikely });
    expect(found).toHaveLength(32);
    expect(found[0]).toBe("own");
  });

  it("getCandidates() joins at most a megabyte of the parts that a sibling host set", () => {
    const parts = Array.from({ length: 6 }, (_, part) =>
      ["a", "b", "c", "d"].map((letter) => `t.${part}=${letter.repeat(3936)}`),
    );
    let looked = 0;
    const isLikely = () => looked++ >= 0;
    jar(parts.flat().join("; ")).getCandidates("t", { isLikely });
    // With 4 cookies of the same name for each of 6 parts, there are 5456 combinations.
    expect(looked).toBeGreaterThan(32);
    expect(looked).toBeLessThan(200);
  });

  it("setChunked() writes a single cookie up to 3936 characters", () => {
    const cookies = jar();
    cookies.setChunked(NAME, "a".repeat(3936), {});
    expect(cookies.pending.map(({ name }) => name)).toEqual([NAME]);
    cookies.setChunked(NAME, "a".repeat(3937), {});
    const kept = cookies.pending.filter(({ value }) => value);
    expect(kept.map(({ name, value }) => [name, value.length])).toEqual([
      [`${NAME}.0`, 3936],
      [`${NAME}.1`, 1],
    ]);
  });

  it("setChunked() keeps every cookie within the 4096 bytes of browsers, escapes included", () => {
    const cookies = jar();
    const value = "+/=%".repeat(1500);
    cookies.setChunked(`__Secure-${NAME}`, value, { ...secure.sessionToken.attributes });
    for (const cookie of cookies.pending) {
      const [pair = ""] = serializeCookie(cookie).split(";");
      expect(pair.length).toBeLessThanOrEqual(4096);
    }
    expect(cookies.getChunked(`__Secure-${NAME}`)).toBe(value);
  });

  it("setChunked() may split between any two characters, and the value can be read again", () => {
    const value = "a" + "😀".repeat(3000);
    const cookies = jar();
    cookies.setChunked(NAME, value, {});
    const header = cookies.pending.map((one) => serializeCookie(one).split(";")[0]).join("; ");
    expect(readNamesakes(header, NAME)).toContain(value);
  });

  it("setChunked() throws SessionTooLarge beyond ten chunks", () => {
    const cookies = jar();
    expect(() => cookies.setChunked(NAME, "a".repeat(10 * 3936), {})).not.toThrow();
    expect(() => cookies.setChunked(NAME, "a".repeat(10 * 3936 + 1), {})).toThrow(SessionTooLarge);
    // Other cookies have parts too, such as those of a paused login.
    expect(() => cookies.setChunked("other", "a".repeat(10 * 3936 + 1), {})).toThrow('"other"');
  });

  it("setChunked() clears chunks that the new value does not need", () => {
    const cookies = jar(`${NAME}.0=a; ${NAME}.1=b; ${NAME}.7=c; ${NAME}.other=d`);
    cookies.setChunked(NAME, "short", { path: "/" });
    expect(
      cookies.pending.map(({ name, value, attributes }) => [name, value, attributes.maxAge]),
    ).toEqual([
      [`${NAME}.0`, "", 0],
      [`${NAME}.1`, "", 0],
      [`${NAME}.7`, "", 0],
      [NAME, "short", undefined],
    ]);
  });

  it("setChunked() clears the unchunked cookie when the value needs chunks", () => {
    const cookies = jar(`${NAME}=old`);
    cookies.setChunked(NAME, "a".repeat(5000), {});
    expect(cookies.pending[0]).toMatchObject({ name: NAME, value: "", attributes: { maxAge: 0 } });
    expect(cookies.getChunked(NAME)).toBe("a".repeat(5000));
  });

  it("clearChunked() clears the cookies that the browser sent, and nothing without any", () => {
    const cookies = jar(`${NAME}.0=a; ${NAME}.1=b`);
    cookies.clearChunked(NAME, { path: "/", expires: new Date() });
    expect(cookies.pending).toEqual([
      { name: `${NAME}.0`, value: "", attributes: { path: "/", maxAge: 0 } },
      { name: `${NAME}.1`, value: "", attributes: { path: "/", maxAge: 0 } },
    ]);
    const none = jar("other=1");
    none.clearChunked(NAME, {});
    expect(none.pending).toEqual([]);
  });

  it("clearChunked() clears a cookie whose own name ends like a chunk's", () => {
    const cookies = jar("app.1=a; app.1.0=b; app.2=c; app=d");
    cookies.clearChunked("app.1", {});
    expect(cookies.pending.map(({ name }) => name)).toEqual(["app.1", "app.1.0"]);
  });
});

describe("cookies.set() and cookies.clear()", () => {
  it("cookies.get() sees cookies that were set or cleared earlier in the same request", () => {
    const cookies = jar("a=old");
    cookies.set("a", "new", {});
    expect([cookies.get("a"), cookies.getAll("a")]).toEqual(["new", ["new"]]);
    cookies.clear("a", {});
    expect([cookies.get("a"), cookies.getAll("a")]).toEqual([undefined, []]);
  });

  it("a cookie that is set twice is sent once, with its last value", () => {
    const cookies = jar();
    cookies.set("a", "1", {});
    cookies.set("b", "2", {});
    cookies.set("a", "3", {});
    expect(cookies.pending.map(({ name, value }) => `${name}=${value}`)).toEqual(["a=3", "b=2"]);
  });

  it("cookies.clear() sets Max-Age=0 with the attributes of the cookie", () => {
    const cookies = jar();
    cookies.clear("a", { path: "/x", domain: "app.example", secure: true, maxAge: 900 });
    expect(serializeCookie(cookies.pending[0]!)).toBe(
      "a=; Max-Age=0; Domain=app.example; Path=/x; Secure",
    );
  });
});

describe("serializeCookie()", () => {
  const text = (attributes: CookieAttributes, value = "v") =>
    serializeCookie({ name: "n", value, attributes });

  it("serializeCookie() writes attributes in the order of Auth.js", () => {
    expect(
      text({
        sameSite: "none",
        priority: "high",
        partitioned: true,
        secure: true,
        httpOnly: true,
        expires: new Date(0),
        path: "/p",
        domain: "app.example",
        maxAge: 5,
      }),
    ).toBe(
      "n=v; Max-Age=5; Domain=app.example; Path=/p; Expires=Thu, 01 Jan 1970 00:00:00 GMT; " +
        "HttpOnly; Secure; Partitioned; Priority=High; SameSite=None",
    );
  });

  it("serializeCookie() writes SameSite by its name, or leaves it out for false", () => {
    expect(text({ sameSite: true })).toBe("n=v; SameSite=Strict");
    expect(text({ sameSite: "lax" })).toBe("n=v; SameSite=Lax");
    expect(text({ sameSite: false })).toBe("n=v");
  });

  it("serializeCookie() escapes the value, so that none of its characters ends it early", () => {
    expect(text({}, "a;b=c, d\r\nSet-Cookie: x|")).toBe(
      "n=a%3Bb%3Dc%2C%20d%0D%0ASet-Cookie%3A%20x%7C",
    );
  });

  it.each([
    ["name", { name: "a b", value: "", attributes: {} }],
    ["name", { name: "", value: "", attributes: {} }],
    ["name", { name: "a\r\nb", value: "", attributes: {} }],
    ["maxAge", { name: "a", value: "", attributes: { maxAge: 1.5 } }],
    ["Domain", { name: "a", value: "", attributes: { domain: "a;b" } }],
    ["Path", { name: "a", value: "", attributes: { path: "/\r\nx: y" } }],
    ["Path", { name: "a", value: "", attributes: { path: "/é" } }],
  ])("serializeCookie() throws a TypeError for an invalid %s", (part, cookie) => {
    expect(() => serializeCookie(cookie)).toThrow(TypeError);
    expect(() => serializeCookie(cookie)).toThrow(part);
  });
});
