import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { TokenRefreshFailed } from "../../plugins/oauth/access-tokens.ts";
import { providerLogout } from "../../plugins/oauth/provider-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { customFetch } from "../../src/kernel.ts";
import { createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import { ORIGIN } from "../_app.ts";
import { IS_QUICK } from "../_scale.ts";
import { ADA_AT_IDP, createTokensApp, type TokensApp } from "./_tokens.ts";

type Answer = () => Response | Promise<Response>;

const json = { headers: { "content-type": "application/json" } };
const page = { headers: { "content-type": "text/html" } };

/** How a provider is down, slow or responds with nonsense, for any request. */
const FAULTS: Readonly<Record<string, Answer>> = {
  "refuses the connection": () =>
    Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })),
  "responds with status 500": () => new Response("", { status: 500 }),
  "responds with status 503 and JSON": () => Response.json({}, { status: 503 }),
  "responds with status 429": () => Response.json({ error: "slow_down" }, { status: 429 }),
  "responds with an error page": () => new Response("<html></html>", { ...page, status: 404 }),
  "responds with a redirect": () => Response.redirect("https://elsewhere.example/"),
  "responds with a body that breaks off": () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"access_token":"x",'));
          controller.error(new Error("terminated"));
        },
      }),
      json,
    ),
  "responds with 3 MB": () => Response.json({ access_token: "x".repeat(3_000_000) }),
};

/** What a reader finds wrong in a response with status 200. */
const NONSENSE: Readonly<Record<string, Answer>> = {
  "responds with a page": () => new Response("<html></html>", page),
  "responds with truncated JSON": () => new Response('{"access_token":"x"', json),
  "responds with nothing": () => new Response("", json),
  "responds with null": () => new Response("null", json),
  "responds with deeply nested JSON": () => new Response("[".repeat(100_000), json),
};

const TOKENS = { access_token: "opaque-1", token_type: "Bearer", expires_in: 3600 };

/** Token responses with a missing or invalid member. */
const WRONG_TOKENS: Readonly<Record<string, object>> = {
  "no access token": { access_token: undefined },
  "an access token that is not text": { access_token: 1 },
  "an empty access token": { access_token: "" },
  "no token type": { token_type: undefined },
  "another token type": { token_type: "mac" },
  "a negative lifetime": { expires_in: -1 },
  "a lifetime that is not a number": { expires_in: "soon" },
  "an infinite lifetime": { expires_in: "1e999" },
  "a refresh token that is not text": { refresh_token: { $ne: null } },
  "a scope that is a list": { scope: ["openid"] },
};

/** An application with sessions and accounts in a store. `answer` may replace the provider's responses. */
function createApp() {
  const idp = createIdentityProvider();
  idp.tamper.discovery = (document) => ({
    ...document,
    end_session_endpoint: `${idp.issuer}/logout`,
    revocation_endpoint: `${idp.issuer}/revoke`,
  });
  const script: { path?: string; answer?: Answer; sent: string[] } = { sent: [] };
  const send = (async (input: URL | string, init: RequestInit = {}) => {
    const { pathname } = new URL(input);
    script.sent.push(pathname);
    if (pathname === script.path && script.answer) return script.answer();
    return pathname === "/revoke" ? new Response("") : idp.fetch(input, init);
  }) as typeof fetch;
  const app: TokensApp = createTokensApp({
    idp,
    shared: memoryBackend(),
    use: [storeAdapter(), providerLogout({ revoke: true })],
    providers: [idp.provider({ [customFetch]: send })],
  });
  return Object.assign(app, {
    script,
    async leave() {
      const csrfToken = await app.browser.csrfToken();
      const response = await app.browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" });
      expect(response.status).toBe(302);
      return new URL(response.headers.get("location") ?? "");
    },
    /** A browser with the same session, which shows what the store has of the session. */
    openCopy() {
      const copy = app.openBrowser();
      for (const [name, value] of app.browser.cookies) copy.cookies.set(name, value);
      return copy;
    },
  });
}

const TOKEN = "/token";
const DISCOVERY = "/.well-known/openid-configuration";

describe("a refresh of tokens", () => {
  const rows = { ...FAULTS, ...NONSENSE };
  for (const [what, members] of Object.entries(WRONG_TOKENS)) {
    rows[`responds with ${what}`] = () => Response.json({ ...TOKENS, ...members });
  }

  it.each(Object.entries(rows))(
    "fails when the provider %s, with an error that quotes nothing of the response, and succeeds 5 seconds later",
    async (_, answer) => {
      using clock = createClock();
      const app = createApp();
      await app.browser.signInAs(ADA_AT_IDP);
      clock.advance("1 hour");
      app.script.path = TOKEN;
      app.script.answer = answer;
      const failure = await app.getToken().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TokenRefreshFailed);
      expect(failure).toMatchObject({ status: 503 });
      expect(JSON.stringify(failure) + String(failure)).not.toMatch(/-token-\d|opaque|xxx/);
      // Not every call repeats the failed request.
      const sent = app.script.sent.length;
      await expect(app.getToken()).rejects.toBeInstanceOf(TokenRefreshFailed);
      expect(app.script.sent.length).toBe(sent);
      delete app.script.path;
      clock.advance("6 seconds");
      expect((await app.getToken()).accessToken).toBe("access-token-2");
      expect(app.events).toEqual(["tokensRefreshed"]);
    },
  );

  it.each([
    ["as text", "600", 600],
    ["with a fraction", 600.9, 600],
    ["of a century", 3_155_760_000, 3_155_760_000],
    ["that exceeds the range of dates", 1e300, undefined],
    ["of 0, which means no expiry,", 0, undefined],
    ["of 0 as text", "0", undefined],
  ])("accepts a lifetime %s", async (_, expiresIn, seconds) => {
    using clock = createClock();
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.script.path = TOKEN;
    app.script.answer = () => Response.json({ ...TOKENS, expires_in: expiresIn });
    const now = Math.floor(Date.now() / 1000);
    expect((await app.getToken()).expiresAt).toBe(seconds && now + seconds);
  });

  it.each([
    ["nothing", {}],
    ["null", { refresh_token: null, scope: null, id_token: null }],
    ["an empty text", { refresh_token: "" }],
  ])("keeps the old refresh token when the response has %s as the new one", async (_, members) => {
    using clock = createClock();
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.script.path = TOKEN;
    app.script.answer = () => Response.json({ ...TOKENS, ...members });
    expect((await app.getToken()).accessToken).toBe("opaque-1");
    delete app.script.path;
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
  });
});

describe("a sign-out that revokes tokens", () => {
  it.each(Object.entries(FAULTS))(
    "ends the session first, responds, and logs once that the provider %s",
    async (_, answer) => {
      const app = createApp();
      await app.browser.signInAs(ADA_AT_IDP);
      const copy = app.openCopy();
      let seen: unknown = "not asked";
      app.script.path = "/revoke";
      app.script.answer = async () => {
        seen = await copy.session();
        return answer();
      };
      expect((await app.leave()).origin).toBe(app.idp.issuer);
      await expect.poll(() => app.log.errors.length).toBe(1);
      const [error] = app.log.expectErrors("TokenRevocationFailed");
      expect(seen).toBeNull();
      expect(String(error?.cause?.err)).not.toMatch(/-token-\d/);
      expect(app.script.sent.filter((path) => path === "/revoke")).toHaveLength(1);
      const user = await app.kernel().adapter?.getUserByEmail?.("ada@example.com");
      const accounts = await app.kernel().adapter?.listAccountsByUserId?.(user?.id ?? "");
      expect(accounts).toMatchObject([{ access_token: null, refresh_token: null }]);
    },
  );

  it.each(Object.entries(NONSENSE))(
    "accepts status 200 as success when the provider %s (RFC 7009 section 2.2)",
    async (_, answer) => {
      const app = createApp();
      await app.browser.signInAs(ADA_AT_IDP);
      app.script.path = "/revoke";
      app.script.answer = answer;
      await app.leave();
      await expect.poll(() => app.script.sent).toContain("/revoke");
      app.log.expectErrors();
    },
  );
});

describe("a sign-out through the provider", () => {
  it.each(Object.entries({ ...FAULTS, ...NONSENSE }))(
    "ends the session first, and redirects to no provider, when the provider's metadata %s",
    async (_, answer) => {
      using clock = createClock();
      const app = createApp();
      await app.browser.signInAs(ADA_AT_IDP);
      const copy = app.openCopy();
      clock.advance("2 hours");
      let seen: unknown = "not asked";
      app.script.path = DISCOVERY;
      app.script.answer = async () => {
        seen = await copy.session();
        return answer();
      };
      expect((await app.leave()).href).toBe(`${ORIGIN}/bye`);
      expect(seen).toBeNull();
      expect(await app.browser.session()).toBeNull();
      expect([...app.browser.cookies.keys()].join()).not.toMatch(
        /logout-state|provider-(?:session|tokens)/,
      );
      await expect.poll(() => app.log.errors.length).toBe(2);
      app.log.expectErrors("TokenRevocationFailed", "SignOutError");
    },
  );

  it.each([
    1,
    null,
    ["https://idp.example/logout"],
    "javascript:alert(1)",
    "data:text/html,x",
    "//idp.example/logout",
    "https://127.0.0.1/logout",
    "https://10.0.0.1/logout",
  ])("redirects to no provider when the metadata has the endpoint %j", async (endpoint) => {
    const app = createApp();
    app.idp.tamper.discovery = (document) => ({ ...document, end_session_endpoint: endpoint });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.leave()).href).toBe(`${ORIGIN}/bye`);
    expect(await app.browser.session()).toBeNull();
  });
});

describe.skipIf(IS_QUICK)("a provider that never responds", () => {
  const never: Answer = () => new Promise(() => {});

  it("is awaited for 5 seconds by a refresh, a revocation and a sign-out, which ends the session first", async () => {
    using clock = createClock();
    const [refreshing, revoking, leaving] = [createApp(), createApp(), createApp()];
    for (const app of [refreshing, revoking, leaving]) await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("2 hours");
    for (const [app, path] of [
      [refreshing, TOKEN],
      [revoking, "/revoke"],
      [leaving, DISCOVERY],
    ] as const) {
      Object.assign(app.script, { path, answer: never });
    }
    const copy = leaving.openCopy();
    const began = performance.now();
    const refresh = refreshing.getToken().catch((error: unknown) => error);
    // Revocations continue after the response.
    expect((await revoking.leave()).origin).toBe(revoking.idp.issuer);
    const leave = leaving.leave();
    await expect.poll(() => copy.session()).toBeNull();
    expect(await refresh).toBeInstanceOf(TokenRefreshFailed);
    expect((await leave).href).toBe(`${ORIGIN}/bye`);
    await expect.poll(() => revoking.log.errors.length, { timeout: 10_000 }).toBe(1);
    revoking.log.expectErrors("TokenRevocationFailed");
    await expect.poll(() => leaving.log.errors.length, { timeout: 10_000 }).toBe(2);
    leaving.log.expectErrors("TokenRevocationFailed", "SignOutError");
    expect(performance.now() - began).toBeLessThan(12_000);
  });
});
