import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import { createTokens } from "../../src/crypto/token.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { createTestAuth, credentials, LOVELACE, ORIGIN, SECRET } from "../_app.ts";
import {
  ask,
  encodings,
  EVIL,
  expectSafe,
  givesSession,
  post,
  runs,
  stranger,
  watchRejections,
  wellFormed,
} from "./_attack.ts";

watchRejections();

const TARGETS = [
  // Foreign hosts in many spellings.
  `https://${EVIL}`,
  `http://${EVIL}/`,
  `HTTPS://EVIL.EXAMPLE/x`,
  `//${EVIL}`,
  `///${EVIL}`,
  `////${EVIL}/`,
  `//${EVIL}/..`,
  `//${EVIL}:80/`,
  `http:${EVIL}`,
  `http:/${EVIL}`,
  `http:///${EVIL}`,
  `https:${EVIL}/a`,
  `:${EVIL}`,
  `://${EVIL}`,
  `${EVIL}`,
  `.${EVIL}`,
  `@${EVIL}`,
  `www.${EVIL}/%2f..`,
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001",
  "http://127.0.0.1:3000/",
  "http://[::1]:3000/",
  "http://[::ffff:127.0.0.1]:3000",
  "http://localhost",
  "http://localhost:3001/",
  "http://localhost:03001",
  "https://localhost:3000/",
  `http://localhost:3000.${EVIL}/`,
  `http://localhost:3000${EVIL}`,
  `http://localhost.${EVIL}:3000`,
  `http://localhost:3000%2e${EVIL}`,
  `http://localhost:3000%00.${EVIL}`,
  `http://localhost:3000%2f@${EVIL}`,
  `http://localhost:3000#@${EVIL}`,
  `http://localhost:3000?@${EVIL}`,
  "http://ⓛocalhost:3001",
  "http://evil。example",
  `http://evil\u3002example`,
  `/\u2044${EVIL}`,
  `\uff0f\uff0f${EVIL}`,
  `http:\uff0f\uff0f${EVIL}`,
  // User info.
  `http://localhost:3000@${EVIL}/`,
  `http://localhost:3000:x@${EVIL}/`,
  `http://user@localhost:3000/`,
  `http://:@localhost:3000/`,
  `http://a:b@localhost:3000/`,
  `https://${EVIL}\\@localhost:3000`,
  `https://${EVIL}%5c@localhost:3000`,
  `https://${EVIL}#@localhost:3000/`,
  `https://${EVIL}?http://localhost:3000/`,
  // Backslashes and control characters.
  `\\\\${EVIL}`,
  `\\/${EVIL}`,
  `/\\${EVIL}`,
  `/\\/${EVIL}`,
  `/\\\\${EVIL}`,
  `http:\\\\${EVIL}`,
  `http://localhost:3000\\@${EVIL}`,
  `http://localhost:3000\\.${EVIL}`,
  `/\t/${EVIL}`,
  `/\n/${EVIL}`,
  `/\r/${EVIL}`,
  `\t//${EVIL}`,
  `\u0000//${EVIL}`,
  `\u0001https://${EVIL}`,
  ` //${EVIL}`,
  ` https://${EVIL}`,
  `\u00a0//${EVIL}`,
  `\u2028//${EVIL}`,
  `\ufeff//${EVIL}`,
  `ht\ntps://${EVIL}`,
  `/%0d%0aLocation:https://${EVIL}`,
  `/\r\nLocation: https://${EVIL}`,
  `/\r\nSet-Cookie: authjs.session-token=x`,
  `/%09/${EVIL}`,
  `/%5c${EVIL}`,
  `/%2f${EVIL}`,
  `/%2f%2f${EVIL}`,
  `/..//${EVIL}`,
  `/../..//${EVIL}`,
  `/.//${EVIL}`,
  `/x/..//${EVIL}`,
  `/%2e%2e//${EVIL}`,
  `/;//${EVIL}`,
  `/?//${EVIL}`,
  `/#//${EVIL}`,
  // Schemes.
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "javascript://localhost:3000/%0aalert(1)",
  `javascript:http://localhost:3000/`,
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "vbscript:x",
  "blob:http://localhost:3000/1",
  "filesystem:http://localhost:3000/temporary/x",
  "view-source:http://localhost:3000",
  "about:blank",
  "file:///etc/passwd",
  "ftp://localhost:3000/",
  "ws://localhost:3000/",
  "mailto:a@b.c",
  "intent://x#Intent;scheme=http;end",
  "x-evil:",
  // Paths on the application's own origin.
  "/münchen/ü?ß=ß#ß",
  "/日本語",
  "/عربى",
  "/\u202e\u2066",
  "/\ud800",
  "/%ff%fe",
  "/%",
  "/%zz",
  `/${"a".repeat(5000)}`,
  "?x",
  "#x",
  "relative",
  "../../x",
  "",
  " ",
  "null",
  "undefined",
  "[object Object]",
];

const WRONG_TYPES: unknown[] = [
  0,
  1,
  -1,
  1e308,
  true,
  false,
  null,
  [],
  [`https://${EVIL}`],
  [[`//${EVIL}`]],
  ["/", `https://${EVIL}`],
  {},
  { url: `https://${EVIL}` },
  { href: `https://${EVIL}`, toString: `https://${EVIL}` },
  { 0: `https://${EVIL}`, length: 1 },
  { toString: null, valueOf: null },
];

/** Ways to pass a target to each route that redirects. */
const ROUTES: Record<
  string,
  (
    target: string,
    who: { cookie: string; csrfToken: string },
  ) => { request: Request; enters?: boolean }
> = {
  "GET /signin": (callbackUrl, { cookie }) => ({
    request: page("/auth/signin", { callbackUrl }, cookie),
  }),
  "GET /signout": (callbackUrl, { cookie }) => ({
    request: page("/auth/signout", { callbackUrl }, cookie),
  }),
  "GET /error": (target, { cookie }) => ({
    request: page("/auth/error", { callbackUrl: target, error: target, url: target }, cookie),
  }),
  "GET /verify-request": (target, { cookie }) => ({
    request: page("/auth/verify-request", { callbackUrl: target, email: target }, cookie),
  }),
  "GET /callback": (callbackUrl, { cookie }) => ({
    request: page("/auth/callback/credentials", { callbackUrl, error: callbackUrl }, cookie),
  }),
  "POST /signin": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/signin`, { ...who, callbackUrl }),
  }),
  "POST /signin with the target in the query": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/signin?${new URLSearchParams({ callbackUrl })}`, { ...who }),
  }),
  "POST /signin/credentials": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/signin/credentials`, { ...who, callbackUrl }, "json"),
  }),
  "POST /callback with wrong credentials": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/callback/credentials`, { ...who, callbackUrl }),
  }),
  "POST /callback with correct credentials": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/callback/credentials`, { ...who, ...LOVELACE, callbackUrl }),
    enters: true,
  }),
  "POST /callback with correct credentials, for JSON": (callbackUrl, who) => ({
    request: post(
      `${ORIGIN}/auth/callback/credentials`,
      { ...who, ...LOVELACE, callbackUrl },
      "multipart",
      { "x-auth-return-redirect": "1" },
    ),
    enters: true,
  }),
  "POST /signout": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/signout`, { ...who, callbackUrl }),
  }),
  "POST /signout without a CSRF token": (callbackUrl, { cookie }) => ({
    request: post(`${ORIGIN}/auth/signout`, { cookie, callbackUrl }),
  }),
  "POST to an unknown action": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/nowhere`, { ...who, callbackUrl }),
  }),
  "POST /signin of an unknown provider": (callbackUrl, who) => ({
    request: post(`${ORIGIN}/auth/signin/nobody`, { ...who, callbackUrl }),
  }),
  "GET /signin with a forged callback-url cookie": (target, { cookie }) => ({
    request: page(
      "/auth/signin",
      {},
      `${cookie}; authjs.callback-url=${encodeURIComponent(wellFormed(target))}`,
    ),
  }),
  "POST /callback with a forged callback-url cookie": (target, { cookie, csrfToken }) => ({
    request: post(`${ORIGIN}/auth/callback/credentials`, {
      cookie: `${cookie}; authjs.callback-url=${encodeURIComponent(wellFormed(target))}`,
      csrfToken,
      ...LOVELACE,
    }),
    enters: true,
  }),
  "POST /signout with a forged callback-url cookie": (target, { cookie, csrfToken }) => ({
    request: post(`${ORIGIN}/auth/signout`, {
      cookie: `${cookie}; authjs.callback-url=${encodeURIComponent(wellFormed(target))}`,
      csrfToken,
    }),
  }),
};

function page(path: string, query: Record<string, string>, cookie: string): Request {
  return new Request(`${ORIGIN}${path}?${new URLSearchParams(query)}`, {
    headers: { accept: "text/html", cookie },
  });
}

const PIECES = [
  ..."/\\@:?#.;%& \t\n\r\u0000\u00a0\u2028。／＠[]-_~é\ud83d\ude00",
  "//",
  "..",
  "%2f",
  "%5c",
  "%00",
  "%0d%0a",
  "http:",
  "https:",
  "javascript:",
  "data:",
  "blob:",
  EVIL,
  "localhost",
  "localhost:3000",
  ORIGIN,
  "3000",
  "a",
];
const crooked = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join("")),
  fc.webUrl({
    withFragments: true,
    withQueryParameters: true,
    validSchemes: ["http", "https", "ftp"],
  }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => ORIGIN + text),
);

describe.each(Object.entries(ROUTES))("redirect target of %s", (_, open) => {
  it("redirects to the application's origin for every known open-redirect payload", async () => {
    const app = createTestAuth();
    const who = await stranger(app);
    for (const target of TARGETS) {
      const { request, enters = false } = open(target, who);
      const response = await ask(app, request, { mayEnter: enters });
      expect(givesSession(response), target).toBe(enters);
    }
  });

  it("redirects to the application's origin for arbitrary targets", async () => {
    const app = createTestAuth();
    const who = await stranger(app);
    await fc.assert(
      fc.asyncProperty(crooked, async (target) => {
        const { request, enters = false } = open(target, who);
        await ask(app, request, { mayEnter: enters });
      }),
      runs(120),
    );
  });
});

describe("callbackUrl of another type than string", () => {
  it.each(["/signin", "/signin/credentials", "/callback/credentials", "/signout"])(
    "POST %s ignores a callbackUrl that is not a string",
    async (path) => {
      const app = createTestAuth();
      const who = await stranger(app);
      for (const callbackUrl of WRONG_TYPES) {
        const request = post(ORIGIN + "/auth" + path, { ...who, callbackUrl }, "json");
        const response = await ask(app, request);
        expect(JSON.stringify([...response.headers])).not.toContain(EVIL);
      }
    },
  );

  it("POST /signout ignores a callbackUrl of any JSON type", async () => {
    const app = createTestAuth();
    const who = await stranger(app);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (callbackUrl) => {
        await ask(app, post(`${ORIGIN}/auth/signout`, { ...who, callbackUrl }, "json"));
      }),
      runs(150),
    );
  });
});

describe("several redirect targets in one query", () => {
  it.each([
    `callbackUrl=/a&callbackUrl=//${EVIL}`,
    `callbackUrl=//${EVIL}&callbackUrl=/a`,
    `callbackUrl[]=https://${EVIL}`,
    `callbackUrl%00=https://${EVIL}`,
    `CallbackUrl=https://${EVIL}`,
    `callback_url=https://${EVIL}&redirect=https://${EVIL}&next=https://${EVIL}&url=https://${EVIL}`,
  ])("GET /signin and /signout stay on the origin for the query %s", async (query) => {
    const app = createTestAuth();
    await ask(
      app,
      new Request(`${ORIGIN}/auth/signin?${query}`, { headers: { accept: "text/html" } }),
    );
    await ask(
      app,
      new Request(`${ORIGIN}/auth/signout?${query}`, { headers: { accept: "text/html" } }),
    );
  });
});

describe("redirect targets of auth.signIn, auth.signOut and auth.auth", () => {
  const call = (headers: Record<string, string> = {}) => new Request(`${ORIGIN}/here`, { headers });

  it("auth.signIn and auth.signOut redirect to the application's origin only", async () => {
    const { auth, log } = createTestAuth();
    log.ignoreErrors();
    for (const target of TARGETS) {
      for (const redirect of [true, false]) {
        const results = [
          await auth.signIn(call(), "credentials", { ...LOVELACE, redirectTo: target, redirect }),
          await auth.signIn(call(), undefined, { redirectTo: target, redirect }),
          await auth.signOut(call(), { redirectTo: target, redirect }),
        ];
        for (const result of results) {
          if (typeof result === "string") expect(new URL(result).origin).toBe(ORIGIN);
          else await expectSafe(result, { mayEnter: true });
        }
      }
    }
  });

  it("auth.signIn and auth.signOut ignore a foreign Referer", async () => {
    const { auth } = createTestAuth();
    for (const target of TARGETS.filter((one) => /^[\u0021-\u007e]+$/.test(one))) {
      const visit = call({ referer: target });
      for (const result of [
        await auth.signIn(visit, "credentials", LOVELACE),
        await auth.signIn(visit),
        await auth.signOut(visit),
      ]) {
        await expectSafe(result as Response, { mayEnter: true });
      }
    }
  });

  it.each([`//${EVIL}/x`, `/\\${EVIL}`, `/x?y=//${EVIL}`, `//${EVIL}`, "/auth//signin"])(
    "auth.auth redirects a request for %s to the sign-in page without leaving the origin",
    async (path) => {
      const { auth } = createTestAuth({ callbacks: { authorized: () => false } });
      const guarded = auth.auth(() => new Response("in"));
      await expectSafe(await guarded(new Request(ORIGIN + path)));
    },
  );
});

describe("return values of the redirect and signIn callbacks", () => {
  it("POST /signout ignores an empty or invalid return value of the redirect callback", async () => {
    for (const result of [undefined, null, "", 0, {}, []]) {
      const app = createTestAuth({ callbacks: { redirect: () => result as unknown as string } });
      const who = await stranger(app);
      const request = post(`${ORIGIN}/auth/signout`, { ...who, callbackUrl: `https://${EVIL}` });
      await ask(app, request);
    }
  });

  it("POST /callback/credentials keeps a foreign target from the signIn callback on the origin", async () => {
    for (const target of TARGETS.filter(Boolean)) {
      const app = createTestAuth({ callbacks: { signIn: () => target } });
      const who = await stranger(app);
      await ask(app, post(`${ORIGIN}/auth/callback/credentials`, { ...who, ...LOVELACE }));
    }
  });
});

describe("redirects to an OAuth provider", () => {
  const start = (over: AuthConfig = {}) =>
    createTestAuth({
      preset: standardPreset,
      providers: [
        credentials(),
        {
          id: "acme",
          name: "Acme",
          type: "oauth",
          clientId: "client",
          clientSecret: "secret",
          authorization: "https://acme.example/authorize?scope=basic",
          token: "https://acme.example/token",
          userinfo: "https://acme.example/me",
          checks: ["pkce", "state"],
        },
      ],
      ...over,
    });
  const PROTECTED = {
    redirect_uri: `https://${EVIL}/cb`,
    client_id: EVIL,
    response_type: "token",
    response_mode: "fragment",
    state: "planted",
    nonce: "planted",
    code_challenge: "planted",
    code_challenge_method: "plain",
    request: EVIL,
    request_uri: `https://${EVIL}`,
    resource: EVIL,
    ["__proto__"]: EVIL,
  };

  const checkStart = async (response: Response) => {
    const url = new URL(response.headers.get("location") ?? "");
    expect(url.origin).toBe("https://acme.example");
    expect(url.pathname).toBe("/authorize");
    expect(url.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/auth/callback/acme`);
    expect(url.href).not.toContain(EVIL);
    expect(url.href).not.toContain("planted");
    expect(givesSession(response)).toBe(false);
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (name === "authjs.callback-url") {
        expect(decodeURIComponent(value)).toMatch(/^http:\/\/localhost:3000(\/|$)/);
        continue;
      }
      if (name === "keyhook.browser") continue;
      const sealed = await createTokens().decode({ token: value, secret: SECRET, salt: name });
      const target = (sealed as { callbackUrl?: string }).callbackUrl;
      if (target !== undefined) expect(target).toMatch(/^http:\/\/localhost:3000(\/|$)/);
    }
  };

  it("POST /signin/acme stores only targets of the application's origin", async () => {
    const app = start();
    const { auth } = app;
    const who = await stranger(app);
    for (const callbackUrl of TARGETS) {
      for (const encoding of Object.keys(encodings)) {
        const request = post(`${ORIGIN}/auth/signin/acme`, { ...who, callbackUrl }, encoding);
        await checkStart(await auth.fetch(request));
      }
    }
  });

  it("POST /signin/acme does not let a query or form override parameters of the protocol", async () => {
    const app = start();
    const { auth } = app;
    const who = await stranger(app);
    const query = new URLSearchParams(Object.entries(PROTECTED));
    const url = `${ORIGIN}/auth/signin/acme?${query}`;
    await checkStart(await auth.fetch(post(url, { ...who, ...PROTECTED })));
    // The application's own code may name the audience of the token. A browser may not.
    const { resource: _, ["__proto__"]: __, ...ofProtocol } = PROTECTED;
    const result = await auth.signIn(new Request(ORIGIN), "acme", { ...PROTECTED }, ofProtocol);
    await checkStart(result as Response);
  });

  it("GET /callback/acme without an attempt redirects to the application's origin", async () => {
    const app = start();
    for (const target of TARGETS) {
      const query = new URLSearchParams({
        code: target,
        state: target,
        iss: target,
        error_description: target,
        error_uri: target,
        callbackUrl: target,
      });
      const url = `${ORIGIN}/auth/callback/acme?${query}`;
      await ask(app, new Request(url, { headers: { accept: "text/html" } }));
      await ask(app, new Request(`${url}&error=${encodeURIComponent(wellFormed(target))}`));
    }
  });
});
