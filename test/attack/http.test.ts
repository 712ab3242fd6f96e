import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  SECRET,
} from "../_app.ts";
import { ask, EVIL, post, runs, stranger, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const ROUTES = [
  "signin",
  "signin/credentials",
  "callback/credentials",
  "signout",
  "session",
  "csrf",
  "providers",
  "error",
  "verify-request",
];
const PROTOTYPE = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "__defineGetter__",
  "__lookupSetter__",
  "then",
  "size",
  "get",
  "undefined",
  "null",
  "NaN",
  ":provider",
  "*",
  "**",
];
const MARKUP = [
  '"><svg onload=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "` onmouseover=alert(1)",
  '" onmouseover="alert(1)',
  "javascript:alert(1)",
  "\u2028<script>",
  "&lt;script&gt;",
  "&#x3c;svg onload=alert(1)&#x3e;",
  "{{constructor.constructor('alert(1)')()}}",
  "${alert(1)}",
  "<!--",
  "]]>",
  "\u0000<svg onload=alert(1)>",
  "＜script＞",
];

const html = (path: string, init: RequestInit = {}) =>
  new Request(`${ORIGIN}${path}`, {
    ...init,
    headers: { accept: "text/html", ...(init.headers as object) },
  });

describe("HTTP methods", () => {
  const METHODS = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "PROPFIND",
    "COPY",
    "M-SEARCH",
    "QUERY",
    "BREW",
    "patch",
    "a",
    "!",
    "X".repeat(5000),
  ];
  it.each(METHODS.map((method) => [method.slice(0, 20), method]))(
    "%s requests change nothing without a CSRF token on any route",
    async (_, method) => {
      const app = createTestAuth();
      await app.browser.signInWith("credentials", LOVELACE);
      const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
      for (const route of [...ROUTES, "", "nothing", "a/b/c"]) {
        const response = await ask(app, html(`/auth/${route}`, { method, headers: { cookie } }));
        const ended = response.headers
          .getSetCookie()
          .filter((one) => one.includes("session-token"));
        expect(ended).toEqual([]);
        if (response.status === 405)
          expect(response.headers.get("allow")).toMatch(/^(GET, HEAD)?(, )?(POST)?$/);
      }
    },
  );

  it("OPTIONS requests are not CORS preflights: other origins read nothing", async () => {
    const app = createTestAuth();
    for (const route of ROUTES) {
      for (const method of ["OPTIONS", "GET"]) {
        const headers = {
          origin: `https://${EVIL}`,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
          "access-control-request-private-network": "true",
        };
        const response = await ask(app, html(`/auth/${route}`, { method, headers }));
        expect(
          [...response.headers.keys()].filter((name) => name.startsWith("access-control")),
        ).toEqual([]);
        if (method === "OPTIONS") expect(response.status).toBe(405);
      }
    }
  });
});

describe("names of Object.prototype in requests", () => {
  it.each(PROTOTYPE)(
    "%s is not an action, a provider, a query parameter, a field or a cookie",
    async (name) => {
      const app = createTestAuth();
      const who = await stranger(app);
      for (const path of [
        name,
        `${name}/${name}`,
        `signin/${name}`,
        `callback/${name}`,
        `error/${name}`,
        `csrf/${name}`,
      ]) {
        await ask(app, html(`/auth/${path}`));
        await ask(app, post(`${ORIGIN}/auth/${path}`, { ...who, ...LOVELACE }));
      }
      const body = new URLSearchParams([
        [name, "x"],
        ["csrfToken", who.csrfToken],
      ]);
      for (const route of ROUTES) {
        await ask(
          app,
          html(`/auth/${route}?${name}=x&error=${name}&code=${name}&provider=${name}`),
        );
        const headers = { cookie: `${who.cookie}; ${name}=x`, origin: ORIGIN };
        await ask(app, html(`/auth/${route}`, { method: "POST", headers, body }));
      }
      const page = await app.auth.fetch(html(`/auth/error?error=${name}`));
      expect(await page.text()).toContain("Something went wrong");
    },
  );
});

describe("request paths", () => {
  const PATHS = [
    "/auth",
    "/auth/",
    "/auth//",
    "/auth///signin",
    "/auth/./signin",
    "/auth/../auth/signin",
    "/auth/%2e%2e/signin",
    "/auth/signin/",
    "/auth/signin//credentials",
    "/auth/signin%2fcredentials",
    "/auth/signin%5ccredentials",
    "/auth\\signin",
    "/auth/signin;x=1",
    "/auth/signin.json",
    "/auth/SIGNIN",
    "/AUTH/signin",
    "/auth/signin%00",
    "/auth/%00",
    "/auth/%ff%fe",
    "/auth/%",
    "/auth/%zz",
    "/auth/é/ü",
    "/auth/日本",
    "/auth/\u202esignin",
    "/auth/signin?",
    "/auth/signin?&&&",
    "/auth/signin?%",
    "/auth/signin?%ff=%fe",
    "/auth/signin?=",
    "/auth/signin?callbackUrl",
    "/auth/signin?callbackUrl=%",
    "/auth/signin#/auth/signout",
    "/auth/error?error=%0d%0aSet-Cookie:x",
    "/authx/signin",
    "/aut/signin",
    `/auth/${"a/".repeat(10_000)}`,
    `/auth/${"a".repeat(100_000)}`,
    `/auth/signin?${"a=b&".repeat(20_000)}`,
    `/auth/signin?callbackUrl=${"%2f".repeat(20_000)}`,
    `/auth/error?error=${"A".repeat(100_000)}`,
    `/auth${"/.".repeat(10_000)}`,
    `/auth/${"../".repeat(10_000)}auth/signin`,
    `/auth/callback/credentials?${"code=x&".repeat(10_000)}`,
  ];

  it("malformed paths get a page, an error response or no match, and never throw", async () => {
    const app = createTestAuth();
    const who = await stranger(app);
    for (const path of PATHS) {
      await ask(app, html(path));
      await ask(app, post(ORIGIN + path, { ...who }));
      // It must not throw, whether or not Keyhook handles the path.
      await expect(app.auth.handle(html(path))).resolves.not.toThrow();
      app.log.errors.length = 0;
    }
  });

  it("arbitrary paths and queries get a safe response", async () => {
    const app = createTestAuth();
    const text = fc.string({ unit: "binary", maxLength: 30 });
    const part = fc.oneof(
      text,
      fc.constantFrom(...ROUTES, "..", "//", "%", "credentials", ...MARKUP),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        text,
        part,
        async (segments, name, value) => {
          const path = segments.map((one) => wellFormed(one).replace(/[?#]/g, "")).join("/");
          const query = new URLSearchParams([
            [name, value],
            ["callbackUrl", value],
            ["error", value],
          ]);
          await ask(app, html(`/auth/${path}?${query}`));
        },
      ),
      runs(250),
    );
  });
});

describe("response splitting", () => {
  const SPLITS = [
    "\r\nSet-Cookie: evil=1",
    "%0d%0aSet-Cookie: evil=1",
    "\nLocation: //evil.example",
    "\r",
    "\u0000",
    "\u010a\u010d",
    "嘊嘍Set-Cookie: evil=1",
    "x; Path=/; Domain=evil.example",
    "x, y",
  ];

  it("request values cannot add headers or cookies to a response", async () => {
    const app = createTestAuth({ pages: { error: "/oops?a=1", verifyRequest: "/sent" } });
    const who = await stranger(app);
    for (const split of SPLITS) {
      const query = new URLSearchParams({
        error: split,
        callbackUrl: `/${split}`,
        code: split,
        [split]: split,
      });
      const responses = [
        ...(await Promise.all(ROUTES.map((route) => ask(app, html(`/auth/${route}?${query}`))))),
        await ask(app, post(`${ORIGIN}/auth/signout`, { ...who, callbackUrl: `/${split}` })),
        await ask(app, post(`${ORIGIN}/auth/signin`, { ...who, callbackUrl: `/${split}` })),
        await ask(
          app,
          post(`${ORIGIN}/auth/callback/credentials`, { ...who, callbackUrl: `/${split}` }),
        ),
      ];
      for (const response of responses) {
        expect(response.headers.get("set-cookie") ?? "").not.toMatch(/(^|, )evil=/);
        for (const [name, value] of response.headers) {
          expect(`${name}${value}`).toMatch(/^[\u0020-\u007e]*$/);
        }
        for (const cookie of response.headers.getSetCookie()) {
          expect(cookie).not.toMatch(/domain=/i);
          expect(cookie.match(/path=/gi)).toHaveLength(1);
        }
      }
    }
  });

  it("the code of a CredentialsSignin error cannot add headers or markup to a response", async () => {
    const { CredentialsSignin } = await import("../../src/errors.ts");
    for (const code of [...SPLITS, ...MARKUP]) {
      class Odd extends CredentialsSignin {
        override code = code;
      }
      const app = createTestAuth({
        providers: [
          credentials({
            authorize: () => {
              throw new Odd();
            },
          }),
        ],
      });
      const who = await stranger(app);
      const response = await ask(app, post(`${ORIGIN}/auth/callback/credentials`, { ...who }));
      expect(new URL(response.headers.get("location") ?? "").searchParams.get("error")).toBe(
        "CredentialsSignin",
      );
      await ask(
        app,
        html(
          new URL(response.headers.get("location") ?? "").pathname +
            new URL(response.headers.get("location") ?? "").search,
        ),
      );
    }
  });
});

describe("request bodies", () => {
  const send = async (body: BodyInit, type?: string, path = "callback/credentials") => {
    const app = createTestAuth();
    const { cookie } = await stranger(app);
    const headers = { cookie, origin: ORIGIN, ...(type !== undefined && { "content-type": type }) };
    return ask(app, html(`/auth/${path}`, { method: "POST", headers, body }));
  };
  const JSON_TYPE = "application/json";
  const FORM = "application/x-www-form-urlencoded";

  it("JSON bodies nested deeper than 32 levels are rejected with 400", async () => {
    for (const depth of [33, 100, 10_000, 32_000]) {
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        const deep = open.repeat(depth).slice(0, 60_000);
        expect((await send(`{"a":${deep}`, JSON_TYPE)).status).toBe(400);
        if (deep.length + depth < 65_000) {
          expect((await send(`{"a":${deep}1${close.repeat(depth)}}`, JSON_TYPE)).status).toBe(400);
        }
      }
    }
  });

  it.each([
    ["many fields", "a=b&".repeat(16_000), FORM],
    ["many names", Array.from({ length: 9000 }, (_, at) => `a${at}=`).join("&"), FORM],
    ["one name", "a".repeat(65_000), FORM],
    ["many separators", "&".repeat(65_000), FORM],
    ["many escapes", `a=${"%41".repeat(21_000)}`, FORM],
    ["broken escapes", `a=${"%".repeat(65_000)}`, FORM],
    [
      "JSON of many members",
      JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`a${at}`, 1]))),
      JSON_TYPE,
    ],
    ["JSON of a long number", `{"a":${"9".repeat(60_000)}}`, JSON_TYPE],
    ["JSON of one member, many times", `{${'"a":1,'.repeat(9000)}"a":1}`, JSON_TYPE],
    ["JSON of escapes", `{"a":"${"\\u0041".repeat(10_000)}"}`, JSON_TYPE],
    ["JSON of spaces", `${" ".repeat(65_000)}{}`, JSON_TYPE],
    ["JSON that does not end", `{"a":"${"x".repeat(60_000)}`, JSON_TYPE],
    [
      "many parts",
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`.repeat(1000) + "--b--\r\n",
      "multipart/form-data; boundary=b",
    ],
    ["no boundary", "x", "multipart/form-data"],
    ["a long boundary", "x", `multipart/form-data; boundary=${"b".repeat(10_000)}`],
    ["many boundaries", "--b".repeat(20_000), "multipart/form-data; boundary=b"],
    ["a wrong charset", "a=b", `${FORM}; charset=utf-7`],
    ["invalid UTF-8", new Uint8Array([0x61, 0x3d, 0xff, 0xfe]), FORM],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), JSON_TYPE],
    ["no bytes, typed as JSON", "", JSON_TYPE],
    ["no bytes and no type", "", undefined],
    ["a long type", "x", `text/plain;${"a=b;".repeat(20_000)}`],
  ])("a body of %s gets a response in time", async (_, body, type) => {
    for (const path of ["callback/credentials", "signout", "session"]) await send(body, type, path);
  });

  it("bodies larger than 64 kB are rejected with 413, whatever their content-length", async () => {
    const big = `a=${"x".repeat(65_536)}`;
    expect((await send(big, FORM)).status).toBe(413);
    expect((await send(`{"a":"${big}"}`, JSON_TYPE)).status).toBe(413);
    const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${big}`;
    expect((await send(`${part}\r\n--b--\r\n`, "multipart/form-data; boundary=b")).status).toBe(
      413,
    );
    // An endless body with a false content-length.
    for (const length of ["10", "-1", "1e3", "0x10", "99999999999999999999", "NaN", " "]) {
      const app = createTestAuth();
      const { cookie } = await stranger(app);
      let pulled = 0;
      const body = new ReadableStream({
        pull(controller) {
          pulled += 1;
          controller.enqueue(new TextEncoder().encode("x".repeat(16_384)));
        },
      });
      const headers = {
        cookie,
        origin: ORIGIN,
        "content-type": FORM,
        "content-length": length,
        accept: "text/html",
      };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const response = await ask(app, new Request(`${ORIGIN}/auth/signout`, init));
      expect(response.status).toBe(413);
      expect(pulled).toBeLessThan(10);
    }
  });

  it("bodies whose stream fails are rejected with 400", async () => {
    const app = createTestAuth();
    for (const after of [0, 1]) {
      let pulls = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (pulls++ >= after) controller.error(new Error("gone"));
          else controller.enqueue(new Uint8Array([97]));
        },
      });
      const init = {
        method: "POST",
        headers: { "content-type": FORM },
        body,
        duplex: "half",
      } as RequestInit;
      expect((await ask(app, new Request(`${ORIGIN}/auth/signout`, init))).status).toBe(400);
    }
  });

  // JSON can contain a lone surrogate, which neither UTF-8 nor a URL can represent.
  it.each(ROUTES)("POST /%s responds to lone surrogates in JSON", async (route) => {
    const app = createTestAuth({ errors: "allowed" });
    const { cookie, csrfToken } = await stranger(app);
    for (const fields of [
      { csrfToken: "\ud800abcd" },
      {
        csrfToken,
        callbackUrl: "/\ud800abcd",
        username: "\udc00abcd",
        email: "\ud800@example.com",
      },
    ]) {
      const init = { headers: { cookie, origin: ORIGIN, "content-type": JSON_TYPE } };
      const body = JSON.stringify(fields);
      await ask(app, html(`/auth/${route}`, { method: "POST", ...init, body }));
    }
  });

  it("arbitrary bodies of arbitrary types cause no unexpected error", async () => {
    const app = createTestAuth();
    const { cookie } = await stranger(app);
    const type = fc.constantFrom(
      FORM,
      JSON_TYPE,
      "multipart/form-data; boundary=b",
      "multipart/form-data",
      "text/plain",
      "x",
    );
    const piece = fc.constantFrom(
      "--b",
      "\r\n",
      "{",
      "}",
      "[",
      '"',
      ":",
      ",",
      "csrfToken",
      "=",
      "&",
      "%",
      'Content-Disposition: form-data; name="a"',
      "--b--",
      "\\u0000",
      "\\ud800",
      "__proto__",
      "1e999",
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(piece, { maxLength: 20 }).map((pieces) => new TextEncoder().encode(pieces.join(""))),
    );
    await fc.assert(
      fc.asyncProperty(
        bytes,
        type,
        fc.constantFrom(...ROUTES),
        async (body, contentType, route) => {
          const headers = { cookie, origin: ORIGIN, "content-type": contentType };
          await ask(
            app,
            html(`/auth/${route}`, { method: "POST", headers, body: new Uint8Array(body) }),
          );
        },
      ),
      runs(250),
    );
  });
});

describe("request headers", () => {
  it("arbitrary header values cause no unexpected error", async () => {
    const app = createTestAuth();
    const { cookie, csrfToken } = await stranger(app);
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 30,
    });
    const name = fc.constantFrom(
      "accept",
      "origin",
      "referer",
      "sec-fetch-site",
      "x-auth-return-redirect",
      "authorization",
      "user-agent",
      "x-forwarded-proto",
      "x-forwarded-host",
      "content-type",
      "if-none-match",
      "range",
      "accept-encoding",
      "expect",
      "te",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, text),
        fc.constantFrom(...ROUTES),
        async (headers, route) => {
          const request = new Request(`${ORIGIN}/auth/${route}`, {
            headers: { cookie, ...headers },
          });
          const response = await app.auth.fetch(request);
          expect(response.status).toBeLessThan(500);
          const posted = new Request(`${ORIGIN}/auth/${route}`, {
            method: "POST",
            headers: { cookie, "content-type": "application/x-www-form-urlencoded", ...headers },
            body: new URLSearchParams({ csrfToken }).toString(),
          });
          expect((await app.auth.fetch(posted)).status).toBeLessThan(500);
          const types = app.log.errors.splice(0).map((error) => error.name);
          for (const type of types) {
            expect([
              "BadRequest",
              "CredentialsSignin",
              "InvalidProvider",
              "MissingCSRF",
              "UntrustedHost",
            ]).toContain(type);
          }
        },
      ),
      runs(200),
    );
  });
});

describe("HTML injection", () => {
  it.each(MARKUP)("%s is escaped wherever a page prints it", async (text) => {
    const app = createTestAuth({
      providers: [
        credentials({
          name: text,
          credentials: {
            [text]: {
              label: text,
              placeholder: text,
              value: text,
              type: text,
              title: text,
              pattern: text,
            },
            email: { label: text, type: "email" },
          },
        }),
        acme({ name: text, style: { brandColor: text, logo: text, text } }),
      ],
      theme: { logo: text, brandColor: text, buttonText: text, colorScheme: text as "auto" },
      use: [identityFlow(() => ({}))],
    });
    const query = new URLSearchParams({
      error: text,
      code: text,
      callbackUrl: `/${text}`,
      email: `${text}@example.com`,
      provider: text,
      type: text,
      message: text,
    });
    for (const page of [
      "signin",
      "signout",
      "error",
      "verify-request",
      "nothing",
      encodeURIComponent(text),
    ]) {
      const request = html(`/auth/${page}?${query}`);
      const response = await app.auth.fetch(request);
      const body = await response.text();
      expect(response.status).toBeLessThan(500);
      expect(response.headers.get("content-security-policy")).not.toMatch(
        /unsafe|alert|script-src/,
      );
      // Everything except Keyhook's own tags is escaped, so the rest contains neither a tag nor an attribute.
      const bare = body.replace(/<style nonce="[\w-]+">[^<]*<\/style>/, "");
      expect(bare).not.toMatch(/<(script|svg(?! class="icon" viewBox)|img src=x|iframe|!--)/i);
      for (const [tag] of bare.matchAll(/<[a-z][^>]*>/gi)) {
        const unquoted = tag.replace(/"[^"]*"/g, '""');
        expect(unquoted).not.toMatch(/\son[a-z]+|style=|['`]/i);
      }
      expect(bare).not.toMatch(/(href|action|src)="\s*(javascript|data:text|vbscript)/i);
      const style = /<style[^>]*>([^<]*)<\/style>/.exec(body)?.[1] ?? "";
      expect(style).not.toMatch(/alert|constructor|expression|@import|url\(/i);
    }
    // JSON is never served as a page, whatever the Accept header.
    const listed = await app.auth.fetch(html("/auth/providers"));
    expect(listed.headers.get("content-type")).toBe("application/json");
  });
});

describe("Cache-Control (R10)", () => {
  it("responses that set a cookie or contain user data are private, no-store", async () => {
    for (const strategy of [{}, { skip: true }]) {
      const app = createTestAuth({
        use: [
          {
            name: "test/cache",
            // A tap that makes responses cacheable must not affect those that set a cookie.
            setup: (kernel) =>
              kernel.hooks.response.tap("cache", (response) => {
                if (!("skip" in strategy)) return response;
                const headers = new Headers(response.headers);
                headers.set("cache-control", "public, max-age=600");
                return new Response(response.body, { status: response.status, headers });
              }),
          },
        ],
      });
      const { browser } = app;
      const responses = [
        await browser.get("/auth/csrf"),
        await browser.get("/auth/signin?callbackUrl=/x"),
        await browser.get("/auth/signout?callbackUrl=/y"),
        await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/z" }),
        await browser.get("/auth/session"),
        await browser.post(
          "/auth/session",
          {},
          {
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ csrfToken: await browser.csrfToken(), data: {} }),
          },
        ),
        await browser.signOut(),
      ];
      for (const response of responses) {
        const sets = response.headers.getSetCookie().length > 0;
        if (sets || !("skip" in strategy)) {
          expect(response.headers.get("cache-control")).toMatch(/private.*no-store/);
        }
      }
    }
  });

  it("error responses are no-store", async () => {
    const app = createTestAuth();
    const responses = [
      await ask(app, html("/auth/nothing")),
      await ask(app, new Request(`${ORIGIN}/auth/nothing`)),
      await ask(app, html("/auth/signin", { method: "PUT" })),
      await ask(app, html("/auth/signout", { method: "POST" })),
      await ask(app, html("/auth/session", { method: "POST" })),
      await ask(app, html("/auth/signin/nobody", { method: "POST" })),
      await ask(app, html("/auth/session", { headers: { cookie: "authjs.session-token=bad" } })),
    ];
    for (const response of responses)
      expect(response.headers.get("cache-control")).toContain("no-store");
  });
});

describe("information disclosure", () => {
  it("responses contain no secret, stack trace, internal message or software name", async () => {
    const app = createTestAuth({
      callbacks: {
        session: () => {
          throw new Error(`at ${SECRET} /home/keyhook/src`);
        },
      },
    });
    await app.browser.signInWith("credentials", LOVELACE);
    const responses = [
      await app.browser.get("/auth/session"),
      await app.browser.get("/auth/nothing"),
      await app.browser.get("/auth/error?error=Configuration"),
      await app.browser.signInWith("credentials", { username: "x" }),
    ];
    app.log.ignoreErrors();
    app.log.errors.length = 0;
    for (const response of responses) {
      const sent = (await response.text()) + JSON.stringify([...response.headers]);
      expect(sent).not.toContain(SECRET);
      expect(sent).not.toMatch(/\/home\/|at .*\.ts|Error:|keyhook|node_modules/i);
      expect(response.headers.get("server")).toBeNull();
      expect(response.headers.get("x-powered-by")).toBeNull();
    }
  });
});

describe("the URL of a request", () => {
  // The Request class of a server may contain the URL as the client wrote it.
  const withUrl = (url: unknown) =>
    new Proxy(new Request(`${ORIGIN}/`), {
      get(target, key) {
        if (key === "url") return url;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const urls: unknown[] = [
    "",
    "x",
    "/auth/session",
    "http://[",
    "http://localhost:99999/auth/session",
    "http://%/auth/session",
    "http://a..b/auth/session",
    "http://localhost:0/auth/session",
    "http://user:pw@localhost/auth/session#x",
    "http://localhost/auth/%ff",
    "http://localhost/auth/session?%",
    `http://localhost/auth/${"a/".repeat(30_000)}`,
    "about:blank",
    "data:text/html,x",
    "blob:http://localhost/1",
    "file:///auth/session",
    "javascript:alert(1)",
    undefined,
    null,
    3,
    {},
  ];

  it.each(urls)("auth.fetch resolves to a response for the URL %j", async (url) => {
    const { auth } = createTestAuth({ errors: "allowed" });
    const response = await auth.fetch(withUrl(url));
    expect(response.status).toBeLessThan(500);
  });
});
