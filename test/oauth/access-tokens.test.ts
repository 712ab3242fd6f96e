import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import {
  AccessTokenExpired,
  AccessTokenMissing,
  type AccessTokensAuth,
  RefreshTokenRejected,
  TokenRefreshFailed,
} from "../../plugins/oauth/access-tokens.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { InvalidProvider, SessionRequired } from "../../src/errors.ts";
import { type Adapter, type AdapterAccount, customFetch, definePlugin } from "../../src/kernel.ts";
import { createClock, createIdentityProvider, type Tamper } from "../../src/testing/testing.ts";
import { ORIGIN, plainAdapter, Rows } from "../_app.ts";
import { IS_QUICK } from "../_scale.ts";
import { ADA_AT_IDP, createTokensApp, type TokensApp, type TokensAppOptions } from "./_tokens.ts";

const withAccounts = (options: TokensAppOptions = {}): TokensApp =>
  createTokensApp({ shared: memoryBackend(), use: [storeAdapter()], ...options });

const KINDS: readonly [where: string, create: (options?: TokensAppOptions) => TokensApp][] = [
  ["in cookies, without a store", createTokensApp],
  [
    "in cookies, with a store",
    (options) => createTokensApp({ shared: memoryBackend(), ...options }),
  ],
  ["with accounts", withAccounts],
];

describe.each(KINDS)("access tokens that are kept %s", (_, create) => {
  it("are returned as they are while they are valid", async () => {
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const first = await app.getToken();
    expect(first).toMatchObject({ accessToken: "access-token-1", tokenType: "bearer" });
    expect(first.expiresAt).toBeGreaterThan(Date.now() / 1000 + 3000);
    expect(await app.getToken()).toEqual(first);
    expect(app.countRefreshes()).toBe(0);
  });

  it("are refreshed each time they expire, with rotating refresh tokens", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    for (const round of [2, 3, 4]) {
      clock.advance("1 hour");
      expect((await app.getToken()).accessToken).toBe(`access-token-${round}`);
      expect((await app.getToken()).accessToken).toBe(`access-token-${round}`);
    }
    expect(app.countRefreshes()).toBe(3);
    expect(app.events).toEqual(["tokensRefreshed", "tokensRefreshed", "tokensRefreshed"]);
  });

  it("are refreshed `minValidity` seconds before they expire, as the plugin or the call sets it", async () => {
    using clock = createClock();
    const app = create({ tokens: { minValidity: 300 } });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("54 minutes");
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    expect((await app.getToken({ minValidity: 600 })).accessToken).toBe("access-token-2");
    clock.advance("56 minutes");
    expect((await app.getToken()).accessToken).toBe("access-token-3");
  });

  it("are refreshed once for 50 concurrent calls", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    const jars = Array.from({ length: 50 }, () => new Map(app.browser.cookies));
    const all = await Promise.all(jars.map((jar) => app.getToken({}, jar)));
    expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(new Set(["access-token-2"]));
    expect(app.countRefreshes()).toBe(1);
    expect(app.events).toEqual(["tokensRefreshed"]);
  });

  it("are refreshed once although the new ones have a shorter life than a call requires", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    const jars = Array.from({ length: 5 }, () => new Map(app.browser.cookies));
    await Promise.all(jars.map((jar) => app.getToken({ minValidity: 86_400 }, jar)));
    expect(app.countRefreshes()).toBe(1);
  });

  it.each([
    ["shorter than `minValidity`", 40],
    ["slightly longer than `minValidity`", 70],
  ])("that always live %s are refreshed after half of their life", async (_, life) => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = (tokens) => ({ ...tokens, expires_in: life });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    for (const round of [2, 3]) {
      const first = await app.getToken();
      expect(first.accessToken).toBe(`access-token-${round}`);
      for (let at = 0; at < 3; at++) {
        clock.advance(life * 125);
        expect(await app.getToken()).toEqual(first);
      }
      clock.advance(life * 125);
    }
    expect(app.countRefreshes()).toBe(2);
  });

  it("that live longer than a call requires are refreshed when the call requires it", async () => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = (tokens) => ({ ...tokens, expires_in: 900 });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
    clock.advance("400 seconds");
    expect((await app.getToken({ minValidity: 600 })).accessToken).toBe("access-token-3");
    clock.advance("200 seconds");
    expect((await app.getToken({ minValidity: 1000 })).accessToken).toBe("access-token-3");
    clock.advance("300 seconds");
    expect((await app.getToken({ minValidity: 1000 })).accessToken).toBe("access-token-4");
  });

  it("survive a browser that has not received the new ones, within the grace period", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const old = new Map(app.browser.cookies);
    clock.advance("1 hour");
    await app.getToken();
    clock.advance("5 minutes");
    expect((await app.getToken({}, new Map(old))).accessToken).toBe("access-token-2");
    expect(app.countRefreshes()).toBe(1);
  });

  it("are refreshed with the newest refresh token for a browser that missed tokens which have expired since", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const old = new Map(app.browser.cookies);
    clock.advance("1 hour");
    app.idp.tamper.token = (tokens) => ({ ...tokens, expires_in: 120 });
    await app.getToken();
    clock.advance("5 minutes");
    expect((await app.getToken({}, new Map(old))).accessToken).toBe("access-token-3");
    expect(app.events).toEqual(["tokensRefreshed", "tokensRefreshed"]);
  });

  it("end with a typed error and one event after one refused refresh request", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.idp.tamper.token = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const cookies = new Map(app.browser.cookies);
    await expect(app.getToken()).rejects.toBeInstanceOf(RefreshTokenRejected);
    for (const jar of [cookies, app.browser.cookies]) {
      await expect(app.getToken({}, jar)).rejects.toMatchObject({ status: 401 });
    }
    expect(app.countRefreshes()).toBe(1);
    expect(app.events).toEqual(["refreshTokenRejected"]);
    app.idp.tamper = {};
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken()).accessToken).toBe("access-token-3");
  });

  it("are never requested again after a refusal, even after the grace period", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.idp.tamper.token = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    await expect(app.getToken()).rejects.toBeInstanceOf(RefreshTokenRejected);
    clock.advance("1 hour");
    await expect(app.getToken()).rejects.toBeInstanceOf(AccessTokenExpired);
    expect(app.countRefreshes()).toBe(1);
  });

  it("are not returned to another user of the same browser", async () => {
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const adas = [...app.browser.cookies].filter(([name]) => name.includes("provider-tokens"));
    await app.browser.signOut();
    await expect(app.getToken()).rejects.toBeInstanceOf(SessionRequired);
    await app.browser.signInAs({ sub: "bob-1", email: "bob@example.com" });
    expect((await app.getToken()).accessToken).toBe("access-token-2");
    for (const [name, value] of adas) app.browser.cookies.set(name, value);
    if (adas.length) await expect(app.getToken()).rejects.toBeInstanceOf(AccessTokenMissing);
  });

  it("are hidden from the browser: neither the session nor any response contains them", async () => {
    const app = create();
    const response = await app.browser.signInAs(ADA_AT_IDP);
    const session = await app.browser.session();
    const seen = [
      JSON.stringify(session),
      ...response.headers.getSetCookie(),
      await response.text(),
    ];
    expect(seen.join("\n")).not.toMatch(/(?:access|refresh)-token-\d/);
  });

  it.each<[what: string, answer: () => Response]>([
    ["responds with status 500", () => new Response("", { status: 500 })],
    [
      "responds with a page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    ],
    ["responds with nonsense", () => Response.json(["access-token"])],
    ["responds without an access token", () => Response.json({ token_type: "bearer" })],
    [
      "responds with a token of another type",
      () => Response.json({ access_token: "x", token_type: "mac" }),
    ],
    ["refuses the client", () => Response.json({ error: "invalid_client" }, { status: 401 })],
    ["responds with a redirect", () => Response.redirect("https://elsewhere.example/")],
  ])("are kept when the provider %s, and requested again 5 seconds later", async (__, answer) => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.idp.tamper.token = answer;
    const failure = await app.getToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TokenRefreshFailed);
    expect(failure).toMatchObject({ status: 503 });
    expect(String(failure)).not.toMatch(/(?:access|refresh)-token-\d/);
    await expect(app.getToken()).rejects.toBeInstanceOf(TokenRefreshFailed);
    expect(app.countRefreshes()).toBe(1);
    clock.advance("6 seconds");
    app.idp.tamper = {};
    // The provider has used up the refresh token, and its response was lost: the provider
    // decides.
    const next = await app.getToken().catch((error: unknown) => error);
    expect(app.countRefreshes()).toBe(2);
    expect(next).toBeInstanceOf(RefreshTokenRejected);
  });

  it.each<[what: string, tamper: Tamper]>([
    ["of another user", { idToken: (claims) => ({ ...claims, sub: "eve-2" }) }],
    [
      "of another issuer",
      { idToken: (claims) => ({ ...claims, iss: "https://elsewhere.example" }) },
    ],
    ["that cannot be read", { token: (body) => ({ ...body, id_token: "e30.e30" }) }],
  ])("are not replaced by a refresh whose ID token is %s", async (_, tamper) => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.idp.tamper = tamper;
    const failure = await app.getToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TokenRefreshFailed);
    expect(String(failure)).toContain("an ID token for another user");
    expect(app.events).toEqual([]);
  });

  it("are replaced by a refresh without an ID token", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    app.idp.tamper.token = ({ id_token: _idToken, ...body }) => body;
    expect((await app.getToken()).accessToken).toBe("access-token-2");
  });

  it("are returned while they are valid although the provider is down, unless a call requires longer validity", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("3570 seconds");
    app.idp.tamper.token = () => {
      throw new Error("down");
    };
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    await expect(app.getToken({ minValidity: 60 })).rejects.toBeInstanceOf(TokenRefreshFailed);
  });

  it("are not returned if they expire during a request to a provider that is down", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("3598 seconds");
    app.idp.tamper.token = () => {
      clock.advance("3 seconds");
      throw new Error("down");
    };
    await expect(app.getToken()).rejects.toBeInstanceOf(TokenRefreshFailed);
  });

  it("end with an explanatory error when the provider has no refresh tokens", async () => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = ({ refresh_token: _refresh, ...body }) => body;
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    clock.advance("1 hour");
    const failure = await app.getToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AccessTokenExpired);
    expect(String(failure)).toContain("there is no refresh token");
    expect(app.countRefreshes()).toBe(0);
  });

  it("are returned unchanged when the provider's tokens do not expire", async () => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = ({ refresh_token: _refresh, expires_in: _end, ...body }) => body;
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("20 days");
    expect(await app.getToken()).toEqual({
      accessToken: "access-token-1",
      tokenType: "bearer",
      scope: "openid profile email",
    });
  });

  it("are returned unchanged when they have no expiry, after tokens that had one", async () => {
    using clock = createClock();
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    app.idp.tamper.token = ({ expires_in: _end, ...body }) => body;
    for (let count = 0; count < 3; count++) {
      clock.advance("1 hour");
      const { accessToken, expiresAt } = await app.getToken();
      expect([accessToken, expiresAt]).toEqual(["access-token-2", undefined]);
    }
    expect(app.countRefreshes()).toBe(1);
  });

  it("are refreshed with the same refresh token when the provider does not rotate", async () => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = (body) => ({ ...body, refresh_token: "the-same" });
    await app.browser.signInAs(ADA_AT_IDP);
    for (const round of [2, 3]) {
      clock.advance("1 hour");
      expect((await app.getToken()).accessToken).toBe(`access-token-${round}`);
      expect((await app.getToken()).accessToken).toBe(`access-token-${round}`);
    }
    expect(app.countRefreshes()).toBe(2);
  });

  it("are refreshed each time when the provider does not rotate and they live shorter than the grace period", async () => {
    using clock = createClock();
    const app = create();
    app.idp.tamper.token = (body) => ({ ...body, refresh_token: "the-same", expires_in: 120 });
    await app.browser.signInAs(ADA_AT_IDP);
    for (const round of [2, 3]) {
      clock.advance("3 minutes");
      expect((await app.getToken()).accessToken).toBe(`access-token-${round}`);
    }
    expect(app.countRefreshes()).toBe(2);
  });

  it.each([
    ["rotates", undefined],
    ["does not rotate", "the-same"],
  ])("that the API has rejected are refreshed when the provider %s", async (_, refresh) => {
    const app = create();
    app.idp.tamper.token = (body) => ({ ...body, ...(refresh && { refresh_token: refresh }) });
    await app.browser.signInAs(ADA_AT_IDP);
    const old = new Map(app.browser.cookies);
    for (const round of [1, 2, 3]) {
      const { accessToken } = await app.getToken();
      expect(accessToken).toBe(`access-token-${round}`);
      const fresh = await app.getToken({ rejected: accessToken });
      expect(fresh.accessToken).toBe(`access-token-${round + 1}`);
      // A later caller that passes the rejected token, such as another request of the page, gets
      // the new one.
      expect(await app.getToken({ rejected: accessToken })).toEqual(fresh);
    }
    // A browser that has received no new tokens.
    const known = await app.getToken({ rejected: "access-token-1" }, old);
    expect(known.accessToken).not.toBe("access-token-1");
    expect(app.countRefreshes()).toBe(3);
  });

  it("that the API has rejected are refreshed once for 20 calls that pass them", async () => {
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const { accessToken: rejected } = await app.getToken();
    const jars = Array.from({ length: 20 }, () => new Map(app.browser.cookies));
    const all = await Promise.all(jars.map((jar) => app.getToken({ rejected }, jar)));
    expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(new Set(["access-token-2"]));
    expect(app.countRefreshes()).toBe(1);
  });

  it("that the API has rejected are returned again if the provider returns them again", async () => {
    const app = create();
    app.idp.tamper.token = (body) => ({ ...body, access_token: "unchanged" });
    await app.browser.signInAs(ADA_AT_IDP);
    const { accessToken: rejected } = await app.getToken();
    expect((await app.getToken({ rejected })).accessToken).toBe("unchanged");
    expect(app.countRefreshes()).toBe(1);
  });

  it("that the API has rejected are not returned when the refresh fails", async () => {
    const app = create();
    await app.browser.signInAs(ADA_AT_IDP);
    const { accessToken: rejected } = await app.getToken();
    app.idp.tamper.token = () => {
      throw new Error("down");
    };
    await expect(app.getToken({ rejected })).rejects.toBeInstanceOf(TokenRefreshFailed);
    expect((await app.getToken()).accessToken).toBe(rejected);
  });
});

describe("accessTokens()", () => {
  it("returns the tokens of the requested provider for a user with two providers", async () => {
    const idp = createIdentityProvider();
    const app = withAccounts({ idp, providers: [idp.provider(), idp.provider({ id: "second" })] });
    await app.browser.signInAs(ADA_AT_IDP);
    const account = { ...ADA_AT_IDP, sub: "second-1" };
    await app.browser.signInAs(account, "second", { link: "true" });
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    expect((await app.getToken({ provider: "second" })).accessToken).toBe("access-token-2");
  });

  it("leaves no record of a refresh in the store forever", async () => {
    using clock = createClock();
    const entries = new Map<string, { expires: number }>();
    const app = createTokensApp({ shared: memoryBackend(entries) });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    await app.getToken();
    const own = [...entries].filter(([key]) => key.startsWith("refresh"));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(([, { expires }]) => !Number.isFinite(expires))).toEqual([]);
  });

  it("refreshes an account that has only a refresh token, and keeps tokens in cookies if an adapter can only list accounts", async () => {
    const rows = new Rows();
    const listing: Adapter = {
      ...plainAdapter(rows),
      listAccountsByUserId: (userId) => rows.accounts.filter((one) => one.userId === userId),
    };
    const other = createTokensApp({ adapter: listing, strategy: "jwt" });
    await other.browser.signInAs(ADA_AT_IDP);
    expect(other.log.warnings).toContain("access-tokens-in-cookie");
    expect([...other.browser.cookies.keys()].join()).toContain("provider-tokens-idp");

    const updateAccount: Adapter["updateAccount"] = (account) => {
      Object.assign(rows.accounts[0] ?? {}, account);
    };
    const app = createTokensApp({ adapter: { ...listing, updateAccount }, strategy: "jwt" });
    await app.browser.signInAs(ADA_AT_IDP);
    Object.assign(rows.accounts[0] ?? {}, { access_token: null });
    expect((await app.getToken()).accessToken).toBe("access-token-2");
  });

  it("adds a function that requires a session and an OAuth provider", async () => {
    const app = createTokensApp();
    await expect(app.getToken()).rejects.toBeInstanceOf(SessionRequired);
    await app.browser.signInAs(ADA_AT_IDP);
    await expect(app.getToken({ provider: "other" })).rejects.toBeInstanceOf(InvalidProvider);
  });

  it.each([{ minValidity: -1 }, { grace: 0.5 }, { minValidity: Number.NaN }])(
    "refuses the options %j at boot",
    (tokens) => {
      const app = createTokensApp({ tokens, errors: "allowed" });
      expect(() => app.auth.inspect()).toThrow("accessTokens()");
    },
  );

  it("runs inside the taps of `around`, as the operation `call`", async () => {
    const operations: string[] = [];
    const spy = definePlugin({
      name: "spy",
      setup: ({ hooks }) =>
        hooks.around.tap("spy", async ({ operation }, next) => {
          operations.push(operation);
          await next();
        }),
    });
    const app = createTokensApp({ use: [spy] });
    await app.browser.signInAs(ADA_AT_IDP);
    await app.getToken();
    expect(operations.at(-1)).toBe("call");
  });

  it("sets the cookies of a response once, however often server code calls the function", async () => {
    using clock = createClock();
    const app = createTokensApp();
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    const headers = { cookie: [...app.browser.cookies].map((pair) => pair.join("=")).join("; ") };
    const event = {
      req: new Request(`${ORIGIN}/page`, { headers }),
      res: { headers: new Headers() },
    };
    const auth = app.auth as typeof app.auth & AccessTokensAuth;
    for (let count = 0; count < 3; count++) {
      const { accessToken } = await auth.getAccessToken(event, { provider: "idp" });
      expect(accessToken).toBe("access-token-2");
    }
    await auth.getSession(event);
    const set = event.res.headers.getSetCookie().filter((line) => line.includes("provider-tokens"));
    expect(set).toHaveLength(1);
    expect(set[0]).toMatch(/; HttpOnly/);
    expect(event.res.headers.get("cache-control")).toContain("no-store");
  });

  it("clears the cookies at sign-out", async () => {
    const app = createTokensApp();
    await app.browser.signInAs(ADA_AT_IDP);
    expect([...app.browser.cookies.keys()].join()).toContain("provider-tokens");
    await app.browser.signOut();
    expect([...app.browser.cookies.keys()].join()).not.toContain("provider-tokens");
  });

  it("refreshes tokens in development, where users are in the fallback store", async () => {
    const fallback = memoryBackend();
    const app = createTokensApp({
      use: [
        storeAdapter(),
        { name: "fallback", setup: (kernel) => kernel.setStore(fallback, { fallback: true }) },
      ],
    });
    await app.browser.signInAs(ADA_AT_IDP);
    const token = await app.getToken({ minValidity: 100_000 });
    expect(token.accessToken).toBe("access-token-2");
    expect(app.countRefreshes()).toBe(1);
  });

  it("refreshes a token that the application has marked as expired, whatever its lifetime", async () => {
    using clock = createClock();
    const app = withAccounts();
    app.idp.tamper.token = (tokens) => ({ ...tokens, expires_in: 40 });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
    const adapter = await app.auth.getAdapter();
    const { id = "" } = (await adapter.getUserByEmail?.(ADA_AT_IDP.email)) ?? {};
    const [account] = (await adapter.listAccountsByUserId?.(id)) ?? [];
    await adapter.updateAccount?.({ ...account, expires_at: 1 } as AdapterAccount);
    clock.advance("1 second");
    expect((await app.getToken()).accessToken).toBe("access-token-3");
  });

  it("refreshes again when the application has removed the returned token as refused", async () => {
    using clock = createClock();
    const app = withAccounts();
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken({ minValidity: 100_000 })).accessToken).toBe("access-token-2");
    const adapter = await app.auth.getAdapter();
    const { id = "" } = (await adapter.getUserByEmail?.(ADA_AT_IDP.email)) ?? {};
    const [account] = (await adapter.listAccountsByUserId?.(id)) ?? [];
    await adapter.updateAccount?.({ ...account, access_token: null } as never);
    // A token received since the start of the call would count.
    clock.advance("1 second");
    expect((await app.getToken()).accessToken).toBe("access-token-3");
  });

  it("stores no tokens that are too large for cookies, and reports that", async () => {
    const app = createTokensApp();
    app.idp.tamper.token = (body) => ({ ...body, access_token: "x".repeat(8000) });
    await app.browser.signInAs(ADA_AT_IDP);
    expect(app.log.warnings).toContain("provider-tokens-large");
    await expect(app.getToken()).rejects.toBeInstanceOf(AccessTokenMissing);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("stores no refreshed tokens that do not fit next to the session, and reports that", async () => {
    using clock = createClock();
    const app = createTokensApp({
      callbacks: {
        jwt: ({ token, account }) => (account ? { ...token, note: "x".repeat(6000) } : token),
      },
    });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    clock.advance("1 hour");
    app.idp.tamper.token = (body) => ({ ...body, access_token: "x".repeat(4500) });
    expect((await app.getToken()).accessToken).toBe("x".repeat(4500));
    expect(app.log.warnings).toContain("provider-tokens-no-room");
    expect([...app.browser.cookies.keys()].join()).not.toContain("provider-tokens");
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("stores only those tokens that the provider's `account` returns", async () => {
    const idp = createIdentityProvider();
    const account = () => ({ access_token: "mapped" });
    const app = createTokensApp({ idp, providers: [idp.provider({ account })] });
    await app.browser.signInAs(ADA_AT_IDP);
    expect(await app.getToken()).toEqual({ accessToken: "mapped", tokenType: "bearer" });
  });

  it("uses the accounts of an Auth.js adapter that can list and update them, and warns about one that cannot", async () => {
    using clock = createClock();
    const rows = new Rows();
    const base = plainAdapter(rows);
    const extended: Adapter = {
      ...base,
      listAccountsByUserId: (userId) => rows.accounts.filter((one) => one.userId === userId),
      updateAccount: (account) => {
        const row = rows.accounts.find(
          (one) => one.providerAccountId === account.providerAccountId,
        );
        Object.assign(row ?? {}, account);
      },
    };
    const app = createTokensApp({ adapter: extended, strategy: "jwt" });
    await app.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
    expect(rows.accounts).toMatchObject([
      { access_token: "access-token-2", refresh_token: "refresh-token-2" },
    ]);
    expect(app.log.warnings).toEqual([]);

    const other = createTokensApp({ adapter: plainAdapter(new Rows()), strategy: "jwt" });
    await other.browser.signInAs(ADA_AT_IDP);
    expect(other.log.warnings).toContain("access-tokens-in-cookie");
    expect((await other.getToken()).accessToken).toBe("access-token-1");
  });

  it.each<[what: string, change: (rows: Rows) => void]>([
    ["unlinked", (rows) => void rows.accounts.splice(0)],
    [
      "linked to another user",
      ({ users, accounts }) => {
        users.push({ ...users[0], id: "eve", email: "eve@example.com" } as (typeof users)[0]);
        Object.assign(accounts[0] ?? {}, { userId: "eve" });
      },
    ],
  ])(
    "returns no token from the cookie of an account that was %s, and clears the cookie",
    async (_, change) => {
      const rows = new Rows();
      const app = createTokensApp({ adapter: plainAdapter(rows), strategy: "jwt" });
      await app.browser.signInAs(ADA_AT_IDP);
      expect((await app.getToken()).accessToken).toBe("access-token-1");
      change(rows);
      await expect(app.getToken()).rejects.toBeInstanceOf(AccessTokenMissing);
      expect([...app.browser.cookies.keys()].join()).not.toContain("provider-tokens");
    },
  );

  it("keeps tokens without an expiry in their cookie for as long as the session is used", async () => {
    using clock = createClock();
    const app = createTokensApp();
    app.idp.tamper.token = ({ expires_in: _, ...body }) => body;
    await app.browser.signInAs(ADA_AT_IDP);
    for (let at = 0; at < 3; at++) {
      clock.advance("20 days");
      expect(await app.browser.session()).not.toBeNull();
      expect((await app.getToken()).accessToken).toBe("access-token-1");
    }
    const before = app.browser.cookies.get("keyhook.provider-tokens-idp");
    await app.getToken();
    expect(app.browser.cookies.get("keyhook.provider-tokens-idp")).toBe(before);
  });

  it("finds the cookies of users whose id the `jwt` callback sets", async () => {
    using clock = createClock();
    const app = createTokensApp({
      callbacks: {
        jwt: ({ token, profile }) => (profile ? { ...token, sub: `own-${profile.sub}` } : token),
      },
    });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken()).accessToken).toBe("access-token-1");
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
    expect((await app.getToken()).accessToken).toBe("access-token-2");
  });

  it("finds the accounts of an adapter whose database uses numeric ids", async () => {
    const rows = new Rows();
    const toNumber = (account: AdapterAccount) => ({ ...account, userId: 7 }) as never;
    const adapter: Adapter = {
      ...plainAdapter(rows),
      getUser: (id) => ({ ...rows.users[0], id: Number(id) }) as never,
      createUser(user) {
        const row = { ...user, id: 7 as never };
        rows.users.push(row);
        return row;
      },
      listAccountsByUserId: () => rows.accounts.map(toNumber),
      updateAccount: () => {},
    };
    const app = createTokensApp({ adapter, strategy: "jwt" });
    await app.browser.signInAs(ADA_AT_IDP);
    expect((await app.getToken()).accessToken).toBe("access-token-1");
  });

  it("ignores accounts of other users that an adapter lists", async () => {
    const rows = new Rows();
    const adapter: Adapter = {
      ...plainAdapter(rows),
      listAccountsByUserId: () => rows.accounts.map((one) => ({ ...one, userId: "another" })),
      updateAccount: () => {},
    };
    const app = createTokensApp({ adapter, strategy: "jwt" });
    await app.browser.signInAs(ADA_AT_IDP);
    await expect(app.getToken()).rejects.toMatchObject({ type: "AdapterError" });
  });

  it("does not use the cookie of one provider for another", async () => {
    const idp = createIdentityProvider();
    const app = createTokensApp({
      idp,
      providers: [idp.provider(), idp.provider({ id: "second" })],
    });
    await app.browser.signInAs(ADA_AT_IDP);
    for (const [name, value] of app.browser.cookies) {
      if (name.endsWith("provider-tokens-idp")) {
        app.browser.cookies.set(name.replace(/idp$/, "second"), value);
      }
    }
    expect([...app.browser.cookies.keys()].join()).toContain("provider-tokens-second");
    await expect(app.getToken({ provider: "second" })).rejects.toBeInstanceOf(AccessTokenMissing);
  });

  it("requires an account id if a user has several accounts of a provider", async () => {
    const rows = new Rows();
    const adapter: Adapter = {
      ...plainAdapter(rows),
      listAccountsByUserId: (userId) => [
        { ...(rows.accounts[0] as AdapterAccount), userId },
        {
          ...(rows.accounts[0] as AdapterAccount),
          userId,
          providerAccountId: "2",
          access_token: "b",
        },
      ],
      updateAccount: () => {},
    };
    const app = createTokensApp({ adapter, strategy: "jwt" });
    await app.browser.signInAs(ADA_AT_IDP);
    await expect(app.getToken()).rejects.toThrow("providerAccountId");
    expect((await app.getToken({ providerAccountId: "2" })).accessToken).toBe("b");
  });
});

describe("access tokens in several processes", () => {
  it("are refreshed once for all processes, and stored sealed", async () => {
    using clock = createClock();
    const records = new Map<string, unknown>();
    const shared = memoryBackend(records);
    const idp = createIdentityProvider();
    const apps = Array.from({ length: 4 }, () => withAccounts({ idp, shared }));
    const [first] = apps as [TokensApp];
    await first.browser.signInAs(ADA_AT_IDP);
    for (const round of [2, 3, 4]) {
      clock.advance("1 hour");
      const calls = Array.from({ length: 40 }, (_, at) =>
        (apps[at % 4] as TokensApp).getToken({}, first.browser.cookies),
      );
      const tokens = new Set((await Promise.all(calls)).map(({ accessToken }) => accessToken));
      expect(tokens).toEqual(new Set([`access-token-${round}`]));
      expect(first.countRefreshes()).toBe(round - 1);
    }
    const everything = JSON.stringify([...records]);
    expect(everything).not.toMatch(/(?:access|refresh)-token-\d/);
  });

  it("that are in the browser's cookie are refreshed once for all processes, round after round", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const first = createTokensApp({ shared });
    const others = [0, 1, 2].map(() => createTokensApp({ shared, idp: first.idp }));
    const all = [first, ...others];
    await first.browser.signInAs(ADA_AT_IDP);
    const jar = first.browser.cookies;
    for (let round = 1; round <= 5; round++) {
      clock.advance("2 hours");
      // Each call has the cookies from before this round. Its response sets the browser's cookies.
      const before = new Map(jar);
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const own = new Map(before);
          const { accessToken } = await (all[at % all.length] as TokensApp).getToken({}, own);
          for (const [name, value] of own) jar.set(name, value);
          return accessToken;
        }),
      );
      expect(new Set(answers).size).toBe(1);
      expect(first.countRefreshes()).toBe(round);
    }
    expect(all.flatMap(({ events }) => events)).toEqual(
      Array.from({ length: 5 }, () => "tokensRefreshed"),
    );
  });

  it("survive a process that ends between the provider's response and the update of the account", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    let isDown = false;
    const flaky = definePlugin({
      name: "flaky",
      setup: (kernel) =>
        kernel.wrap("adapter", (inner) => ({
          ...inner,
          updateAccount: (account) => {
            if (isDown) throw new Error("down");
            return inner.updateAccount?.(account);
          },
        })),
    });
    const one = withAccounts({ idp, shared, use: [storeAdapter(), flaky] });
    const other = withAccounts({ idp, shared });
    await one.browser.signInAs(ADA_AT_IDP);
    const { cookies } = one.browser;
    clock.advance("1 hour");
    isDown = true;
    expect((await one.getToken()).accessToken).toBe("access-token-2");
    one.log.expectErrors("TokenRefreshFailed");
    expect((await other.getToken({}, cookies)).accessToken).toBe("access-token-2");
    // The other process has stored the tokens: they no longer depend on the grace period.
    clock.advance("50 minutes");
    expect((await other.getToken({}, cookies)).accessToken).toBe("access-token-2");
    clock.advance("1 hour");
    expect((await other.getToken({}, cookies)).accessToken).toBe("access-token-3");
    expect(one.countRefreshes()).toBe(2);
  });

  it.skipIf(IS_QUICK)(
    "wait for the process that refreshes them, and are refreshed when its lock has expired",
    async () => {
      using clock = createClock();
      const shared = memoryBackend();
      const idp = createIdentityProvider();
      const apps = [withAccounts({ idp, shared }), withAccounts({ idp, shared })] as const;
      const [one, other] = apps;
      await one.browser.signInAs(ADA_AT_IDP);
      clock.advance("1 hour");
      let isAsked = () => {};
      const asked = new Promise<void>((resolve) => (isAsked = resolve));
      // This process is suspended, and has sent nothing.
      idp.tamper.token = () => {
        isAsked();
        return new Promise<never>(() => {});
      };
      one.getToken().catch(() => {});
      await asked;
      const waiting = other.getToken({}, one.browser.cookies);
      idp.tamper = {};
      clock.advance("4 seconds");
      clock.advance("5 seconds");
      await expect(waiting).rejects.toBeInstanceOf(TokenRefreshFailed);
      clock.advance("30 seconds");
      const outcome = await other
        .getToken({}, one.browser.cookies)
        .catch((error: unknown) => error);
      // The provider has received the refresh token twice, and decides.
      expect(outcome).toBeInstanceOf(RefreshTokenRejected);
      expect(one.countRefreshes()).toBe(2);
    },
  );

  it("come from the process that continued when another was suspended for longer than its lock", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    let proceed = () => {};
    const standstill = new Promise<void>((resolve) => (proceed = resolve));
    let isSent = () => {};
    const sent = new Promise<void>((resolve) => (isSent = resolve));
    // The suspended process sends its request after the other process, and is refused.
    const slow = (async (input: URL | string, init: RequestInit = {}) => {
      if ((init.body as URLSearchParams | undefined)?.get("grant_type") === "refresh_token") {
        isSent();
        await standstill;
      }
      return idp.fetch(input, init);
    }) as typeof fetch;
    const one = withAccounts({ idp, shared, providers: [idp.provider({ [customFetch]: slow })] });
    const other = withAccounts({ idp, shared });
    await one.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    const late = one.getToken();
    await sent;
    clock.advance("31 seconds");
    const { accessToken } = await other.getToken({}, one.browser.cookies);
    proceed();
    expect((await late).accessToken).toBe(accessToken);
    expect([...one.events, ...other.events]).toEqual(["tokensRefreshed"]);
    clock.advance("1 hour");
    expect((await one.getToken()).accessToken).not.toBe(accessToken);
  });

  it("are locked by the process that continued, whatever the suspended one does", async () => {
    using clock = createClock();
    const shared = memoryBackend();
    const idp = createIdentityProvider();
    const pending: (() => void)[] = [];
    const slow = (async (input: URL | string, init: RequestInit = {}) => {
      if ((init.body as URLSearchParams | undefined)?.get("grant_type") === "refresh_token") {
        await new Promise<void>((resolve) => pending.push(resolve));
        return Response.json({}, { status: 500 });
      }
      return idp.fetch(input, init);
    }) as typeof fetch;
    const providers = [idp.provider({ [customFetch]: slow })];
    const one = withAccounts({ idp, shared, providers });
    const other = withAccounts({ idp, shared, providers });
    await one.browser.signInAs(ADA_AT_IDP);
    clock.advance("1 hour");
    const first = one.getToken().catch((error: unknown) => error);
    await expect.poll(() => pending.length).toBe(1);
    clock.advance("31 seconds");
    const second = other.getToken({}, one.browser.cookies).catch((error: unknown) => error);
    await expect.poll(() => pending.length).toBe(2);
    pending[0]?.();
    expect(await first).toBeInstanceOf(TokenRefreshFailed);
    const { keys } = await shared.scan("refresh-locks.", { limit: 10 });
    const locks = await Promise.all([...keys].map((key) => shared.get(key)));
    expect(locks.filter((lock) => lock !== null)).toHaveLength(1);
    pending[1]?.();
    expect(await second).toBeInstanceOf(TokenRefreshFailed);
  });

  it("of one account are never an outcome for another, even if someone copies records of the store", async () => {
    using clock = createClock();
    const records = new Map<string, unknown>();
    const app = createTokensApp({ shared: memoryBackend(records) });
    await app.browser.signInAs(ADA_AT_IDP);
    const adas = new Map(app.browser.cookies);
    const bob = app.openBrowser();
    await bob.signInAs({ sub: "bob-1", email: "bob@example.com" });
    clock.advance("1 hour");
    const { accessToken } = await app.getToken({}, new Map(bob.cookies));
    const bobsKeys = listOutcomes(records);
    const bobs = records.get(bobsKeys[0] ?? "");
    await app.getToken({}, new Map(adas));
    const adasKeys = listOutcomes(records).filter((key) => !bobsKeys.includes(key));
    expect(adasKeys).not.toHaveLength(0);
    for (const key of adasKeys) records.set(key, bobs);
    const outcome = await app.getToken({}, new Map(adas)).catch((error: unknown) => error);
    // The refresh token was used: without its outcome, the provider refuses it.
    expect(outcome).toBeInstanceOf(RefreshTokenRejected);
    expect(outcome).not.toMatchObject({ accessToken });
  });

  it("of a new sign-in survive a later end of a refresh of the previous tokens", async () => {
    using clock = createClock();
    const app = withAccounts();
    await app.browser.signInAs(ADA_AT_IDP);
    const cookies = new Map(app.browser.cookies);
    clock.advance("1 hour");
    app.idp.tamper.token = async (body) => {
      app.idp.tamper = {};
      // The user grants more scopes before the refresh ends.
      app.idp.tamper.token = (later) => ({ ...later, access_token: "of-the-new-sign-in" });
      await app.openBrowser().signInAs(ADA_AT_IDP);
      app.idp.tamper = {};
      return { ...body, access_token: "of-the-old-grant" };
    };
    expect((await app.getToken({}, cookies)).accessToken).toBe("of-the-old-grant");
    const jar = new Map(cookies);
    expect((await app.getToken({}, jar)).accessToken).toBe("of-the-new-sign-in");
  });

  it("survive a refusal that arrives after a new sign-in has stored other tokens", async () => {
    using clock = createClock();
    const app = withAccounts();
    await app.browser.signInAs(ADA_AT_IDP);
    const { cookies } = app.browser;
    clock.advance("1 hour");
    app.idp.tamper.token = async () => {
      app.idp.tamper = {};
      await app.browser.signInAs(ADA_AT_IDP);
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    };
    const { accessToken } = await app.getToken({}, new Map(cookies));
    expect((await app.getToken()).accessToken).toBe(accessToken);
    clock.advance("1 hour");
    expect((await app.getToken()).accessToken).not.toBe(accessToken);
  });
});

const listOutcomes = (records: ReadonlyMap<string, unknown>): string[] =>
  [...records.keys()].filter((key) => key.startsWith("refreshed-tokens."));
