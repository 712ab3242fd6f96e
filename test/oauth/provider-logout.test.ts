import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { homePlugin } from "../../plugins/bindings/_home.ts";
import type { AnyOAuthProvider } from "../../plugins/flows/oauth.ts";
import { accessTokens } from "../../plugins/oauth/access-tokens.ts";
import { providerLogout, type ProviderLogoutOptions } from "../../plugins/oauth/provider-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { customFetch, defineStore } from "../../src/kernel.ts";
import { createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  listBootFaults,
  LOVELACE,
  ORIGIN,
  type TestAuthOptions,
} from "../_app.ts";
import { ADA_AT_IDP } from "./_tokens.ts";

const START = `${ORIGIN}/`;

interface Options extends TestAuthOptions {
  logout?: ProviderLogoutOptions;
  provider?: Partial<AnyOAuthProvider>;
}

function createApp({ logout, provider, use = [], ...options }: Options = {}) {
  const idp = createIdentityProvider();
  idp.tamper.discovery = (document) => ({
    ...document,
    end_session_endpoint: `${idp.issuer}/logout?ui=1`,
    revocation_endpoint: `${idp.issuer}/revoke`,
  });
  const app = createTestAuth({
    preset: standardPreset,
    idp,
    providers: [idp.provider(provider as object), credentials()],
    use: [...use, providerLogout(logout)],
    ...options,
  });
  return Object.assign(app, {
    idp,
    /** Signs out, and returns the URL of the redirect. */
    async leave(fields: Record<string, string> = {}) {
      const csrfToken = await app.browser.csrfToken();
      const response = await app.browser.post("/auth/signout", { csrfToken, ...fields });
      expect(response.status).toBe(302);
      return new URL(response.headers.get("location") ?? "");
    },
  });
}

describe("providerLogout()", () => {
  it("ends the session of the application, then redirects to the provider and back to the target", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const url = await app.leave({ callbackUrl: "/bye" });
    expect(await app.browser.session()).toBeNull();
    expect(url.origin + url.pathname).toBe(`${app.idp.issuer}/logout`);
    const { state = "", id_token_hint: hint = "", ...rest } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({
      ui: "1",
      client_id: "client",
      post_logout_redirect_uri: `${ORIGIN}/auth/signout/callback`,
    });
    expect(JSON.parse(atob(hint.split(".")[1] ?? ""))).toMatchObject({ sub: "ada-1" });
    const back = await app.browser.get(`/auth/signout/callback?state=${state}`);
    expect(back.headers.get("location")).toBe(`${ORIGIN}/bye`);
    // The state is used up.
    const again = await app.browser.get(`/auth/signout/callback?state=${state}`);
    expect(again.headers.get("location")).toBe(START);
  });

  it("neither reads nor revokes tokens for a request that a plugin authenticates, which signs no one out", async () => {
    let id = "";
    const expires = "2099-01-01T00:00:00.000Z";
    const app = createApp({
      logout: { revoke: true },
      use: [
        {
          name: "keys",
          setup(kernel) {
            kernel.hooks.authenticate.tap("keys", ({ request }) =>
              request.headers.has("authorization")
                ? { id, session: { user: {}, expires } }
                : undefined,
            );
            kernel.events.hook("signIn", ({ user }) => void (id = String(user.id)));
          },
        },
      ],
    });
    await app.browser.signInAs(ADA_AT_IDP);
    const csrfToken = await app.browser.csrfToken();
    const headers = { authorization: "key" };
    const before = app.idp.requests.length;
    await app.browser.post("/auth/signout", { csrfToken }, { headers });
    // The revocation would not wait for the response.
    await setTimeout(50);
    expect(id).not.toBe("");
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(app.idp.requests).toHaveLength(before);
  });

  it("leads to the start page of an application below a path without a valid state", async () => {
    const { browser } = createApp({ use: [homePlugin("/app")] });
    const back = await browser.get("/auth/signout/callback?state=forged");
    expect(back.headers.get("location")).toBe(`${ORIGIN}/app`);
  });

  it("ends the session at the provider only for users whose id the `jwt` callback sets", async () => {
    const app = createApp({
      callbacks: {
        jwt: ({ token, profile }) => (profile ? { ...token, sub: `own-${profile.sub}` } : token),
      },
    });
    await app.browser.signInAs(ADA_AT_IDP);
    const kept = new Map(app.browser.cookies);
    expect((await app.leave()).origin).toBe(app.idp.issuer);
    await app.browser.signInAs({ sub: "bob-1", name: "Bob" });
    for (const [name, value] of kept)
      if (name.includes("provider-session")) app.browser.cookies.set(name, value);
    expect((await app.leave()).origin).toBe(ORIGIN);
  });

  it.each(["jwt", "database", "hybrid"] as const)(
    "redirects to the provider at the end of a session of %s that was used for longer than `maxAge`",
    async (strategy) => {
      using clock = createClock();
      const app = createApp({
        session: { strategy },
        ...(strategy !== "jwt" && { use: [defineStore(memoryBackend()), storeAdapter()] }),
      });
      await app.browser.signInAs(ADA_AT_IDP);
      for (let weeks = 0; weeks < 10; weeks++) {
        clock.advance("7 days");
        expect(await app.browser.session()).not.toBeNull();
      }
      const url = await app.leave();
      expect(url.origin).toBe(app.idp.issuer);
      expect(url.searchParams.get("id_token_hint")).toMatch(/^ey/);
    },
  );

  it("writes its cookie again only when the session is extended", async () => {
    using clock = createClock();
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const isSet = async () =>
      (await app.browser.get("/auth/session")).headers
        .getSetCookie()
        .some((one) => one.includes("provider-session"));
    expect(await isSet()).toBe(false);
    clock.advance("25 hours");
    expect(await isSet()).toBe(true);
    expect(await isSet()).toBe(false);
  });

  it("does not extend a cookie that a sibling host has set", async () => {
    using clock = createClock();
    const app = createApp();
    const list = () => [...app.browser.cookies].map(([name, value]) => `${name}=${value}`);
    await app.browser.signInAs({ sub: "eve-1", name: "Eve" });
    const planted = list().filter((one) => one.includes("provider-session"));
    app.browser.cookies.clear();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("25 hours");
    const headers = { cookie: [...planted, ...list()].join("; ") };
    const response = await app.auth.fetch(new Request(`${ORIGIN}/auth/session`, { headers }));
    const set = response.headers.getSetCookie().join();
    expect(planted).toHaveLength(1);
    expect(set).toContain("session-token");
    expect(set).not.toContain("provider-session");
  });

  it("ends the session at the provider, and its tokens, if the `jwt` callback drops `sub`", async () => {
    const revoked: string[] = [];
    const app = createApp({
      logout: { revoke: true },
      callbacks: { jwt: () => ({ name: "Ada" }) },
      provider: {
        [customFetch]: (async (input: URL | string, init: RequestInit = {}) => {
          if (new URL(input).pathname !== "/revoke") return app.idp.fetch(input, init);
          revoked.push(String(init.body as URLSearchParams));
          return new Response();
        }) as typeof fetch,
      } as Partial<AnyOAuthProvider>,
    });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.leave()).origin).toBe(app.idp.issuer);
    expect([...app.browser.cookies.keys()].join()).not.toContain("provider-session");
    await expect.poll(() => revoked).toEqual([expect.stringContaining("refresh-token-1")]);
  });

  it("hides the ID token from every client", async () => {
    const app = createApp();
    const response = await app.browser.signInAs(ADA_AT_IDP);
    const seen = [
      ...app.browser.cookies.values(),
      ...response.headers.getSetCookie(),
      JSON.stringify(await app.browser.session()),
    ];
    // The payload of an ID token begins with an escaped JSON object. The payload of a sealed cookie
    // is not JSON.
    const payloads = seen
      .flatMap((text) => text.split(/[.;=]/))
      .filter((part) => part.startsWith("ey"));
    const readable = payloads.filter((part) => {
      try {
        return atob(part.replaceAll("-", "+").replaceAll("_", "/")).includes('"sub"');
      } catch {
        return false;
      }
    });
    expect(readable).toEqual([]);
    const set = response.headers.getSetCookie().filter((one) => one.includes("provider-session"));
    expect(set.length).toBeGreaterThan(0);
    for (const one of set) expect(one).toMatch(/; HttpOnly/);
  });

  it.each([
    ["a forged state", "?state=forged"],
    ["an empty state", "?state="],
    ["no state", ""],
  ])(
    "sends a visitor who returns with %s to the start page, and changes nothing",
    async (_, query) => {
      const app = createApp();
      await app.browser.signInAs(ADA_AT_IDP);
      const url = await app.leave({ callbackUrl: "/bye" });
      const before = new Map(app.browser.cookies);
      const response = await app.browser.get(`/auth/signout/callback${query}`);
      expect(response.headers.get("location")).toBe(START);
      expect(app.browser.cookies).toEqual(before);
      const state = url.searchParams.get("state");
      const back = await app.browser.get(`/auth/signout/callback?state=${state}`);
      expect(back.headers.get("location")).toBe(`${ORIGIN}/bye`);
    },
  );

  it("accepts the state neither of another browser nor after 15 minutes", async () => {
    using clock = createClock();
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const url = await app.leave({ callbackUrl: "/bye" });
    const path = `/auth/signout/callback?state=${url.searchParams.get("state")}`;
    const other = app.openBrowser();
    expect((await other.get(path)).headers.get("location")).toBe(START);
    clock.advance("16 minutes");
    expect((await app.browser.get(path)).headers.get("location")).toBe(START);
  });

  it("never redirects to an origin other than the application's after the logout", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const url = await app.leave({ callbackUrl: "https://evil.example/" });
    const path = `/auth/signout/callback?state=${url.searchParams.get("state")}`;
    expect((await app.browser.get(path)).headers.get("location")).toBe(START);
  });

  it("requires the CSRF token as before: another site ends neither session", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    await app.browser.post("/auth/signout", { csrfToken: "forged" });
    app.log.expectErrors("MissingCSRF");
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("only signs out of the application when the provider's metadata cannot be fetched", async () => {
    using clock = createClock();
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("2 hours");
    app.idp.tamper.discovery = () => new Response("", { status: 500 });
    const url = await app.leave({ callbackUrl: "/bye" });
    expect(url.href).toBe(`${ORIGIN}/bye`);
    expect(await app.browser.session()).toBeNull();
    app.log.expectErrors("SignOutError");
  });

  it("needs no metadata if the provider's endpoint is configured", async () => {
    using clock = createClock();
    const endSession = "https://idp.example/bye";
    const app = createApp({ provider: { endSession } });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("2 hours");
    app.idp.tamper.discovery = () => new Response("", { status: 500 });
    const url = await app.leave();
    expect(url.origin + url.pathname).toBe(endSession);
  });

  it.each([
    ["has no logout endpoint", undefined],
    ["has a logout endpoint without https", "http://idp.example/logout"],
    ["has a logout endpoint that is not a URL", "logout"],
  ])("only signs out of the application when the provider %s", async (_, endpoint) => {
    const app = createApp();
    app.idp.tamper.discovery = (document) => ({ ...document, end_session_endpoint: endpoint });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.leave({ callbackUrl: "/bye" })).href).toBe(`${ORIGIN}/bye`);
    expect([...app.browser.cookies.keys()].join()).not.toMatch(/logout-state|provider-session/);
  });

  it("uses the provider's proprietary logout, which may neither accept a hint nor return a state", async () => {
    const app = createApp({
      provider: { endSession: { returnParam: "logout_uri", hint: false, state: false } },
    });
    await app.browser.signInAs(ADA_AT_IDP);
    const url = await app.leave({ callbackUrl: "/bye" });
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ui: "1",
      client_id: "client",
      logout_uri: `${ORIGIN}/auth/signout/callback`,
    });
    expect(
      (await app.browser.get("/auth/signout/callback?state=forged")).headers.get("location"),
    ).toBe(START);
    const back = await app.browser.get("/auth/signout/callback");
    expect(back.headers.get("location")).toBe(`${ORIGIN}/bye`);
  });

  it("ignores providers that are not listed, and refuses unknown ones at boot", async () => {
    const app = createApp({ logout: { providers: [] } });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.leave()).origin).toBe(ORIGIN);
    const faulty = createApp({ logout: { providers: ["other"] }, errors: "allowed" });
    expect(() => faulty.auth.inspect()).toThrow("providerLogout()");
  });

  it.each([
    [{ revoke: "test" }, "`revoke` of providerLogout() must be true, false or a list of ids"],
    [{ providers: "test" }, "`providers` of providerLogout() must be a list of ids"],
    [{ providers: false }, "`providers` of providerLogout() must be a list of ids"],
  ])("%j is an invalid option, whatever providers are configured", (logout, message) => {
    const app = createApp({ logout: logout as object, errors: "allowed" });
    expect(() => app.auth.inspect()).toThrow(message);
  });

  it("redirects to no provider after a sign-in by another method in the same browser", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    await app.browser.signInWith("credentials", LOVELACE);
    expect([...app.browser.cookies.keys()].join()).not.toContain("provider-session");
    expect((await app.leave()).origin).toBe(ORIGIN);
  });

  it("redirects to no provider with the cookie of another user's session at the provider", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const adas = [...app.browser.cookies].filter(([name]) => name.includes("provider-session"));
    await app.browser.signInWith("credentials", LOVELACE);
    for (const [name, value] of adas) app.browser.cookies.set(name, value);
    expect((await app.leave()).origin).toBe(ORIGIN);
  });

  it.each([8000, 60_000])("omits a hint that is too large for a cookie: %i", async (size) => {
    const app = createApp();
    app.idp.tamper.idToken = (claims) => ({ ...claims, roles: "x".repeat(size) });
    await app.browser.signInAs(ADA_AT_IDP);
    const url = await app.leave();
    expect(url.origin).toBe(app.idp.issuer);
    expect(url.searchParams.has("id_token_hint")).toBe(false);
  });

  it.each([
    ["a small session", 0, "before", [true, false]],
    ["a session of 10,000 characters", 7000, "before", [false, false]],
    ["a small session, in another order", 0, "after", [true, false]],
    ["a small session, and no kept tokens", 0, "never", [false, true]],
    ["a session of 10,000 characters, and no kept tokens", 7000, "never", [false, false]],
  ] as const)(
    "sets cookies that a server accepts, with large tokens, a large ID token and %s",
    async (_, noteLength, kept, [hasTokens, hasHint]) => {
      const app = createApp({
        use: kept === "before" ? [accessTokens()] : [],
        errors: "allowed",
        callbacks: {
          jwt: ({ token, account }) =>
            account ? { ...token, note: "x".repeat(noteLength) } : token,
        },
      });
      if (kept === "after") app.auth.use(accessTokens());
      app.idp.tamper.token = (tokens) => ({ ...tokens, access_token: "a".repeat(4500) });
      app.idp.tamper.idToken = (claims) => ({ ...claims, roles: "x".repeat(3200) });
      await app.browser.signInAs(ADA_AT_IDP);
      const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
      expect(cookie.length).toBeLessThan(15_000);
      expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
      expect(cookie.includes("provider-tokens")).toBe(hasTokens);
      const url = await app.leave();
      expect(url.origin).toBe(app.idp.issuer);
      expect(url.searchParams.has("id_token_hint")).toBe(hasHint);
    },
  );

  it("returns the provider's URL to server code, and as JSON to the client", async () => {
    const app = createApp();
    await app.browser.signInAs(ADA_AT_IDP);
    const headers = { cookie: [...app.browser.cookies].map((pair) => pair.join("=")).join("; ") };
    const event = {
      req: new Request(`${ORIGIN}/page`, { headers }),
      res: { headers: new Headers() },
    };
    const target = await app.auth.signOut(event, { redirect: false, redirectTo: "/bye" });
    expect(target).toMatch(/^https:\/\/idp\.example\/logout\?/);
    expect(event.res.headers.getSetCookie().join()).toContain("keyhook.logout-state");
    const init = { headers: { "x-auth-return-redirect": "1" } };
    const { url } = (await (await app.browser.send("/auth/signout", init)).json()) as {
      url: string;
    };
    expect(url).toMatch(/^https:\/\/idp\.example\/logout\?/);
  });

  describe("with `revoke`", () => {
    const WAYS = [
      [
        "refresh token, per RFC 7009",
        {},
        "POST https://idp.example/revoke token=refresh-token-1&token_type_hint=refresh_token",
      ],
      [
        "access token, by the provider's proprietary request",
        {
          revocation: {
            url: "https://idp.example/apps/{clientId}",
            method: "DELETE",
            json: "access_token",
          },
        },
        'DELETE https://idp.example/apps/client {"access_token":"access-token-1"}',
      ],
    ] as const;

    function createRevoking(
      provider: Partial<AnyOAuthProvider>,
      status: number,
      config: Options = {},
    ) {
      const sent: string[] = [];
      const authorizations: (string | null)[] = [];
      const app = createApp({
        ...config,
        logout: { revoke: true },
        use: [defineStore(memoryBackend()), storeAdapter()],
        provider: {
          ...provider,
          [customFetch]: (async (input: URL | string, init: RequestInit = {}) => {
            const url = new URL(input);
            if (!/^\/(?:revoke|apps)/.test(url.pathname)) return app.idp.fetch(input, init);
            sent.push(
              `${init.method} ${url.href} ${(init.body as URLSearchParams | string).toString()}`,
            );
            authorizations.push(new Headers(init.headers).get("authorization"));
            return new Response("", { status });
          }) as typeof fetch,
        } as Partial<AnyOAuthProvider>,
      });
      return { app, sent, authorizations };
    }

    it.each(WAYS)("revokes the %s, and forgets the tokens", async (_, provider, request) => {
      const { app, sent, authorizations } = createRevoking(provider as object, 200);
      await app.browser.signInAs(ADA_AT_IDP);
      await app.leave();
      await expect.poll(() => sent).toEqual([request]);
      expect(authorizations[0]).toMatch(/^Basic /);
      const [user] = [await app.kernel().adapter?.getUserByEmail?.("ada@example.com")];
      const accounts = await app.kernel().adapter?.listAccountsByUserId?.(user?.id ?? "");
      expect(accounts).toMatchObject([{ access_token: null, refresh_token: null }]);
    });

    it("revokes the tokens and removes them when a tap of `redirect` throws at the target", async () => {
      const redirect = ({ url }: { url: string }) => {
        if (url === "/gone") throw new Error("There is no such page.");
        return url;
      };
      const { app, sent } = createRevoking({}, 200, { callbacks: { redirect } });
      await app.browser.signInAs(ADA_AT_IDP);
      const csrfToken = await app.browser.csrfToken();
      await app.browser.post("/auth/signout", { csrfToken, callbackUrl: "/gone" });
      expect(await app.browser.session()).toBeNull();
      await expect.poll(() => sent).toHaveLength(1);
      app.log.expectErrors("Error");
    });

    it("revokes no tokens for an expired session, because the user's other sessions use them", async () => {
      const { app, sent } = createRevoking({}, 200);
      await app.browser.signInAs(ADA_AT_IDP);
      for (const name of app.browser.cookies.keys())
        if (name.includes("session-token")) app.browser.cookies.delete(name);
      expect((await app.leave()).origin).toBe(app.idp.issuer);
      const [user] = [await app.kernel().adapter?.getUserByEmail?.("ada@example.com")];
      const accounts = await app.kernel().adapter?.listAccountsByUserId?.(user?.id ?? "");
      expect(accounts).toMatchObject([{ access_token: expect.any(String) }]);
      expect(sent).toEqual([]);
    });

    it("signs out, and logs that the provider has not revoked the tokens", async () => {
      const { app, sent } = createRevoking({}, 400);
      await app.browser.signInAs(ADA_AT_IDP);
      expect((await app.leave()).origin).toBe(app.idp.issuer);
      await expect.poll(() => sent).toHaveLength(1);
      await expect.poll(() => app.log.errors.length).toBe(1);
      const [error] = app.log.expectErrors("TokenRevocationFailed");
      expect(String(error?.cause?.err)).not.toContain("refresh-token-1");
    });
  });
});

describe("fields of a provider that providerLogout() reads", () => {
  it.each<[string, object, RegExp]>([
    [
      "a logout that is neither a URL nor an object",
      { endSession: true },
      /"idp" sets `endSession` to a boolean; set it to a URL, or to an object with `url`/,
    ],
    ["a logout that is null", { endSession: null }, /to null; set it/],
    [
      "a misspelled member of the logout",
      { endSession: { uri: "https://op.example/logout" } },
      /no field `endSession.uri`; use one of url, returnParam, hint, state/,
    ],
    [
      "a hint that is not false",
      { endSession: { url: "https://op.example/logout", hint: "no" } },
      /`endSession.hint`; it must be false, or left out/,
    ],
    [
      "a parameter of the logout without a name",
      { endSession: { url: "https://op.example/logout", returnParam: "" } },
      /`endSession.returnParam`; it must be the name of a parameter/,
    ],
    [
      "a revocation that is a list",
      { revocation: ["https://op.example/revoke"] },
      /`revocation` to an array; set it to a URL/,
    ],
    [
      "a method of the revocation that does not exist",
      { revocation: { url: "https://op.example/revoke", method: "GET" } },
      /`revocation.method`; it must be "POST" or "DELETE"/,
    ],
    [
      "a body of the revocation without a name",
      { revocation: { url: "https://op.example/revoke", json: true } },
      /`revocation.json`; it must be the name of a member/,
    ],
  ])("inspect() rejects a provider with %s", (_, provider, message) => {
    const app = createApp({ provider, errors: "allowed" });
    const [fault, ...others] = listBootFaults(app);
    expect(others).toEqual([]);
    expect(fault).toMatch(message);
  });

  it("inspect() reports all invalid fields at once", () => {
    const provider = { endSession: { hint: "no" }, revocation: [] } as object;
    expect(listBootFaults(createApp({ provider, errors: "allowed" }))).toHaveLength(2);
  });
});
