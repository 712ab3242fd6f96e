import { expect } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { createTestAuth, credentials, LOVELACE, ORIGIN, type TestAuth } from "../_app.ts";
import { oidc } from "../flows/_oauth.ts";
import { ask, type Target, toBytes, toHeader } from "./_target.ts";

/** Creates a value once, at the first call. */
function lazily<T>(make: () => T): () => T {
  let made: { is: T } | undefined;
  return () => (made ??= { is: make() }).is;
}

const createApp = (options: Parameters<typeof createTestAuth>[0] = {}) =>
  createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    store: memoryBackend(),
    strategy: "jwt",
    mail: {},
    providers: [
      credentials(),
      oidc({ issuer: "https://op.example" } as never, {
        authorization: "https://op.example/authorize",
        token: { url: "https://op.example/token", request: () => ({ tokens: {} }) } as never,
        userinfo: "https://op.example/userinfo",
        jwks_endpoint: "https://op.example/jwks",
        checks: ["pkce", "state", "nonce"],
      }),
    ],
    ...options,
  });

/** The cookies of a browser with a session, a CSRF token, a target and an attempt. */
async function listCookies({ browser }: TestAuth) {
  await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/deep" });
  const started = await browser.signIn("op");
  const state = new URL(started.headers.get("location") ?? "").searchParams.get("state");
  return {
    state,
    header: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  };
}

const forCookies = lazily(async () => {
  const app = createApp();
  return { app, ...(await listCookies(app)) };
});

const forBodies = lazily(async () => {
  const app = createApp({ passkey: {} });
  const csrfToken = await app.browser.csrfToken();
  const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return { app, csrfToken, cookie };
});

const FORM = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=x";
const ROUTES = ["callback/credentials", "signin/mail", "callback/passkey", "signin/op", "signout"];

const PRODUCTION = { NODE_ENV: "production" };
const forHosts = lazily(() =>
  [true, ["app.example", "*.tenants.example"]].map((trustHost) =>
    createTestAuth({ preset: standardPreset, errors: "allowed", trustHost, env: PRODUCTION }),
  ),
);

const forPages = lazily(() => createApp());

/** Requests, by the part that a stranger controls. */
export const REQUESTS: readonly Target[] = [
  {
    name: "cookies",
    async seeds() {
      const { header } = await forCookies();
      return [header, ...header.split("; "), `${header}; ${header}`];
    },
    words: ["; ", "=", '"', "authjs.session-token=", "authjs.session-token.0=", "__Host-", "%7C"],
    async run(input) {
      const { app, state } = await forCookies();
      const cookie = toHeader(input);
      for (const path of [
        "session",
        "signin?callbackUrl=/x",
        "csrf",
        "signout",
        `callback/op?code=x&state=${state}`,
      ]) {
        const request = new Request(`${ORIGIN}/auth/${path}`, {
          headers: { cookie, accept: path === "session" ? "application/json" : "text/html" },
        });
        const allowed = ["CallbackRouteError", "InvalidCheck", "OAuthCallbackError", "BadRequest"];
        const response = await ask(app, request, { mayEnter: path === "session", allowed });
        if (path !== "session") continue;
        const session = (await response.json()) as { user?: object } | null;
        if (session !== null)
          expect(session.user).toMatchObject({ name: "Ada", email: "ada@example.com" });
      }
    },
  },
  {
    name: "bodies",
    async seeds() {
      const { csrfToken } = await forBodies();
      const fields = { csrfToken, username: "ada", password: "no", email: "x@example.com" };
      const more = { action: "authenticate", data: '{"id":"AAAA","response":{}}', link: "true" };
      const form = new URLSearchParams({ ...fields, ...more }).toString();
      const parts = Object.entries(fields)
        .map(
          ([name, value]) =>
            `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
        )
        .join("");
      return [
        `${FORM}\n${form}`,
        `application/json\n${JSON.stringify({ ...fields, ...more })}`,
        `application/json\n${JSON.stringify({ ...fields, data: { id: "AAAA", response: {} } })}`,
        `${PARTS}\n${parts}--x--\r\n`,
      ];
    },
    words: [
      `${FORM}\n`,
      "application/json\n",
      `${PARTS}\n`,
      "--x\r\n",
      "&csrfToken=",
      '"$ne":null',
      "\\ud800",
      "[]=",
    ],
    async run(input) {
      const { app, cookie } = await forBodies();
      const at = input.indexOf("\n");
      const type = toHeader(input.slice(0, Math.max(at, 0)));
      // UTF-8 if the text is Unicode, otherwise its bytes.
      const text = input.slice(at + 1);
      const body = /[^\0-\xff]/.test(text) ? text : toBytes(text);
      for (const route of ROUTES) {
        const headers = { cookie, origin: ORIGIN, accept: "text/html", "content-type": type };
        const init = { method: "POST", headers, body };
        const request = new Request(`${ORIGIN}/auth/${route}`, init);
        // Only the redirect to the provider leads to another site.
        if (route === "signin/op") {
          const response = await app.auth.fetch(request);
          expect(response.status).toBeLessThan(500);
          const target = new URL(response.headers.get("location") ?? ORIGIN).origin;
          expect(["https://op.example", ORIGIN]).toContain(target);
        } else await ask(app, request);
      }
    },
  },
  {
    name: "hosts",
    seeds: () => [
      "app.example\nhttps\napp.example",
      "a.tenants.example:443\nhttps\nx",
      "localhost:3000\nhttp\n[::1]:3000",
      "app.example@evil.example\nhttps\napp.example@evil.example",
    ],
    words: ["\n", "app.example", ".tenants.example", ":", "@", ",", "https", "xn--", "[::]", "%2e"],
    async run(input) {
      const [host = "", proto = "", url = ""] = input.split("\n").map(toHeader);
      for (const app of forHosts()) {
        const target = `https://${url}/auth/signin`;
        // A Request cannot have such a URL.
        const isAbsent =
          !URL.canParse(target) || /[^/]@/.test(new URL(target).href.split("/auth/")[0] ?? "");
        const base = isAbsent ? "https://app.example/auth/signin" : target;
        const headers = {
          "x-forwarded-host": host,
          "x-forwarded-proto": proto,
          accept: "text/html",
        };
        const response = await app.auth.fetch(new Request(base, { headers }).clone());
        expect(response.status, await response.clone().text()).toBeLessThan(500);
        const trusted =
          app === forHosts()[0] ? /^/ : /^https?:\/\/(?:app|[\w.-]+\.tenants)\.example(?::\d+)?\//i;
        const location = response.headers.get("location");
        if (location !== null) expect(location).toMatch(trusted);
        for (const error of app.log.errors.splice(0))
          expect(["UntrustedHost", "BadRequest"], error.stack).toContain(error.type);
      }
    },
  },
  {
    name: "callbacks",
    seeds: () => [
      "code=x&state=y&iss=https%3A%2F%2Fop.example",
      "error=access_denied&error_description=No&state=y",
      "email=ada%40example.com&token=0123456789abcdef&callbackUrl=%2Fdeep",
    ],
    words: ["&state=", "&code=", "&iss=", "&error=", "&token=", "&email=", "%00", "=&="],
    async run(input) {
      const app = forPages();
      const { browser } = app;
      browser.cookies.clear();
      await browser.signIn("op");
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      for (const id of ["op", "mail"]) {
        const url = new URL(`${ORIGIN}/auth/callback/${id}`);
        url.search = input;
        const request = new Request(url, { headers: { cookie, accept: "text/html" } });
        await ask(app, request, {
          allowed: [
            "BadRequest",
            "InvalidCheck",
            "OAuthCallbackError",
            "Verification",
            "UnknownAction",
          ],
        });
      }
    },
  },
  {
    name: "paths and queries of pages",
    seeds: () => [
      "signin?callbackUrl=%2Fdeep&error=CredentialsSignin&code=x&email=a%40b.example",
      "error?error=Verification",
      "verify-request?provider=mail&type=email",
      "signin/credentials",
      "webauthn-options/passkey?action=register&email=a%40b.example&name=A",
    ],
    words: [
      "/",
      "?",
      "&error=",
      "&callbackUrl=",
      "&email=",
      "undefined",
      ":provider",
      "%2f",
      "session",
    ],
    async run(input) {
      const app = forPages();
      const text = `${ORIGIN}/auth/${input}`;
      if (!URL.canParse(text)) return;
      const request = new Request(text, { headers: { accept: "text/html" } });
      if (new URL(request.url).origin === ORIGIN) await ask(app, request);
    },
  },
  {
    name: "Accept-Language",
    seeds: () => ["en", "de-CH, fr;q=0.9, *;q=0.1", "zh-Hant-TW;q=1.0,ar;q=0"],
    words: [",", ";q=", "q=", "-", "*", "x-", "-u-", "1e3"],
    async run(input) {
      const headers = { "accept-language": toHeader(input), accept: "text/html" };
      const response = await ask(forPages(), new Request(`${ORIGIN}/auth/signin`, { headers }));
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/<html lang="[\w-]+"/);
    },
  },
  {
    name: "other headers",
    seeds: () => [
      "x-csrf-token\n0123456789abcdef",
      "sec-fetch-site\nsame-origin",
      "origin\nhttp://localhost:3000",
      "accept\ntext/html,*/*;q=0.8",
      "x-auth-return-redirect\n1",
      "content-length\n5",
      "sec-purpose\nprefetch;prerender",
      "authorization\nBearer x",
      "user-agent\nx",
      "referer\nhttp://localhost:3000/",
    ],
    words: ["\n", "null", "*", ";", ",", "cross-site", "99999999999999999999"],
    async run(input) {
      const app = forPages();
      const [name = "", value = ""] = input.split("\n");
      let headers: Headers;
      try {
        headers = new Headers({ [name]: toHeader(value) });
      } catch {
        return;
      }
      for (const path of ["session", "signin", "providers", "csrf"])
        await ask(app, new Request(`${ORIGIN}/auth/${path}`, { headers }));
      const init = { method: "POST", headers, body: "a=b" };
      await ask(app, new Request(`${ORIGIN}/auth/signout`, init));
    },
  },
];
