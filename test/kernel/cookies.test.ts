import { describe, expect, it } from "vitest";
import { cookieTable, createCookies, readChunked, serializeCookie } from "../../src/cookies.ts";
import { SessionTooLarge } from "../../src/errors.ts";
import type { CookieAttributes } from "../../src/index.ts";

const plain = cookieTable({}, false);
const secure = cookieTable({}, true);
const NAME = "authjs.session-token";

const jar = (header: string | null = null) => createCookies(header, plain);

describe("the table of cookies", () => {
  it("has the names of Auth.js, with prefixes where the origin is secure", () => {
    const names = (table: typeof plain) => Object.values(table).map(({ name }) => name);
    expect(names(plain)).toEqual([
      "authjs.session-token",
      "authjs.callback-url",
      "authjs.csrf-token",
      "authjs.pkce.code_verifier",
      "authjs.state",
      "authjs.nonce",
      "authjs.challenge",
      "authjs.email-check",
    ]);
    expect(names(secure)).toEqual([
      "__Secure-authjs.session-token",
      "__Secure-authjs.callback-url",
      "__Host-authjs.csrf-token",
      "__Secure-authjs.pkce.code_verifier",
      "__Secure-authjs.state",
      "__Secure-authjs.nonce",
      "__Secure-authjs.challenge",
      "__Secure-authjs.email-check",
    ]);
  });

  it("makes all HttpOnly, Lax, at the root, and checks 15 minutes old at most", () => {
    for (const [key, { attributes }] of Object.entries(secure)) {
      expect(attributes, key).toMatchObject({
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: true,
      });
    }
    const ages = Object.values(plain).map(({ attributes }) => attributes.maxAge);
    expect(ages).toEqual([undefined, undefined, undefined, 900, 900, 900, 900, 900]);
  });

  it("keeps what an override leaves out, and skips undefined", () => {
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

describe("reading", () => {
  it("takes the first of several cookies of one name", () => {
    expect(jar("a=1; a=2; b=3").get("a")).toBe("1");
  });

  it.each([
    ["a=1;b=2", "b", "2"],
    ["  a = 1 ;b=2", "a", "1"],
    ["a=x%20y", "a", "x y"],
    ["a=%zz", "a", "%zz"],
    ['a="quoted"', "a", "quoted"],
    ['a="', "a", '"'],
    ["a=b=c", "a", "b=c"],
    ["a=", "a", ""],
    ["=x; a=1", "a", "1"],
    ["novalue; a=1", "a", "1"],
    ["novalue", "novalue", undefined],
    ["", "a", undefined],
    ["__proto__=1", "__proto__", "1"],
  ])("reads %j: %s is %j", (header, name, value) => {
    expect(jar(header).get(name)).toBe(value);
  });

  it("does not find what only the prototype has", () => {
    const cookies = jar("a=1");
    expect(cookies.get("constructor")).toBeUndefined();
    expect(cookies.get("toString")).toBeUndefined();
  });

  it("names what the browser sent, in its order", () => {
    expect(jar("b=1; a=2; b=3").names()).toEqual(["b", "a"]);
    expect(jar().names()).toEqual([]);
  });
});

describe("a value in parts", () => {
  it("is put together by number, whatever the order they come in", () => {
    expect(readChunked("t.1=b; t.0=a; t.2=c", "t")).toBe("abc");
  });

  it("ends at a gap", () => {
    expect(readChunked("t.0=a; t.2=c", "t")).toBe("a");
    expect(readChunked("t.1=b", "t")).toBeUndefined();
  });

  it("is not joined by other cookies that share the prefix", () => {
    const header = "t.0=a; t.x=no; tt=no; t-1=no; t.=no; t.00=no; t.1.0=no; t. 1=no";
    expect(readChunked(header, "t")).toBe("a");
  });

  it("is the whole one where that is there", () => {
    expect(readChunked("t.0=a; t=whole", "t")).toBe("whole");
    expect(readChunked("t.0=a; t=", "t")).toBe("a");
  });

  it("has ten parts at most", () => {
    const header = Array.from({ length: 12 }, (_, at) => `t.${at}=${at % 10}`).join("; ");
    expect(readChunked(header, "t")).toBe("0123456789");
  });

  it("is one cookie up to 3936 characters", () => {
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

  it("never makes a cookie that browsers drop for its size, also where it must be escaped", () => {
    const cookies = jar();
    const value = "+/=%".repeat(1500);
    cookies.setChunked(`__Secure-${NAME}`, value, { ...secure.sessionToken.attributes });
    for (const cookie of cookies.pending) {
      const [pair = ""] = serializeCookie(cookie).split(";");
      expect(pair.length).toBeLessThanOrEqual(4096);
    }
    expect(cookies.getChunked(`__Secure-${NAME}`)).toBe(value);
  });

  it("may break between any two characters, and be read again", () => {
    const value = "a" + "😀".repeat(3000);
    const cookies = jar();
    cookies.setChunked(NAME, value, {});
    const header = cookies.pending.map((one) => serializeCookie(one).split(";")[0]).join("; ");
    expect(readChunked(header, NAME)).toBe(value);
  });

  it("is refused beyond ten cookies, with the mend", () => {
    const cookies = jar();
    expect(() => cookies.setChunked(NAME, "a".repeat(10 * 3936), {})).not.toThrow();
    expect(() => cookies.setChunked(NAME, "a".repeat(10 * 3936 + 1), {})).toThrow(SessionTooLarge);
  });

  it("clears the parts it no longer needs", () => {
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

  it("clears the whole one when it grows into parts", () => {
    const cookies = jar(`${NAME}=old`);
    cookies.setChunked(NAME, "a".repeat(5000), {});
    expect(cookies.pending[0]).toMatchObject({ name: NAME, value: "", attributes: { maxAge: 0 } });
    expect(cookies.getChunked(NAME)).toBe("a".repeat(5000));
  });

  it("is cleared as it was sent, and not at all when nothing was", () => {
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
});

describe("what is set", () => {
  it("is seen by later reads of the same request", () => {
    const cookies = jar("a=old");
    cookies.set("a", "new", {});
    expect(cookies.get("a")).toBe("new");
    cookies.clear("a", {});
    expect(cookies.get("a")).toBeUndefined();
  });

  it("goes out once per name: the last word", () => {
    const cookies = jar();
    cookies.set("a", "1", {});
    cookies.set("b", "2", {});
    cookies.set("a", "3", {});
    expect(cookies.pending.map(({ name, value }) => `${name}=${value}`)).toEqual(["a=3", "b=2"]);
  });

  it("is cleared by a life of zero, with the attributes it was set with", () => {
    const cookies = jar();
    cookies.clear("a", { path: "/x", domain: "app.example", secure: true, maxAge: 900 });
    expect(serializeCookie(cookies.pending[0]!)).toBe(
      "a=; Max-Age=0; Domain=app.example; Path=/x; Secure",
    );
  });
});

describe("a Set-Cookie value", () => {
  const text = (attributes: CookieAttributes, value = "v") =>
    serializeCookie({ name: "n", value, attributes });

  it("has its attributes in Auth.js's order", () => {
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

  it("says SameSite in full, or not", () => {
    expect(text({ sameSite: true })).toBe("n=v; SameSite=Strict");
    expect(text({ sameSite: "lax" })).toBe("n=v; SameSite=Lax");
    expect(text({ sameSite: false })).toBe("n=v");
  });

  it("escapes its value: nothing ends it early", () => {
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
  ])("is refused for a bad %s", (part, cookie) => {
    expect(() => serializeCookie(cookie)).toThrow(TypeError);
    expect(() => serializeCookie(cookie)).toThrow(part);
  });
});
