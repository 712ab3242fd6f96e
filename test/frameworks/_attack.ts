import { once } from "node:events";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as open,
} from "node:http";
import { expect, it } from "vitest";
import type { Browser } from "../../src/testing/testing.ts";
import { LOVELACE } from "../_app.ts";
import { EVIL, listTargets } from "../attack/_attack.ts";
import type { App } from "./_app.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
interface Sent {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** Sends requests that a browser would not send. `fetch` adds its own headers. */
async function send(
  origin: string,
  path: string,
  { method = "GET", headers = {}, body }: Sent = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const request = open({ hostname, port, path, method, headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

const join = (pairs: Iterable<readonly [string, string]>) =>
  [...pairs].map((pair) => pair.join("=")).join("; ");
const isSession = ([name]: readonly [string, string]) => name.includes("session-token");

/** Returns the user who has the session of these cookies, as the server reports it. */
async function readName(app: App, basePath: string, cookie: string): Promise<string | null> {
  const { text } = await send(app.origin, `${basePath}/session`, { headers: { cookie } });
  return (JSON.parse(text) as { user?: { name?: string } } | null)?.user?.name ?? null;
}

interface Change {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The requests that sign in, sign out and start a sign-in. */
const CHANGES: readonly Change[] = [
  { path: "/callback/credentials", fields: LOVELACE },
  { path: "/signout", fields: {} },
  { path: "/signin/op", fields: { callbackUrl: "/planted" } },
];
const isOfChange = (cookie: string) => /^[^=]*(?:session-token|state|pkce|nonce)/.test(cookie);

const FORM = "application/x-www-form-urlencoded";
const encode = (type: string, fields: Readonly<Record<string, string>>) =>
  type === "application/json" ? JSON.stringify(fields) : `${new URLSearchParams(fields)}`;

type Forge = (own: string, foreign: string, origin: string) => OutgoingHttpHeaders & Token;
interface Token {
  readonly token?: string;
}

/**
 * What a post of another site, or of a script that guesses, can look like. Each keeps the fields that it does not name.
 */
const FORGERIES: Readonly<Record<string, Forge>> = {
  "without a CSRF token": () => ({ token: "" }),
  "with the CSRF token of another browser": (_, foreign) => ({ token: foreign }),
  "with a CSRF token that is cut short": (own) => ({ token: own.slice(0, -1) }),
  "with the right CSRF token from another origin": () => ({ origin: `http://${EVIL}` }),
  "with the right CSRF token from another port": (_, __, origin) => ({
    origin: origin.replace(/\d+$/, "1"),
  }),
  "with the right CSRF token from an opaque origin": () => ({
    origin: "null",
    "sec-fetch-site": "cross-site",
  }),
  "with the right CSRF token as plain text": () => ({ "content-type": "text/plain" }),
};

const TARGETS = [
  `https://${EVIL}/`,
  `//${EVIL}`,
  `///${EVIL}`,
  `/\\${EVIL}`,
  `\\\\${EVIL}`,
  `http:${EVIL}`,
  `/\t/${EVIL}`,
  `/%09/${EVIL}`,
  `javascript:alert(1)`,
  `data:text/html,${EVIL}`,
  `{origin}.${EVIL}/`,
  `{origin}@${EVIL}/`,
];

/** Headers that proxies and frameworks send to themselves. From a stranger, they must have no effect. */
const INTERNAL: readonly OutgoingHttpHeaders[] = [
  { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
  { "x-middleware-subrequest": "src/middleware:src/middleware:src/middleware:src/middleware" },
  { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
  { "x-middleware-prefetch": "1", purpose: "prefetch" },
  { "x-nextjs-data": "1" },
  { rsc: "1", "next-router-prefetch": "1" },
  { "next-action": "0".repeat(42) },
  { "x-sveltekit-action": "true", accept: "application/json" },
  { "x-sveltekit-invalidated": "11" },
  { "x-astro-path": "/", "x-astro-locals": "{}" },
  { "x-nuxt-no-ssr": "1" },
  { "x-nitro-prerender": "/locked" },
  { "x-original-url": "/", "x-rewrite-url": "/", "x-forwarded-uri": "/" },
  { "x-http-method-override": "OPTIONS", "x-method-override": "OPTIONS" },
  { authorization: "Bearer null" },
];

const BAD_SESSIONS = [
  "",
  "x",
  "null",
  "..",
  "a.b.c.d.e",
  `${btoa('{"alg":"none"}')}.${btoa('{"name":"Mallory","sub":"1"}')}.`,
  `${btoa('{"alg":"dir","enc":"A256CBC-HS512"}')}....`,
  "%00",
  "%E0%A4%A",
  "a".repeat(3_900),
];

/**
 * Tests attacks against an application of this folder over the wire: posts of another site, foreign targets, forged
 * cookies, and internal headers of frameworks.
 */
export function testAttacks(getApp: () => App, basePath: string, trustHost: boolean): void {
  const enter = async (): Promise<Browser> => {
    const browser = getApp().open();
    await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/" });
    return browser;
  };

  /** Sends each change in each encoding, and lists those that set a cookie of a session or a flow. */
  const listChanged = async (browser: Browser, forge: Forge): Promise<string[]> => {
    const app = getApp();
    const own = await browser.csrfToken();
    const foreign = await app.open().csrfToken();
    const changed: string[] = [];
    for (const { path, fields } of CHANGES) {
      for (const type of [FORM, "application/json"]) {
        const { token = own, ...forged } = forge(own, foreign, app.origin);
        // A sign-out needs a session. The other requests have none, so that a new one is noticed.
        const kept = [...browser.cookies].filter((pair) => path === "/signout" || !isSession(pair));
        const cookie = join(kept);
        const headers = { origin: app.origin, "content-type": type, ...forged, cookie };
        const body = encode(type, { ...fields, ...(token && { csrfToken: token }) });
        const sent = { method: "POST", headers, body };
        const answer = await send(app.origin, basePath + path, sent);
        if (answer.headers["set-cookie"]?.some(isOfChange)) changed.push(`${path} ${type}`);
      }
    }
    return changed;
  };

  it("a POST from the site itself takes effect", async () => {
    const changed = CHANGES.flatMap(({ path }) => [`${path} ${FORM}`, `${path} application/json`]);
    expect(await listChanged(await enter(), () => ({}))).toEqual(changed);
  });

  it.each(Object.entries(FORGERIES))("a POST %s changes nothing", async (_, forge) => {
    const browser = await enter();
    expect(await listChanged(browser, forge)).toEqual([]);
    expect(await browser.session()).not.toBeNull();
  });

  it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "a %s that claims to be a POST signs no one out",
    async (method) => {
      const app = getApp();
      const browser = await enter();
      const query = new URLSearchParams({ csrfToken: await browser.csrfToken(), _method: "POST" });
      const headers = {
        cookie: join(browser.cookies),
        origin: app.origin,
        "x-http-method-override": "POST",
        "x-method-override": "POST",
      };
      await send(app.origin, `${basePath}/signout?${query}`, { method, headers });
      expect(await browser.session()).not.toBeNull();
    },
  );

  it("no callbackUrl leads to another site", async () => {
    const app = getApp();
    for (const text of TARGETS) {
      const target = text.replace("{origin}", app.origin);
      const browser = app.open();
      const form = { ...LOVELACE, callbackUrl: target };
      const { headers } = await browser.signInWith("credentials", form);
      const location = new URL(headers.get("location") ?? "", app.origin);
      expect([target, location.origin]).toEqual([target, app.origin]);
      const page = await send(
        app.origin,
        `${basePath}/signin?callbackUrl=${encodeURIComponent(target)}`,
      );
      for (const found of listTargets(page.text)) {
        expect([target, new URL(found, app.origin).hostname]).not.toEqual([target, EVIL]);
      }
    }
  });

  it.skipIf(trustHost)(
    "a host that the client chooses appears in no redirect, page or cookie",
    async () => {
      const app = getApp();
      const headers = { "x-forwarded-host": EVIL, forwarded: `host=${EVIL}`, "x-host": EVIL };
      for (const path of [`${basePath}/signin`, `${basePath}/providers`, "/locked"]) {
        const answer = await send(app.origin, path, { headers });
        expect([path, JSON.stringify(answer.headers), answer.text]).toEqual([
          path,
          expect.not.stringContaining(EVIL),
          expect.not.stringContaining(EVIL),
        ]);
      }
    },
  );

  it("an internal header of the framework does not open the guarded page", async () => {
    const app = getApp();
    for (const headers of INTERNAL) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const answer = await send(app.origin, "/locked", { method, headers });
        expect([headers, method, answer.text]).toEqual([
          headers,
          method,
          expect.not.stringContaining("the locked page"),
        ]);
      }
    }
  });

  it("a made-up session cookie signs no one in", async () => {
    const app = getApp();
    for (const value of BAD_SESSIONS) {
      for (const name of ["authjs.session-token", "authjs.session-token.0"]) {
        const cookie = `${name}=${value}`;
        expect([cookie, await readName(app, basePath, cookie)]).toEqual([cookie, null]);
        const page = await send(app.origin, "/locked", { headers: { cookie } });
        expect([cookie, page.text]).toEqual([cookie, expect.not.stringContaining("locked page")]);
      }
    }
  });

  it("a session under the name of another kind of cookie signs no one in", async () => {
    const browser = await enter();
    const [[, value] = ["", ""]] = [...browser.cookies].filter(isSession);
    for (const name of ["session-token", "Authjs.session-token", "authjs.csrf-token"]) {
      expect(await readName(getApp(), basePath, `${name}=${value}`)).toBeNull();
    }
  });
}
