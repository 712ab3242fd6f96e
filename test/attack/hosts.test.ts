import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { createAuth } from "../../presets/standard.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { createTestAuth, createLog, credentials, ENV, LOVELACE, SECRET } from "../_app.ts";
import { pickCases } from "../_scale.ts";
import { createMailApp } from "../flows/_mail.ts";
import {
  ask,
  EVIL,
  expectSafe,
  givesSession,
  post,
  runs,
  stranger,
  watchRejections,
} from "./_attack.ts";

watchRejections();

const APP = "https://app.example";
const PAGES = [
  "signin",
  "signout",
  "error",
  "verify-request",
  "providers",
  "session",
  "csrf",
  "nowhere",
];

/** Spellings of a foreign host in a header. */
const HOSTS = [
  EVIL,
  EVIL.toUpperCase(),
  `${EVIL}:443`,
  `${EVIL}:0`,
  `${EVIL}:99999`,
  `${EVIL}:-1`,
  `${EVIL}:`,
  `${EVIL}.`,
  `.${EVIL}`,
  `${EVIL}/`,
  `${EVIL}/.app.example`,
  `${EVIL}?.app.example`,
  `${EVIL}#.app.example`,
  `${EVIL}\\.app.example`,
  `${EVIL},app.example`,
  `${EVIL}, app.example`,
  `, ${EVIL}`,
  `,,${EVIL}`,
  ` ${EVIL}`,
  `app.example@${EVIL}`,
  `app.example:443@${EVIL}`,
  `app.example.${EVIL}`,
  `app.example${EVIL}`,
  `evilapp.example`,
  `notapp.example`,
  `app.example.`,
  `app.example:80`,
  `app.example:444`,
  `app.example:443.${EVIL}`,
  `app.example%00.${EVIL}`,
  `app.example\t.${EVIL}`,
  `app.example ${EVIL}`,
  `app_example`,
  "localhost",
  "127.0.0.1",
  "169.254.169.254",
  "[::1]",
  "[::ffff:7f00:1]",
  "[evil]",
  "[",
  "]",
  "*",
  "*.example",
  "null",
  "undefined",
  "0",
  "-",
  "..",
  "%",
  "'",
  '"><svg onload=alert(1)>',
  "<script>",
  "a".repeat(253),
  "a".repeat(10_000),
  `${"a.".repeat(2000)}example`,
  "xn--",
  "xn--evil-.example",
];

const SPOKEN = [
  "x-forwarded-host",
  "host",
  "x-host",
  "x-original-host",
  "x-forwarded-server",
  "forwarded",
];

const SCHEMES = [
  "http",
  "http,https",
  "https,http",
  "ftp",
  "javascript",
  "https://",
  "https:",
  "file",
  "",
  " ",
  ",",
  "HTTP",
  "wss",
  "\t",
  "https;x",
];

const known: Record<string, AuthConfig> = {
  AUTH_URL: { env: { NODE_ENV: "production", AUTH_URL: APP } },
  "AUTH_URL with trustHost: true": { env: { ...ENV, AUTH_URL: APP }, trustHost: true },
  "a trustHost list": { env: { NODE_ENV: "production" }, trustHost: ["app.example"] },
};

const to = (path: string, headers: Record<string, string> = {}, origin = APP) =>
  new Request(`${origin}/auth/${path}`, { headers: { accept: "text/html", ...headers } });

const rows = Object.entries(known).map(([name, config], row) => [name, config, row] as const);
describe.each(rows)("host headers when %s sets the origin", (_, config, row) => {
  it.each(pickCases(SPOKEN, row))("the `%s` header never appears in a response", async (name) => {
    const testApp = createTestAuth(config);
    for (const host of HOSTS) {
      // An entry of the list without a port matches the host at any port.
      if ("trustHost" in config && /^app\.example:\d+$/.test(host)) continue;
      const value = name === "forwarded" ? `host="${host}";proto=http` : host;
      for (const path of ["signin", "signout", "providers", "csrf"]) {
        const response = await ask(testApp, to(path, { [name]: value }), { origin: APP });
        expect(await response.text()).not.toMatch(/evil(?:\.|app)/);
        expect(JSON.stringify([...response.headers])).not.toMatch(/evil(?:\.|app)/);
      }
    }
  });

  it("x-forwarded-proto does not change the names of cookies when AUTH_URL is set", async () => {
    const testApp = createTestAuth(config);
    for (const scheme of SCHEMES) {
      const response = await testApp.auth.fetch(to("csrf", { "x-forwarded-proto": scheme }));
      expect(response.status).toBeLessThan(500);
      testApp.log.errors.length = 0;
      const [cookie] = response.headers.getSetCookie();
      // With a list, a proxy decides between http and https. With AUTH_URL, no header does.
      if (cookie && "AUTH_URL" in (config.env ?? {})) {
        expect(cookie).toMatch(/^__Host-authjs\.csrf-token=.*; Secure/);
      }
    }
  });

  it("arbitrary forwarding headers never appear in a response", async () => {
    const testApp = createTestAuth(config);
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (host, proto, forwarded) => {
        const headers = {
          "x-forwarded-host": `${host}evil`,
          "x-forwarded-proto": proto,
          "x-forwarded-for": forwarded,
          forwarded,
        };
        const response = await testApp.auth.fetch(to("signin", headers));
        testApp.log.errors.length = 0;
        expect(response.status).toBeLessThan(500);
        expect(await response.text()).not.toContain("evil");
      }),
      runs(150),
    );
  });

  it("the host of the first request does not become the origin", async () => {
    for (const host of [EVIL, `${EVIL}, app.example`, "[", `app.example@${EVIL}`]) {
      const testApp = createTestAuth(config);
      await ask(testApp, to("signin", { "x-forwarded-host": host }, `https://${EVIL}`), {
        origin: APP,
      });
      const second = await ask(testApp, to("providers"), { origin: APP });
      expect(await second.json()).toMatchObject({
        credentials: { callbackUrl: `${APP}/auth/callback/credentials` },
      });
    }
  });

  it("POST /callback/credentials with a foreign x-forwarded-host starts a session for the known origin only", async () => {
    const testApp = createTestAuth(config);
    const who = await stranger(testApp, APP);
    const request = post(`${APP}/auth/callback/credentials`, { ...who, ...LOVELACE }, "form", {
      "x-forwarded-host": EVIL,
      "x-forwarded-proto": "http",
    });
    const response = await testApp.auth.fetch(request);
    testApp.log.errors.length = 0;
    // The request is rejected, or signs in at the known origin.
    const location = response.headers.get("location");
    if (location) expect(new URL(location).origin).toBe(APP);
    if (givesSession(response)) {
      expect(response.headers.getSetCookie().join()).toContain("__Secure-authjs.session-token");
    }
  });
});

describe("trustHost list", () => {
  const testApp = () =>
    createTestAuth({
      env: { NODE_ENV: "production" },
      trustHost: ["app.example", "*.tenants.example"],
    });

  it.each([
    "tenants.example",
    ".tenants.example",
    "eviltenants.example",
    `a.tenants.example.${EVIL}`,
    `tenants.example.${EVIL}`,
    `a.tenants.example@${EVIL}`,
    "*.tenants.example",
    "a.tenants.example/..",
    "a.tenants.example#",
    "a..tenants.example/",
    "sub.app.example",
    "xapp.example",
  ])("a trustHost list rejects the host %s", async (host) => {
    const { auth, log } = testApp();
    const response = await auth.fetch(to("providers", { "x-forwarded-host": host }));
    expect(response.status).toBe(400);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.text()).not.toContain(host);
    log.expectErrors("UntrustedHost");
  });

  it("concurrent requests to several tenants of a trustHost list do not mix hosts or cookies", async () => {
    const { auth } = testApp();
    const origins = [
      "https://a.tenants.example",
      "https://b.tenants.example",
      APP,
      "http://a.tenants.example",
    ];
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (__, at) => {
        const origin = origins[at % origins.length] as string;
        const path = ["providers", "signin", "signout?callbackUrl=/x", "csrf"][at % 3] as string;
        const response = await auth.fetch(to(path, {}, origin));
        return { origin, response, text: await expectSafe(response, { origin }) };
      }),
    );
    for (const { origin, response, text } of responses) {
      for (const other of origins.filter((one) => one !== origin)) {
        expect(text).not.toContain(
          new URL(other).host === new URL(origin).host ? `${other}/` : new URL(other).host,
        );
      }
      const secure = origin.startsWith("https:");
      for (const cookie of response.headers.getSetCookie()) {
        expect(cookie.startsWith("__")).toBe(secure);
        expect(/; Secure/.test(cookie)).toBe(secure);
        expect(cookie).not.toContain("Domain=");
      }
    }
  });

  it("POST /callback/credentials does not redirect from one tenant of a trustHost list to another", async () => {
    const at = testApp();
    const origin = "https://a.tenants.example";
    const who = await stranger(at, origin);
    for (const callbackUrl of [
      "https://b.tenants.example/x",
      `${APP}/x`,
      "http://a.tenants.example/x",
    ]) {
      const request = post(`${origin}/auth/callback/credentials`, {
        ...who,
        ...LOVELACE,
        callbackUrl,
      });
      const response = await ask(at, request, { origin, mayEnter: true });
      expect(response.headers.get("location")).toBe(`${origin}/`);
    }
  });
});

describe("configuration as a function of the request", () => {
  it("concurrent requests to two tenants use their own configuration and secret", async () => {
    const log = createLog();
    const configs = new Map(
      ["a.example", "b.example"].map((host) => [
        host,
        {
          secret: `${SECRET}-${host}`,
          env: { ...ENV, AUTH_URL: `https://${host}` },
          logger: log.logger,
          providers: [credentials({ id: `login-${host[0]}`, name: `Login of ${host}` })],
        } satisfies AuthConfig,
      ]),
    );
    const auth = createAuth(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return configs.get(new URL(request?.url ?? "").host) as AuthConfig;
    });
    const visit = async (host: string) => {
      const browser = createBrowser(auth.fetch, { origin: `https://${host}` });
      const page = await (await browser.get("/auth/signin")).text();
      expect(page).toContain(`Login of ${host}`);
      await browser.signInWith(`login-${host[0]}`, LOVELACE);
      expect(await browser.session()).not.toBeNull();
      return browser;
    };
    const [a] = await Promise.all(["a.example", "b.example", "a.example", "b.example"].map(visit));
    const cookie = [...(a as Awaited<ReturnType<typeof visit>>).cookies]
      .map((pair) => pair.join("="))
      .join("; ");
    const headers = { cookie };
    const here = await auth.fetch(new Request("https://a.example/auth/session", { headers }));
    const there = await auth.fetch(new Request("https://b.example/auth/session", { headers }));
    expect(await here.json()).not.toBeNull();
    expect(await there.json()).toBeNull();
  });
});

describe("production without a known origin", () => {
  it("production without a known origin rejects every host and echoes none", async () => {
    const log = createLog();
    const auth = createAuth({
      secret: SECRET,
      env: { NODE_ENV: "production" },
      logger: log.logger,
    });
    for (const host of HOSTS.filter((one) => !/[^\u0021-\u007e]/.test(one))) {
      for (const path of PAGES) {
        const response = await auth.fetch(to(path, { "x-forwarded-host": host }));
        expect(response.status).toBe(500);
        expect(response.headers.get("location")).toBeNull();
        expect(response.headers.getSetCookie()).toEqual([]);
        expect(await response.text()).not.toContain("evil");
      }
    }
    log.expectErrors("UntrustedHost");
  });
});

describe("links by e-mail with a host that only the request names", () => {
  const FORWARDED = { "x-forwarded-host": EVIL, origin: `http://${EVIL}` };
  const request = async (
    config: Omit<AuthConfig, "adapter">,
    origin: string,
    headers: Record<string, string> = {},
  ) => {
    const app = createMailApp({ env: { NODE_ENV: "development" }, ...config });
    const browser = app.openBrowser(origin);
    const csrfToken = await browser.csrfToken();
    const fields = { csrfToken, email: "ada@example.com" };
    const response = await browser.post("/auth/signin/mail", fields, { headers });
    return { app, response };
  };

  it.each<[string, Omit<AuthConfig, "adapter">, string, Record<string, string>]>([
    ["development", {}, APP, {}],
    ["a forwarded host", {}, "http://localhost:3000", FORWARDED],
    ["`trustHost: true`", { trustHost: true }, APP, {}],
    ["AUTH_TRUST_HOST", { env: { ...ENV, AUTH_TRUST_HOST: "true" } }, APP, {}],
  ])("no e-mail is sent with %s", async (_, config, origin, headers) => {
    const { app, response } = await request(config, origin, headers);
    expect(response.status).toBe(400);
    expect(app.mails).toEqual([]);
    expect(app.adapter.tokens.size).toBe(0);
    const [error] = app.log.expectErrors("UntrustedHost");
    expect(error?.message).toContain("Set AUTH_URL");
  });

  it.each<[string, Omit<AuthConfig, "adapter">, string]>([
    ["AUTH_URL", { env: { ...ENV, AUTH_URL: APP } }, APP],
    ["a trustHost list", { trustHost: ["app.example"] }, APP],
    ["Vercel", { env: { ...ENV, VERCEL: "1" } }, APP],
    ["loopback", {}, "http://localhost:3000"],
  ])("an e-mail is sent with %s", async (_, config, origin) => {
    const { app } = await request(config, origin);
    expect(app.mails).toHaveLength(1);
    const url = new URL(app.mails[0]?.url ?? "");
    expect(["app.example", "localhost:3000"]).toContain(url.host);
  });
});

describe("the scheme of a mailed link", () => {
  it.each([
    ["http://app.example", {}, "https://app.example"],
    ["http://app.example", { "x-forwarded-proto": "http" }, "https://app.example"],
    ["https://app.example", { "x-forwarded-proto": "http" }, "https://app.example"],
    ["http://localhost:3000", {}, "http://localhost:3000"],
  ])("a link that is requested at %s with %j leads to %s", async (origin, headers, expected) => {
    const trustHost = ["app.example", "localhost:3000"];
    const app = createTestAuth({
      trustHost,
      origin,
      mail: {},
      preset: standardPreset,
      store: memoryBackend(),
    });
    const browser = app.openBrowser(origin);
    const csrfToken = await browser.csrfToken();
    const fields = { csrfToken, email: "ada@example.com", callbackUrl: "/inside" };
    await browser.post("/auth/signin/mail", fields, { headers });
    const link = new URL(app.mails.at(-1)?.url ?? "");
    expect(link.origin).toBe(expected);
    expect(link.searchParams.get("callbackUrl")).toBe(`${expected}/inside`);
  });
});
