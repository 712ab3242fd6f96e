import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/index.ts";
import { createHouse, type House, LOVELACE, ORIGIN } from "../_setup.ts";
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

/** A house and a victim who is signed in. */
async function victim() {
  const house = createHouse(rename);
  const { browser } = house;
  await browser.signInWith("credentials", LOVELACE);
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  return { house, cookie, csrfToken: await browser.csrfToken(), fromJar: () => browser.session() };
}

type Change = { path: string; fields: Fields; changes: (response: Response) => boolean };

/** Every POST that changes something, and how to see that it did. */
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
    changes: (response) => response.headers.getSetCookie().length > 0,
  },
};

type Tokens = { own: string; cookie: string; foreign: string };
const signature = ({ cookie }: Tokens) =>
  decodeURIComponent(/csrf-token=([^;]+)/.exec(cookie)?.[1] ?? "").split("|")[1] ?? "";

/** Tokens that are not the browser's own, whatever they look like. */
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

describe.each(Object.entries(CHANGES))("%s", (_, { path, fields, changes }) => {
  it("happens with the browser's own token", async () => {
    const { house, cookie, csrfToken } = await victim();
    for (const encoding of ["form", "json", "multipart"]) {
      if (path.endsWith("/session") && encoding !== "json") continue;
      const request = post(ORIGIN + path, { ...fields, cookie, csrfToken }, encoding);
      expect(changes(await ask(house, request, { mayEnter: true })), encoding).toBe(true);
    }
  });

  it.each(Object.entries(BAD_TOKENS))("does not with a token that is %s", async (__, make) => {
    const { house, cookie, csrfToken: own } = await victim();
    const { csrfToken: foreign } = await stranger(house);
    const csrfToken = make({ own, cookie, foreign });
    for (const encoding of ["form", "json", "multipart"]) {
      // Forms know only text, and are read as a browser writes it.
      if (typeof csrfToken !== "string" && csrfToken !== undefined && encoding !== "json") continue;
      if (encoding === "multipart" && typeof csrfToken === "string" && csrfToken.endsWith("\n"))
        continue;
      const sent = csrfToken === undefined ? {} : { csrfToken };
      const response = await ask(
        house,
        post(ORIGIN + path, { ...fields, cookie, ...sent }, encoding),
      );
      expect(changes(response), encoding).toBe(false);
    }
  });

  it("does not with the token elsewhere than in the body", async () => {
    const { house, cookie, csrfToken } = await victim();
    const headers = { "x-csrf-token": csrfToken, "x-xsrf-token": csrfToken, csrftoken: csrfToken };
    const url = `${ORIGIN}${path}?csrfToken=${csrfToken}`;
    for (const encoding of ["form", "json"]) {
      const response = await ask(house, post(url, { ...fields, cookie }, encoding, headers));
      expect(changes(response)).toBe(false);
    }
  });

  it.each([
    ["no cookie at all", () => undefined],
    ["an empty cookie", () => "authjs.csrf-token="],
    ["a token without a signature", (token: string) => `authjs.csrf-token=${token}`],
    ["an empty signature", (token: string) => `authjs.csrf-token=${token}%7C`],
    ["a wrong signature", (token: string) => `authjs.csrf-token=${token}%7C${"0".repeat(64)}`],
    ["the token as signature", (token: string) => `authjs.csrf-token=${token}%7C${token}`],
    ["the secure name", (token: string) => `__Host-authjs.csrf-token=${token}%7C${token}`],
    ["three parts", (token: string) => `authjs.csrf-token=${token}%7C${token}%7C${token}`],
  ])("does not with the right token and %s", async (__, make) => {
    const { house, cookie, csrfToken } = await victim();
    const session = /authjs\.session-token=[^;]+/.exec(cookie)?.[0] ?? "";
    const jar = [session, make(csrfToken)].filter(Boolean).join("; ");
    for (const encoding of ["form", "json"]) {
      const request = post(ORIGIN + path, { ...fields, cookie: jar, csrfToken }, encoding);
      expect(changes(await ask(house, request))).toBe(false);
    }
  });

  it("does not with a pair that another house signed", async () => {
    const other = createHouse({ secret: "another-secret-another-secret-another" });
    const foreign = await stranger(other);
    const { house, cookie } = await victim();
    const session = /authjs\.session-token=[^;]+/.exec(cookie)?.[0] ?? "";
    const jar = `${session}; ${foreign.cookie}`;
    const request = post(
      ORIGIN + path,
      { ...fields, cookie: jar, csrfToken: foreign.csrfToken },
      "json",
    );
    expect(changes(await ask(house, request))).toBe(false);
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
  ])("does not by the content type %j, even with everything right", async (type) => {
    const { house, cookie, csrfToken } = await victim();
    const all = { ...fields, csrfToken };
    for (const body of [
      JSON.stringify(all),
      new URLSearchParams(all as Record<string, string>).toString(),
    ]) {
      const headers = { cookie, origin: ORIGIN, "content-type": type };
      const request = new Request(ORIGIN + path, { method: "POST", headers, body });
      expect(changes(await ask(house, request))).toBe(false);
    }
  });

  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "post"])(
    "does not by %s that says it is a POST",
    async (method) => {
      const { house, cookie, csrfToken } = await victim();
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
      // The platform makes POST of `post`, so that one is a real one: with the token, it may pass.
      if (request.method === "POST") return;
      // A GET of the sign-in page may remember a target.
      if (method === "GET" && path.includes("/signin/")) return;
      expect(changes(await ask(house, request))).toBe(false);
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
    "with the right token, from Origin %s and site %s: %s",
    async (origin, site, passes) => {
      const { house, cookie, csrfToken } = await victim();
      const headers: Record<string, string> = { cookie, "content-type": "application/json" };
      if (origin !== undefined) headers.origin = origin;
      if (site !== undefined) headers["sec-fetch-site"] = site;
      const body = JSON.stringify({ ...fields, csrfToken });
      const request = new Request(ORIGIN + path, { method: "POST", headers, body });
      expect(changes(await ask(house, request, { mayEnter: passes }))).toBe(passes);
    },
  );

  it("does not for any token, cookie or body that anybody can think of", async () => {
    const { house, cookie } = await victim();
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
        expect(changes(await ask(house, request))).toBe(false);
      }),
      runs(60),
    );
  });
});

describe("of several tokens in one form", () => {
  const twice = async (house: House, tokens: string[], cookie: string) => {
    const body = new URLSearchParams(Object.entries(LOVELACE));
    for (const token of tokens) body.append("csrfToken", token);
    const headers = { cookie, origin: ORIGIN };
    const request = new Request(`${ORIGIN}/auth/callback/credentials`, {
      method: "POST",
      headers,
      body,
    });
    return givesSession(await ask(house, request, { mayEnter: true }));
  };

  it("the last counts, and only it", async () => {
    const house = createHouse();
    const { cookie, csrfToken } = await stranger(house);
    expect(await twice(house, ["x", csrfToken], cookie)).toBe(true);
    expect(await twice(house, [csrfToken, "x"], cookie)).toBe(false);
    expect(await twice(house, [csrfToken, ""], cookie)).toBe(false);
  });
});

describe("a token tossed by a sibling host", () => {
  it("is not taken over by a page: the victim's own comes first, or none fits", async () => {
    const { house, cookie, csrfToken } = await victim();
    const tossed = await stranger(house);
    // The browser sends both; the page that posts is the attacker's.
    for (const jar of [`${cookie}; ${tossed.cookie}`, `${tossed.cookie}; ${cookie}`]) {
      const headers = { origin: `http://${EVIL}`, "sec-fetch-site": "same-site" };
      for (const token of [tossed.csrfToken, csrfToken]) {
        const fields = { cookie: jar, csrfToken: token };
        const response = await ask(house, post(`${ORIGIN}/auth/signout`, fields, "form", headers));
        expect(response.headers.getSetCookie().filter((one) => one.includes("session"))).toEqual(
          [],
        );
      }
    }
  });
});
