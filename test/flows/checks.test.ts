import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Check } from "../../plugins/flows/oauth/provider.ts";
import { encode } from "../../src/jwt/jwt.ts";
import { diagnose } from "../../src/testing.ts";
import { createBrowser, createClock } from "../../src/testing/testing.ts";
import { isSignedIn, ORIGIN, SECRET } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import {
  type OAuthApp,
  attemptCookies,
  createOAuthApp,
  expectRefused,
  expectSignedIn,
  oauth,
  oidc,
} from "./_oauth.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

const PKCE = "authjs.pkce.code_verifier";
const STATE = "authjs.state";
const NONCE = "authjs.nonce";
const all = { checks: ["pkce", "state", "nonce"] } as const;
const formPost = { authorization: { params: { response_mode: "form_post" } } };

async function setCookies(app: OAuthApp, fields: Record<string, string> = {}): Promise<string[]> {
  const csrfToken = await app.browser.csrfToken();
  const response = await app.browser.post("/auth/signin/op", { csrfToken, ...fields });
  return response.headers.getSetCookie();
}

describe("check cookies of a sign-in attempt", () => {
  it("the cookies of the first attempt are sealed, uniform and have plain names", async () => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    const cookies = await setCookies(app);
    expect(attemptCookies(app)).toEqual([NONCE, PKCE, STATE]);
    for (const cookie of cookies.filter((one) => /pkce|state|nonce/.test(one))) {
      expect(cookie).toMatch(
        /^[\w.]+=eyJ[\w.-]+; Max-Age=900; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/,
      );
    }
  });

  it("all check cookies are SameSite=None when the response mode is form_post", async () => {
    const app = createOAuthApp(op, [oidc(op, { ...all, ...formPost })]);
    const cookies = (await setCookies(app)).filter((one) => /pkce|state|nonce/.test(one));
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure; SameSite=None$/);
  });

  it("check cookies have the __Secure- prefix and the Secure flag on a secure origin", async () => {
    const app = createOAuthApp(op, [oidc(op, all)], { origin: "https://app.example" });
    const cookies = (await setCookies(app)).filter((one) => /pkce|state|nonce/.test(one));
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Secure-.*; Secure; SameSite=Lax$/);
  });

  it("check cookies take name and options from the configuration", async () => {
    const cookies = {
      pkceCodeVerifier: { name: "my-pkce", options: { maxAge: 60, path: "/auth" } },
      state: { name: "my-state" },
    };
    const app = createOAuthApp(op, [oidc(op, all)], { cookies });
    const set = await setCookies(app);
    expect(set.find((one) => one.startsWith("my-pkce="))).toMatch(/Max-Age=60; Path=\/auth;/);
    expect([...app.browser.cookies.keys()]).toContain("my-state");
    await expectSignedIn(app, await app.signIn());
  });

  it("check cookies are cleared when the sign-in succeeds", async () => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    await expectSignedIn(app, await app.signIn());
    expect(attemptCookies(app)).toEqual([]);
  });

  it("check cookies are cleared when the sign-in fails, and the callback cannot be replayed", async () => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.startSignIn());
    op.script.claims = (claims) => ({ ...claims, iss: "https://evil.example" });
    await expectRefused(app, await app.finishSignIn(callback));
    op.script = {};
    app.log.errors.length = 0;
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=InvalidCheck");
  });

  it("accepts a PKCE cookie written by Auth.js", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const url = new URL(await app.startSignIn());
    const verifier = "v".repeat(43);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    url.searchParams.set("code_challenge", Buffer.from(digest).toString("base64url"));
    const token = { value: verifier, provider: "op" };
    app.browser.cookies.set(PKCE, await encode({ token, secret: SECRET, salt: PKCE, maxAge: 900 }));
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url.href)));
  });
});

describe("callbacks refused by the checks", () => {
  type Spoil = (app: OAuthApp) => void | Promise<void>;
  const sealed = (name: string, token: Record<string, unknown>, maxAge = 900) =>
    encode({ token, secret: SECRET, salt: name, maxAge });

  const spoiled: Record<string, Spoil> = {
    "without any cookie": ({ browser }) => browser.cookies.clear(),
    "without its verifier cookie": ({ browser }) => void browser.cookies.delete(PKCE),
    "without its state cookie": ({ browser }) => void browser.cookies.delete(STATE),
    "without its nonce cookie": ({ browser }) => void browser.cookies.delete(NONCE),
    "with an empty verifier cookie": ({ browser }) => void browser.cookies.set(PKCE, ""),
    "with a verifier cookie that is not a token": ({ browser }) =>
      void browser.cookies.set(PKCE, "nonsense"),
    // Not the last character: two of its bits are padding.
    "with a changed verifier cookie": ({ browser }) =>
      void browser.cookies.set(
        PKCE,
        (browser.cookies.get(PKCE) ?? "").replace(/.(?=.$)/, (one) => (one === "_" ? "-" : "_")),
      ),
    "with invalid percent-encoding in a cookie": ({ browser }) =>
      void browser.cookies.set(NONCE, "%E0%A4%A"),
    "with the cookie of another check as verifier": ({ browser }) =>
      void browser.cookies.set(PKCE, browser.cookies.get(STATE) ?? ""),
    "with a session token as verifier cookie": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed("authjs.session-token", { sub: "1" })),
    "with a verifier cookie that holds no value": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { provider: "op" })),
    "with a verifier cookie of another provider": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { value: "v", provider: "other" })),
    "with a verifier cookie of another attempt": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { value: "v", provider: "op" })),
    "with a verifier cookie sealed with another secret": async ({ browser }) =>
      void browser.cookies.set(
        PKCE,
        await encode({
          token: { value: "v", provider: "op" },
          secret: "another secret of more than 32 characters",
          salt: PKCE,
        }),
      ),
  };

  it.each(Object.entries(spoiled))("refuses a callback %s with InvalidCheck", async (_, spoil) => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.startSignIn());
    await spoil(app);
    const response = await app.finishSignIn(callback);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/signin?error=InvalidCheck`);
    expect(await isSignedIn(app.browser)).toBe(false);
    expect(op.count("/token")).toBe(0);
    // The next attempt succeeds.
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it.each([
    ["without its state", (params: URLSearchParams) => params.delete("state")],
    ["with another state", (params: URLSearchParams) => params.set("state", "x".repeat(43))],
    ["with an empty state", (params: URLSearchParams) => params.set("state", "")],
    ["with a second state", (params: URLSearchParams) => params.append("state", "y")],
    ...[1, 5, 42].map((length): [string, (params: URLSearchParams) => void] => [
      `with the first ${length} characters of its state`,
      (params) => params.set("state", `${params.get("state")}`.slice(0, length)),
    ]),
    [
      "with the last characters of its state",
      (params: URLSearchParams) => params.set("state", `${params.get("state")}`.slice(1)),
    ],
    [
      "with one more character in its state",
      (params: URLSearchParams) => params.set("state", `${params.get("state")}A`),
    ],
    [
      "with its state in capitals",
      (params: URLSearchParams) => params.set("state", `${params.get("state")}`.toUpperCase()),
    ],
  ])("refuses a callback %s in the query before the token request", async (_, answer) => {
    op.script = { answer };
    const app = createOAuthApp(op, [oidc(op, all)], { errors: "allowed" });
    const response = await app.signIn();
    expect(await isSignedIn(app.browser)).toBe(false);
    expect([302, 400]).toContain(response.status);
    expect(op.count("/token")).toBe(0);
  });

  it("refuses a callback fifteen minutes after the start", async () => {
    using clock = createClock();
    const app = createOAuthApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.startSignIn());
    clock.advance("15.5 minutes");
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=InvalidCheck");
  });

  it("refuses a callback in another browser than the one that started (login CSRF)", async () => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.startSignIn());
    const victim = createBrowser((request) => app.auth.fetch(request));
    const response = await app.finishSignIn(callback, victim);
    expect(response.headers.get("location")).toContain("error=InvalidCheck");
    expect(await victim.session()).toBeNull();
    // The attempt in the browser that started it is still valid.
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.finishSignIn(callback));
  });

  it("refuses the code of another attempt (code injection)", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const attacker = createOAuthApp(op, [oidc(op)]);
    const stolen = new URL((await op.authorize(await app.startSignIn())).url);
    const own = new URL((await op.authorize(await attacker.startSignIn())).url);
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    await expectRefused(attacker, await attacker.finishSignIn({ url: own.href }));
  });

  it("refuses a callback that is delivered a second time", async () => {
    const app = createOAuthApp(op, [oidc(op, all)], { errors: "allowed" });
    const callback = await op.authorize(await app.startSignIn());
    await expectSignedIn(app, await app.finishSignIn(callback));
    const again = await app.finishSignIn(callback);
    expect(again.headers.get("location")).toContain("error=InvalidCheck");
  });
});

describe("concurrent attempts in one browser", () => {
  it("concurrent attempts redirect to their own callback URL, in any order of completion", async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const app = createOAuthApp(op, [oidc(op)]);
      const callbacks = [];
      for (const page of ["/a", "/b", "/c"]) {
        callbacks.push(await op.authorize(await app.startSignIn("op", { callbackUrl: page })));
      }
      for (const at of order) {
        const response = await app.finishSignIn(callbacks[at]!);
        expect(response.headers.get("location")).toBe(`${ORIGIN}/${"abc"[at]}`);
      }
      expect(app.log.errors).toEqual([]);
      expect(attemptCookies(app)).toEqual([]);
    }
  });

  it("a second attempt gets a state and cookie names of its own", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    expect(new URL(await app.startSignIn()).searchParams.has("state")).toBe(false);
    expect(attemptCookies(app)).toEqual([PKCE]);
    const state = new URL(await app.startSignIn()).searchParams.get("state") ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(state));
    const handle = Buffer.from(digest).toString("base64url").slice(0, 12);
    expect(attemptCookies(app)).toEqual([PKCE, `${PKCE}.${handle}`, `${STATE}.${handle}`]);
  });

  it("success and failure of one attempt leave the cookies of the others", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const first = await op.authorize(await app.startSignIn());
    const second = await op.authorize(await app.startSignIn());
    const third = await op.authorize(await app.startSignIn());
    const before = attemptCookies(app);
    op.script.claims = (claims) => ({ ...claims, iss: "https://evil.example" });
    await app.finishSignIn(second);
    op.script = {};
    expect(attemptCookies(app)).toHaveLength(before.length - 2);
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.finishSignIn(third));
    expect(attemptCookies(app)).toEqual([PKCE]);
    await expectSignedIn(app, await app.finishSignIn(first));
  });

  it("a stale callback does not break a newer attempt", async () => {
    const app = createOAuthApp(op, [oidc(op, { checks: ["pkce", "state"] })]);
    const stale = await op.authorize(await app.startSignIn());
    const newer = await op.authorize(await app.startSignIn());
    await expectSignedIn(app, await app.finishSignIn(newer));
    await app.finishSignIn(stale);
    const again = await op.authorize(await app.startSignIn());
    await app.finishSignIn(stale);
    await expectSignedIn(createAppWith(app), await app.finishSignIn(again));
  });

  it("refuses attempts whose cookies were swapped", async () => {
    const app = createOAuthApp(op, [oidc(op, all)], { errors: "allowed" });
    await app.startSignIn();
    const second = await op.authorize(await app.startSignIn());
    const third = await op.authorize(await app.startSignIn());
    const [a, b] = [second, third].map(({ url }) => {
      const name = attemptCookies(app).filter((one) => one.startsWith(`${PKCE}.`));
      return { url, name };
    });
    const names = a!.name;
    const [one, two] = [app.browser.cookies.get(names[0]!), app.browser.cookies.get(names[1]!)];
    app.browser.cookies.set(names[0]!, two ?? "");
    app.browser.cookies.set(names[1]!, one ?? "");
    for (const { url } of [a!, b!]) {
      const response = await app.finishSignIn({ url });
      expect(response.headers.get("location")).toContain("error=InvalidCheck");
    }
    expect(await isSignedIn(app.browser)).toBe(false);
  });

  it("keeps at most five attempts in addition to the first and drops the oldest", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const callbacks = [];
    for (let i = 0; i < 8; i++) callbacks.push(await op.authorize(await app.startSignIn()));
    expect(attemptCookies(app)).toHaveLength(1 + 5 * 2);
    for (const gone of callbacks.slice(1, 3)) {
      const response = await app.finishSignIn(gone);
      expect(response.headers.get("location")).toContain("error=InvalidCheck");
    }
    app.log.errors.length = 0;
    for (const callback of [callbacks[0]!, ...callbacks.slice(3)]) {
      await expectSignedIn(app, await app.finishSignIn(callback));
    }
    expect(attemptCookies(app)).toEqual([]);
  });

  it("keeps at most five attempts of small cookies in addition to the first", async () => {
    const app = createOAuthApp(op, [oidc(op, { checks: ["state"] })]);
    for (let i = 0; i < 8; i++) await app.startSignIn();
    expect(attemptCookies(app)).toHaveLength(1 + 5);
  });

  it("the cookies of concurrent attempts fit into the header limit of servers", async () => {
    const app = createOAuthApp(op, [oidc(op, all)]);
    for (let i = 0; i < 8; i++) await app.startSignIn("op", { callbackUrl: `/${"x".repeat(900)}` });
    // The cookies of the first attempt, which do not count, and of two with about 3,500 characters.
    expect(attemptCookies(app)).toHaveLength(3 * all.checks.length);
    const header = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    // Node responds with 431 beyond 16 kB.
    expect(header.length).toBeLessThan(14_000);
    for (const value of app.browser.cookies.values()) expect(value.length).toBeLessThan(3900);
  });

  it("unrelated cookies with similar names do not count as attempts", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    app.browser.cookies.set(`${PKCE}.nonsense`, "x");
    app.browser.cookies.set(`${STATE}2`, "x");
    app.browser.cookies.set("authjs.nonces", "x");
    expect(new URL(await app.startSignIn()).searchParams.has("state")).toBe(false);
  });

  it("junk in the cookies of unused checks does not break an attempt", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.startSignIn());
    app.browser.cookies.set(NONCE, "junk");
    app.browser.cookies.set(STATE, await encode({ token: {}, secret: SECRET, salt: STATE }));
    await expectSignedIn(app, await app.finishSignIn(callback));
    expect(attemptCookies(app)).toEqual([]);
  });

  it("cookies left by a concurrent start at another provider do not break an attempt", async () => {
    const app = createOAuthApp(op, [oidc(op), oidc(op, { id: "other", ...all })]);
    await app.startSignIn("other");
    const left = [...app.browser.cookies].filter(([name]) => [STATE, NONCE].includes(name));
    app.browser.cookies.delete(STATE);
    app.browser.cookies.delete(NONCE);
    app.browser.cookies.delete(PKCE);
    const callback = await op.authorize(await app.startSignIn("op"));
    for (const [name, value] of left) app.browser.cookies.set(name, value);
    await expectSignedIn(app, await app.finishSignIn(callback));
    expect(attemptCookies(app)).toEqual([NONCE, STATE]);
  });

  it("a junk cookie under the plain name does not break a new attempt", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    app.browser.cookies.set(PKCE, "junk");
    await expectSignedIn(app, await app.signIn());
  });

  it("an error response for one provider does not end the attempt at another", async () => {
    const app = createOAuthApp(op, [oidc(op), oidc(op, { id: "other" })]);
    const first = await op.authorize(await app.startSignIn("op"));
    await app.finishSignIn({ url: `${ORIGIN}/auth/callback/other?error=access_denied` });
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.finishSignIn(first));
  });
});

function createAppWith(app: OAuthApp): OAuthApp {
  app.log.errors.length = 0;
  return app;
}

describe("a provider without a secret", () => {
  const warnings = (more: object) => {
    const { auth } = createOAuthApp(op, [oauth(op, { id: "acme", ...more })]);
    return diagnose(auth).warnings.filter(({ code }) => code === "oauth-no-secret");
  };

  it("boot warns of a client without a secret that is not declared as public", () => {
    for (const clientSecret of [undefined, ""]) {
      expect(warnings({ clientSecret }).map(({ detail }) => detail)).toEqual([
        expect.stringContaining("AUTH_ACME_SECRET"),
      ]);
    }
  });

  it("boot reports a missing secret together with a missing client id", () => {
    expect(warnings({ clientId: undefined, clientSecret: undefined })).toHaveLength(1);
  });

  it("boot names the variables of other libraries that are set instead of a provider's", () => {
    const env = { GITHUB_ID: "a", AUTH_ACME_CLIENT_SECRET: "b", ACME_ID: "c" };
    const unset: object = { clientId: undefined, clientSecret: undefined };
    const { auth } = createOAuthApp(op, [oauth(op, { id: "acme", ...unset })]);
    const { faults, warnings } = diagnose(auth, { env });
    expect(faults.map(({ message }) => message)).toEqual([
      'The provider "acme" has no `clientId`; set it, or AUTH_ACME_ID (ACME_ID is set, but not read).',
    ]);
    expect(warnings.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining(
        "or AUTH_ACME_SECRET (AUTH_ACME_CLIENT_SECRET is set, but not read); for a public",
      ),
    );
  });

  it("boot does not warn of a public client, a client with a secret, or the application's own token request", () => {
    const isPublic = { client: { token_endpoint_auth_method: "none" }, clientSecret: undefined };
    const request = async () => ({ tokens: {} });
    const own = { token: { request }, clientSecret: undefined };
    expect([isPublic, { clientSecret: "s" }, own].map((more) => warnings(more))).toEqual([
      [],
      [],
      [],
    ]);
  });
});

describe("a provider without checks", () => {
  const without = { checks: ["none"] } as const;
  const ATTEMPT = "keyhook.oauth-attempt";

  it('boot warns of `checks: ["none"]` with the name of the provider, and of no other list', () => {
    const warnings = (checks?: readonly Check[]) => {
      const more = checks ? { checks } : {};
      const { auth } = createOAuthApp(op, [oauth(op, { id: "acme", ...more })]);
      return diagnose(auth).warnings.filter(({ code }) => code === "oauth-no-check");
    };
    expect(warnings(["none"]).map(({ detail }) => detail)).toEqual([
      expect.stringContaining('"acme"'),
    ]);
    expect([warnings(), warnings(["none", "state"])]).toEqual([[], []]);
  });

  it.each([
    ["OpenID Connect", oidc],
    ["plain OAuth", oauth],
  ])("signs in once by %s, with a cookie that is not sent to the provider", async (_, provider) => {
    const app = createOAuthApp(op, [provider(op, without)]);
    const url = new URL(await app.startSignIn("op", { callbackUrl: "/after" }));
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(url.searchParams.has(name)).toBe(false);
    }
    const cookies = new Map(app.browser.cookies);
    expect(attemptCookies(app)).toEqual([ATTEMPT]);
    const response = await app.finishSignIn(await op.authorize(url.href));
    expect(app.log.errors).toEqual([]);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/after`);
    expect(attemptCookies(app)).toEqual([]);
    // A copy of the cookie cannot be used again.
    app.browser.cookies.set(ATTEMPT, cookies.get(ATTEMPT) ?? "");
    const again = await app.finishSignIn(await op.authorize(url.href));
    expect(again.headers.get("location")).toContain("error=InvalidCheck");
    expect(app.log.errors).toHaveLength(1);
  });

  it("refuses a response in a browser without an attempt (login CSRF)", async () => {
    const app = createOAuthApp(op, [oidc(op, without)]);
    const callback = await op.authorize(await app.startSignIn());
    const victim = createBrowser((request) => app.auth.fetch(request));
    const response = await app.finishSignIn(callback, victim);
    expect(response.headers.get("location")).toContain("error=InvalidCheck");
    expect(await victim.session()).toBeNull();
    expect([op.count("/token"), app.log.errors.length]).toEqual([0, 1]);
  });

  it.each([[["none"]], [["pkce"]], [["state"]]] as const)(
    "refuses a response while only an attempt of another provider is in progress (%j)",
    async (checks) => {
      const others = [oidc(op, without), oidc(op, { id: "other", checks })];
      const app = createOAuthApp(op, others);
      const callback = await op.authorize(await app.startSignIn("other"));
      const { search } = new URL(callback.url);
      const response = await app.finishSignIn({ url: `${ORIGIN}/auth/callback/op${search}` });
      expect(response.headers.get("location")).toContain("error=InvalidCheck");
      expect([op.count("/token"), app.log.errors.length]).toEqual([0, 1]);
    },
  );

  it("an attempt without checks and one of another provider complete in any order", async () => {
    for (const checks of [["pkce"], ["state"], ["pkce", "nonce"]] as const) {
      for (const [one, two] of [
        ["op", "other"],
        ["other", "op"],
      ] as const) {
        for (const order of [
          [0, 1],
          [1, 0],
        ]) {
          const app = createOAuthApp(op, [oidc(op, without), oidc(op, { id: "other", checks })]);
          const callbacks = [
            await op.authorize(await app.startSignIn(one)),
            await op.authorize(await app.startSignIn(two)),
          ];
          for (const at of order) await expectSignedIn(app, await app.finishSignIn(callbacks[at]!));
        }
      }
    }
  });

  it("refuses a response with a `state`, because none was sent", async () => {
    op.script = { answer: (params) => params.set("state", "x".repeat(43)) };
    const app = createOAuthApp(op, [oidc(op, without)]);
    const callback = await op.authorize(await app.startSignIn());
    const response = await app.finishSignIn(callback);
    expect(response.headers.get("location")).toContain("error=InvalidCheck");
    expect(app.log.errors).toHaveLength(1);
  });
});

describe("mix-up of two providers", () => {
  it("refuses a response of one provider at the callback of another (mix-up attack)", async () => {
    const honest = oidc(op, { id: "honest" });
    const evil = await startOp();
    try {
      for (const checks of [["pkce"], ["pkce", "state"], ["state", "nonce"]] as const) {
        const app = createOAuthApp(
          op,
          [{ ...honest, checks }, oidc(evil, { id: "evil", checks })],
          { errors: "allowed" },
        );
        const callback = new URL((await op.authorize(await app.startSignIn("honest"))).url);
        const stolen = `${ORIGIN}/auth/callback/evil${callback.search}`;
        const response = await app.finishSignIn({ url: stolen });
        expect(response.headers.get("location")).toContain("error=InvalidCheck");
        expect(evil.count("/token")).toBe(0);
        expect(await isSignedIn(app.browser)).toBe(false);
      }
    } finally {
      await evil.close();
    }
  });
});

describe("OAuth error responses", () => {
  it.each(["access_denied", "login_required", "temporarily_unavailable", "<script>"])(
    "redirects with OAuthCallbackError for the error %s, even without cookies",
    async (error) => {
      const app = createOAuthApp(op, [oidc(op, all)]);
      const callback = await op.authorize(await app.startSignIn(), error);
      app.browser.cookies.clear();
      await expectRefused(app, await app.finishSignIn(callback), "signin?error=OAuthCallbackError");
    },
  );

  it("the log names the callback URL that the provider does not know", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.startSignIn(), "redirect_uri_mismatch");
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=OAuthCallbackError");
    expect(app.log.errors[0]?.cause).toMatchObject({ redirect_uri: `${ORIGIN}/auth/callback/op` });
  });

  it("an error response clears the cookies of its attempt", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.startSignIn(), "access_denied");
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=OAuthCallbackError");
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it("refuses an error response of another issuer with InvalidCheck (RFC 9207)", async () => {
    op.script = { answer: (params) => params.set("iss", "https://evil.example") };
    const app = createOAuthApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.startSignIn(), "access_denied");
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=InvalidCheck");
  });

  it("redirects with OAuthCallbackError while the provider's metadata is not available", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.startSignIn(), "access_denied");
    const other = createOAuthApp(op, [oidc(op)]);
    other.browser.cookies.clear();
    for (const [name, value] of app.browser.cookies) other.browser.cookies.set(name, value);
    op.script.takeover = {
      "/.well-known/openid-configuration": (_, response) => void response.writeHead(503).end(),
    };
    await expectRefused(
      other,
      await other.finishSignIn(callback),
      "signin?error=OAuthCallbackError",
    );
  });
});
