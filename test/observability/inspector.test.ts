import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { oidcFlow } from "../../plugins/flows/oauth.ts";
import {
  inspector,
  type InspectorReport,
  type LogEntry,
} from "../../plugins/observability/inspector.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import type { Adapter, Plugin } from "../../src/kernel.ts";
import { type Browser, createIdentityProvider } from "../../src/testing/testing.ts";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  SECRET,
  type TestAuth,
  type TestAuthOptions,
  unservedOAuth,
} from "../_app.ts";

const PATH = "/auth/inspector";
const HTML = { accept: "text/html" };

const create = (options: TestAuthOptions = {}) =>
  createTestAuth({ ...options, use: [inspector(), ...(options.use ?? [])] });

async function read(browser: Browser, query = ""): Promise<InspectorReport> {
  const response = await browser.get(`${PATH}?format=json${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as InspectorReport;
}

/** The newest entry. */
async function readLast(browser: Browser): Promise<LogEntry> {
  const [entry] = (await read(browser)).requests;
  if (!entry) throw new Error("The log is empty.");
  return entry;
}

const readPage = async (browser: Browser, query = "") =>
  (await browser.get(PATH + query, { headers: HTML })).text();

/** Sends a request as another client, host or proxy. */
const visit = (
  { auth }: TestAuth,
  { origin = ORIGIN, headers = {}, ip }: { origin?: string; headers?: HeadersInit; ip?: string },
  path = PATH,
) => auth.handle(new Request(origin + path, { headers }), { ip }) as Promise<Response>;

describe("inspector() in production", () => {
  it("inspector() registers nothing in production, and warns", async () => {
    const production = { NODE_ENV: "production", AUTH_URL: ORIGIN };
    const app = create({ env: production });
    const without = createTestAuth({ env: production });
    expect(app.log.warnings).toEqual([]);
    const inspection = app.auth.inspect();
    expect(app.log.warnings).toContain("inspector-production");
    const plain = without.auth.inspect();
    const { plugins, ...registered } = inspection;
    const { plugins: _, ...others } = plain;
    expect(registered).toEqual(others);
    expect(plugins.map(({ name }) => name)).toContain("observability/inspector");
    const response = await app.auth.fetch(new Request(ORIGIN + PATH));
    expect(response.status).toBe(404);
  });

  it("inspector() registers nothing without an environment, as on an edge runtime", () => {
    const app = create({ env: {}, trustHost: true });
    expect(app.auth.inspect().routes.map(({ path }) => path)).not.toContain("/inspector");
    expect(app.log.warnings).toContain("inspector-production");
  });
});

describe("inspector() and its visitors", () => {
  it.each(["http://localhost:3000", "http://127.0.0.1", "http://127.8.9.1:81", "http://[::1]:80"])(
    "the inspector responds at %s",
    async (origin) => {
      const response = await visit(create(), { origin, ip: "127.0.0.1" });
      expect(response.status).toBe(200);
    },
  );

  it("the inspector responds to a proxy of this machine that also listens on IPv6, such as Nuxt's", async () => {
    const headers = { "x-forwarded-for": "::ffff:127.0.0.1" };
    const response = await visit(create(), { origin: "http://localhost:3000", headers });
    expect(response.status).toBe(200);
  });

  it.each([
    ["the host of a network", { origin: "http://192.168.1.5:3000" }],
    ["a public host", { origin: "http://app.example" }],
    ["a name that begins with localhost", { origin: "http://localhost.evil.example" }],
    [
      "a proxy for another client with a mapped address",
      { headers: { "x-forwarded-for": "::ffff:203.0.113.7" } },
    ],
    ["a name that begins with 127.", { origin: "http://127.0.0.1.evil.example" }],
    ["any address", { origin: "http://0.0.0.0:3000" }],
    ["a client of the network", { ip: "192.168.1.5" }],
    ["a client of the network over IPv6", { ip: "fe80::1" }],
    ["a proxy for another host", { headers: { "x-forwarded-host": "app.example" } }],
    ["a proxy for another client", { headers: { "x-forwarded-for": "127.0.0.1, 203.0.113.7" } }],
    ["a proxy that sends the client's address", { headers: { "x-real-ip": "203.0.113.7" } }],
    ["a proxy with RFC 7239", { headers: { forwarded: "for=203.0.113.7" } }],
  ])("the inspector is an unknown path for %s", async (_, from) => {
    const app = create();
    for (const accept of ["text/html", "application/json"]) {
      for (const query of ["", "?format=json"]) {
        const headers = { ...("headers" in from && from.headers), accept };
        const [response, unknown] = [
          await visit(app, { ...from, headers }, PATH + query),
          await visit(app, { ...from, headers }, `/auth/unknown${query}`),
        ];
        expect(response.status).toBe(404);
        const hidden = (text: string) => text.replace(/nonce="[^"]*"|"id":"\w+"/g, "");
        expect(hidden(await response.text())).toBe(hidden(await unknown.text()));
        expect([...response.headers.keys()]).toEqual([...unknown.headers.keys()]);
      }
    }
  });

  it("the inspector is an unknown path if AUTH_URL is a public origin", async () => {
    const app = create({ env: { NODE_ENV: "test", AUTH_URL: "https://staging.example" } });
    expect((await visit(app, {})).status).toBe(404);
  });

  it("the inspector responds if a local proxy sends loopback addresses", async () => {
    const headers = { "x-forwarded-host": "localhost:8080", "x-forwarded-for": "::1" };
    expect((await visit(create(), { headers })).status).toBe(200);
  });
});

describe("the page of inspector()", () => {
  it("the page keeps the content security policy without scripts, and is not cached", async () => {
    const response = await create().browser.get(PATH, { headers: HTML });
    const text = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("content-security-policy")).not.toContain("script-src");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(text).not.toContain("<script");
    expect(text).not.toMatch(/ style="| on\w+="/);
  });

  it("JSON is sent if no plugin renders pages, and is never sniffed or cached", async () => {
    const app = createTestAuth({
      preset: { name: "bare", plugins: [...createBarePlugins()] },
      use: [inspector()],
      providers: [],
    });
    const response = await app.browser.get(PATH, { headers: HTML });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.json()).toMatchObject({ inspection: { basePath: "/auth" } });
  });

  it("the page shows plugins, hooks, events, routes, cookies, store, adapter, services and wraps", async () => {
    const clock: Plugin = {
      name: "clock",
      provides: ["service:clock"],
      requires: ["tapper"],
      plugins: [{ name: "brought", setup() {} }],
      setup: (kernel) => kernel.provide("clock" as never, {} as never),
    };
    const tapper: Plugin = {
      name: "tapper",
      setup({ hooks, events, store }) {
        hooks.signIn.tap({ name: "tapper/late", stage: "late" }, () => undefined);
        hooks.signIn.tap({ name: "tapper/first", stage: "first" }, () => undefined);
        events.hook("signIn", () => {});
        store("tapped", { atomic: true });
      },
    };
    const app = create({
      use: [clock, tapper, memoryStore(), storeAdapter(), oidcFlow()],
      strategy: "jwt",
    });
    await app.browser.signInWith("credentials", LOVELACE);
    const text = await readPage(app.browser);
    for (const heading of [
      "Requests",
      "This browser",
      "Cookies",
      "Decisions",
      "Plugins",
      "Hooks",
      "Events",
      "Routes",
      "Providers",
      "Store",
      "Adapter",
      "Services",
      "Wraps",
    ]) {
      expect(text).toContain(`<h2>${heading}</h2>`);
    }
    expect(text).toContain("provides service:clock · requires tapper · brings brought");
    expect(text).toMatch(
      /1\. tapper\/first \(tapper, first, last [\d.]+ ms, mean [\d.]+ ms of 1\)/,
    );
    expect(text).toMatch(/2\. tapper\/late \(tapper, late, last/);
    expect(text).toContain("POST /callback/:provider");
    expect(text).toContain("CSRF token: flow");
    expect(text).toContain("scope: process, consistency: strong");
    expect(text).toContain("getUserByAccount");
    expect(text).toContain("strategy: jwt, maxAge: 2592000, updateAge: 86400");
    const { inspection, taps, decisions } = await read(app.browser);
    expect(inspection).toEqual(app.auth.inspect());
    expect(taps.signIn).toMatchObject([{ name: "tapper/first", runs: 1 }, { name: "tapper/late" }]);
    expect(decisions).toMatchObject({ origin: ORIGIN, secureCookies: false, csrfProtection: true });
  });

  it("the page shows the cookies of this browser with sizes, and no values", async () => {
    const { browser } = create();
    await browser.signInWith("credentials", LOVELACE);
    const { browser: sent } = await read(browser);
    const session = sent.cookies.find(({ key }) => key === "sessionToken");
    expect(session).toMatchObject({
      name: "authjs.session-token",
      attributes: { httpOnly: true, sameSite: "lax" },
      sent: [{ name: "authjs.session-token" }],
    });
    expect(session?.sent[0]?.size).toBeGreaterThan(100);
    expect(sent.state).toEqual([
      "This browser has a session cookie.",
      "No login is paused.",
      "No sign-in is under way.",
    ]);
  });

  it("the page shows a started sign-in and a paused login", async () => {
    const pause: Plugin = {
      name: "pause",
      setup: ({ hooks }) => hooks.login.tap("pause", () => `${ORIGIN}/terms`),
    };
    const app = create({
      use: [oidcFlow(), pause],
      providers: [credentials()],
    });
    await app.browser.signInWith("credentials", LOVELACE);
    expect((await read(app.browser)).browser.state[1]).toContain("A login is paused");
    const other = app.openBrowser();
    const started = await app.auth.fetch(
      new Request(ORIGIN + PATH + "?format=json", {
        headers: { cookie: "authjs.state.x1=a; authjs.pkce.code_verifier=b; theme=dark" },
      }),
    );
    const { browser } = (await started.json()) as InspectorReport;
    expect(browser.state.join("\n")).toContain("attempt cookie state is there (authjs.state.x1)");
    expect(browser.state.join("\n")).toContain("attempt cookie pkceCodeVerifier is there");
    expect(browser.others).toEqual(["theme"]);
    expect((await read(other)).browser.state[2]).toBe("No sign-in is under way.");
  });
});

describe("the log of inspector()", () => {
  it("a sign-in is logged step by step: hooks, taps, adapter, store, events, cookies, redirect", async () => {
    const tap: Plugin = {
      name: "watchful",
      setup: ({ hooks }) => hooks.signIn.tap("watchful", () => true),
    };
    const app = create({
      use: [tap, memoryStore(), storeAdapter(), identityFlow(() => ({}))],
      providers: [acme()],
    });
    await app.browser.get("/auth/callback/acme");
    const entry = await readLast(app.browser);
    expect(entry).toMatchObject({
      operation: "request",
      method: "GET",
      path: "/auth/callback/acme",
      provider: "acme",
      status: 302,
      target: `${ORIGIN}/`,
      errors: [],
    });
    expect(entry.ms).toBeGreaterThan(0);
    const names = entry.steps.map(({ kind, name }) => `${kind} ${name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        "hook signIn",
        "adapter getUserByAccount",
        "store get adapter-account",
        "event createUser",
        "event signIn",
      ]),
    );
    const signIn = entry.steps.find(({ name, kind }) => kind === "hook" && name === "signIn");
    expect(signIn).toMatchObject({
      outcome: "no value",
      taps: [{ name: "watchful", plugin: "watchful" }],
    });
    expect(entry.cookies.map(({ name }) => name)).toContain("authjs.session-token");
  });

  it("server-side calls are logged, including failed ones", async () => {
    const app = create();
    const request = new Request(`${ORIGIN}/page`);
    await app.auth.getSession(request);
    expect(await readLast(app.browser)).toMatchObject({ operation: "getSession" });
    await expect(
      app.auth.signIn(request, "credentials", { username: "ada", password: "wrong" }),
    ).rejects.toThrow();
    app.log.expectErrors("CredentialsSignin");
    const entry = await readLast(app.browser);
    expect(entry).toMatchObject({ operation: "signIn", errors: [{ type: "CredentialsSignin" }] });
    expect(await readPage(app.browser)).toContain("auth.signIn()");
  });

  it("requests to identity providers are logged with origin and path", async () => {
    const idp = createIdentityProvider();
    const { browser } = createTestAuth({
      idp,
      use: [inspector(), oidcFlow()],
      providers: [idp.provider()],
    });
    await browser.signInAs({ email: "ada@example.com" });
    const { requests } = await read(browser);
    const calls = requests.flatMap(({ steps }) => steps.filter(({ kind }) => kind === "fetch"));
    expect(calls).toContainEqual(expect.objectContaining({ outcome: "200" }));
    expect(calls.map(({ name }) => name).join("\n")).toMatch(/^POST https?:\/\/[\w.:]+\/\w+$/m);
  });

  it("concurrent requests do not mix their steps", async () => {
    const slow: Plugin = {
      name: "slow",
      setup({ hooks }) {
        hooks.request.tap("slow", async (ctx) => {
          await new Promise((resolve) => setTimeout(resolve, ctx.url.search ? 20 : 1));
        });
      },
    };
    const app = create({ use: [slow] });
    await Promise.all(["/auth/csrf?a=1", "/auth/csrf"].map((path) => app.browser.get(path)));
    const { requests } = await read(app.browser);
    for (const { steps } of requests.slice(0, 2)) {
      const hooks = steps.filter(({ name }) => name === "request");
      expect(hooks).toMatchObject([{ taps: [{ name: "slow" }], outcome: "no value" }]);
    }
  });

  it("the log keeps the last 50 requests by default, or the number in `requests`", async () => {
    const visitTimes = async (app: TestAuth, times: number) => {
      for (let at = 0; at < times; at++) await app.browser.get("/auth/csrf");
      return (await read(app.browser)).requests;
    };
    const many = await visitTimes(create(), 53);
    expect(many).toHaveLength(50);
    expect(many[0]?.number).toBe(53);
    const few = await visitTimes(createTestAuth({ use: [inspector({ requests: 2 })] }), 5);
    expect(few.map(({ number }) => number)).toEqual([5, 4]);
  });

  it.each([0, -1, 1.5, 1001, Number.NaN])("inspector() refuses %s requests", (requests) => {
    const app = createTestAuth({ use: [inspector({ requests })] });
    expect(() => app.auth.inspect()).toThrow("`requests` of inspector() must be a whole number");
    app.log.expectErrors("PluginError");
  });

  it("the inspector does not log itself", async () => {
    const { browser } = create();
    await read(browser);
    await readPage(browser);
    expect((await read(browser)).requests).toEqual([]);
  });

  it("an adapter whose methods cannot be replaced is observed", async () => {
    const adapter: Adapter = Object.freeze({
      createUser: (user) => user,
      getUserByAccount: () => null,
      getUserByEmail: () => null,
      getUser: () => null,
      updateUser: (user) => user as never,
      linkAccount: () => {},
    } satisfies Adapter);
    const app = create({
      adapter,
      strategy: "jwt",
      use: [identityFlow(() => ({}))],
      providers: [acme()],
    });
    await app.browser.get("/auth/callback/acme");
    const { steps } = await readLast(app.browser);
    expect(steps).toContainEqual(expect.objectContaining({ kind: "adapter", name: "createUser" }));
  });
});

describe("inspector() and the reason for a failed sign-in", () => {
  const failing = (error: Error) =>
    create({ providers: [credentials({ authorize: () => Promise.reject(error) })] });

  it("a failed sign-in is logged with type, message, cause, fix and the id of the log", async () => {
    const cause = new Error("connect ECONNREFUSED");
    const app = failing(new Error("The directory did not respond. Start it.", { cause }));
    await app.browser.signInWith("credentials", LOVELACE).catch(() => {});
    const [logged] = app.log.errors;
    app.log.expectErrors(...app.log.errors.map(({ type, name }) => type ?? name));
    const { id } = logged as { id?: string };
    const { requests } = await read(app.browser, `&id=${id}`);
    expect(requests).toHaveLength(1);
    const [error] = requests[0]?.errors ?? [];
    expect(error?.id).toBe(id);
    const texts = JSON.stringify(error);
    expect(texts).toContain("The directory did not respond.");
    expect(texts).toContain('"fix":"Start it."');
    expect(texts).toContain("connect ECONNREFUSED");
    expect(await readPage(app.browser, `?id=${id}`)).toContain("To do: Start it.");
  });

  it("the error page of a failed sign-in links to its entry, only for local requests", async () => {
    const app = create();
    const failed = await app.browser.signInWith("credentials", { username: "ada", password: "no" });
    const [error] = app.log.expectErrors("CredentialsSignin");
    const { id } = error as { id?: string };
    const page = new URL(failed.headers.get("location") ?? "");
    const path = page.pathname + page.search;
    const text = await (await app.browser.get(path, { headers: HTML })).text();
    expect(text).toContain(`href="${ORIGIN}/auth/inspector?id=${id}"`);
    const elsewhere = await visit(app, { ip: "192.168.1.5", headers: HTML }, path);
    expect(await elsewhere.text()).not.toContain("inspector");
    const unrelated = await app.browser.get("/auth/signin", { headers: HTML });
    expect(await unrelated.text()).not.toContain("inspector");
  });

  it("the tap that refused a sign-in is named, and so is a tap that threw", async () => {
    const app = create({
      use: [
        {
          name: "strict",
          setup({ hooks }) {
            hooks.signIn.tap("strict/tap", () => {
              throw new Error("Not on Mondays.");
            });
          },
        },
      ],
    });
    await app.browser.signInWith("credentials", LOVELACE).catch(() => {});
    app.log.expectErrors("AccessDenied");
    const { errors, steps } = await readLast(app.browser);
    expect(JSON.stringify(errors)).toContain("strict/tap");
    expect(steps).toContainEqual(
      expect.objectContaining({
        name: "signIn",
        taps: [expect.objectContaining({ plugin: "strict" })],
      }),
    );
  });

  it("unknown ids lead to an empty list", async () => {
    const { browser } = create();
    expect((await read(browser, "&id=ffff")).requests).toEqual([]);
    expect(await readPage(browser, "?id=<b>")).toContain("Request &lt;b&gt;");
  });
});

describe("inspector() and secrets", () => {
  const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz";

  it("neither the page nor JSON contains secrets, tokens, cookies, posted values or addresses", async () => {
    const message = [
      `secret ${SECRET}`,
      `token ${TOKEN}`,
      "hex 9f86d081884c7d659a2feaa0c55ad015",
      "password hunter2 of ada.lovelace@example.com",
      "from 203.0.113.7 and 2001:db8::7",
      "at redis://root:letmein@db:6379/0 and https://idp.example/x?key=abc",
      "client s3cr3t-of-acme",
    ].join("; ");
    const app = create({
      errors: "allowed",
      providers: [
        credentials({
          authorize({ username }) {
            throw new Error(`${message}; user ${String(username)}`);
          },
        }),
        { ...unservedOAuth("acme"), clientSecret: "s3cr3t-of-acme" },
      ],
      use: [oidcFlow()],
    });
    await app.browser
      .signInWith("credentials", { username: "ada.lovelace@example.com", password: "hunter2" })
      .catch(() => {});
    await app.browser.get(`/auth/session?code=${TOKEN}&state=tiny&bare-${TOKEN}`);
    await app.browser.get(`/auth/unknown/${TOKEN}`);
    await app.browser.get("/auth/unknown/grace@example.com");
    await app.browser.get("/auth/unknown/grace%40example.com");
    const sent = await app.auth.handle(
      new Request(`${ORIGIN}${PATH}?format=json`, {
        headers: { cookie: `authjs.session-token=${TOKEN}; other=plain-value` },
      }),
    );
    const { requests } = await read(app.browser);
    const { errors } = requests.find((entry) => entry.provider === "credentials") ?? {};
    expect(JSON.stringify(errors)).toContain("idp.example/x?key=***");
    const all = [
      await readPage(app.browser),
      JSON.stringify(await read(app.browser)),
      await sent?.text(),
    ].join("\n");
    for (const secret of [
      SECRET,
      TOKEN,
      "eyJ",
      "9f86d081884c7d65",
      "hunter2",
      "lovelace@",
      "ada.lovelace",
      "grace@",
      "grace%40",
      "203.0.113.7",
      "2001:db8",
      "letmein",
      "root:",
      "key=abc",
      "s3cr3t-of-acme",
      "tiny",
      "plain-value",
    ]) {
      expect(all, secret).not.toContain(secret);
    }
  });

  it("posted values are masked in any form that the message quotes", async () => {
    const given = { username: 'x"y z', password: 'p"w?d', pin: 4711 };
    const app = create({
      errors: "allowed",
      providers: [
        credentials({
          authorize(fields) {
            const query = new URLSearchParams({ p: String(fields.password) });
            throw new Error(`${JSON.stringify(fields)} ${encodeURIComponent('p"w?d')} ${query}`);
          },
        }),
      ],
    });
    await app.browser.send("/auth/callback/credentials", { json: given });
    const { errors } = await readLast(app.browser);
    const text = JSON.stringify(errors);
    expect(text).toContain("CallbackRouteError");
    for (const secret of ["y z", "w?d", "w%3Fd", "4711"]) expect(text).not.toContain(secret);
  });

  it("values of path parameters are shown by their names", async () => {
    const invite: Plugin = {
      name: "invite",
      setup: (kernel) =>
        kernel.addRoute({
          method: "GET",
          path: "/invite/:token",
          handler: (ctx) => ctx.redirect(`${ORIGIN}/join?invite=${ctx.params.token}`),
        }),
    };
    const app = create({ use: [invite] });
    await app.browser.get("/auth/invite/opensesame");
    const entry = await readLast(app.browser);
    expect(entry).toMatchObject({ path: "/auth/invite/:token", target: `${ORIGIN}/join` });
    expect(JSON.stringify(entry)).not.toContain("opensesame");
  });

  it("the OAuth error of a refused sign-in stays readable", async () => {
    const idp = createIdentityProvider();
    const { browser } = createTestAuth({
      idp,
      errors: "allowed",
      use: [inspector(), oidcFlow()],
      providers: [idp.provider()],
    });
    idp.refuse = "access_denied";
    await browser.signInAs({ email: "ada@example.com" }).catch(() => {});
    const { requests } = await read(browser);
    const { errors } = requests.find((entry) => entry.errors.length > 0) ?? {};
    expect(JSON.stringify(errors)).toContain("access_denied");
  });
});

describe("inspector() and markup", () => {
  const NAME_MARKUP = `"><b>`;
  const MARKUP = `"><img src=x onerror=alert(1)></script><script>alert(1)</script>'\``;

  it("markup in every recorded text is escaped", async () => {
    const app = create({
      errors: "allowed",
      providers: [
        credentials({
          authorize() {
            const error = new Error(`Failed ${MARKUP}. Fix ${MARKUP}.`, {
              cause: new Error(MARKUP),
            });
            error.name = MARKUP;
            throw error;
          },
        }),
      ],
      use: [
        {
          name: `plugin${NAME_MARKUP}`,
          provides: [MARKUP],
          setup({ hooks, events, store }) {
            hooks.signIn.tap(MARKUP, () => undefined);
            hooks.response.tap(MARKUP, () => undefined);
            events.hook("signInFailed", () => {});
            store("markup");
          },
        },
        {
          ...memoryStore(),
          setup: (kernel) => kernel.setStore({ ...memoryBackend(), name: MARKUP }),
        },
      ],
    });
    await app.browser.signInWith("credentials", LOVELACE).catch(() => {});
    await app.browser.get(`/auth/${encodeURIComponent(MARKUP)}?<b>=1&<i>`);
    const headers = { ...HTML, cookie: "<u>=1; authjs.state.<u>=2" };
    for (const query of ["", `?id=${encodeURIComponent(MARKUP)}`, "?id=1"]) {
      const response = await app.auth.handle(new Request(ORIGIN + PATH + query, { headers }));
      const text = (await response?.text()) ?? "";
      expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
      expect(text).not.toMatch(/<(?:script|img|b|i|u)\b/);
      expect(text).not.toContain("onerror=alert(1)>");
    }
  });
});

function createBarePlugins(): Plugin[] {
  return [
    {
      name: "bare",
      provides: ["strategy:jwt"],
      setup: (kernel) =>
        kernel.addStrategy("jwt", {
          create: () => () => {},
          read: () => null,
          update: () => null,
          current: () => null,
          destroy: () => undefined,
        }),
    },
  ];
}
