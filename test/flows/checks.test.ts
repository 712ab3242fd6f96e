import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { encode } from "../../src/jwt.ts";
import { createBrowser } from "../../src/testing.ts";
import { type Op, startOp } from "../_op.ts";
import {
  type App,
  attemptCookies,
  createApp,
  expectRefused,
  expectSignedIn,
  isSignedIn,
  oidc,
  ORIGIN,
  SECRET,
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

async function setCookies(app: App, fields: Record<string, string> = {}): Promise<string[]> {
  const csrfToken = await app.browser.csrfToken();
  const response = await app.browser.post("/auth/signin/op", { csrfToken, ...fields });
  return response.headers.getSetCookie();
}

describe("the cookies of an attempt", () => {
  it("are sealed, uniform, and plainly named when nothing else is under way", async () => {
    const app = createApp(op, [oidc(op, all)]);
    const cookies = await setCookies(app);
    expect(attemptCookies(app)).toEqual([NONCE, PKCE, STATE]);
    for (const cookie of cookies.filter((one) => /pkce|state|nonce/.test(one))) {
      expect(cookie).toMatch(
        /^[\w.]+=eyJ[\w.-]+; Max-Age=900; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/,
      );
    }
  });

  it("come along when another site posts, all of them", async () => {
    const app = createApp(op, [oidc(op, { ...all, ...formPost })]);
    const cookies = (await setCookies(app)).filter((one) => /pkce|state|nonce/.test(one));
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure; SameSite=None$/);
  });

  it("have the prefix and the flag of a secure origin", async () => {
    const app = createApp(op, [oidc(op, all)], {}, "https://app.example");
    const cookies = (await setCookies(app)).filter((one) => /pkce|state|nonce/.test(one));
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Secure-.*; Secure; SameSite=Lax$/);
  });

  it("follow the configuration", async () => {
    const cookies = {
      pkceCodeVerifier: { name: "my-pkce", options: { maxAge: 60, path: "/auth" } },
      state: { name: "my-state" },
    };
    const app = createApp(op, [oidc(op, all)], { cookies });
    const set = await setCookies(app);
    expect(set.find((one) => one.startsWith("my-pkce="))).toMatch(/Max-Age=60; Path=\/auth;/);
    expect([...app.browser.cookies.keys()]).toContain("my-state");
    await expectSignedIn(app, await app.signIn());
  });

  it("are cleared when the sign-in is finished", async () => {
    const app = createApp(op, [oidc(op, all)]);
    await expectSignedIn(app, await app.signIn());
    expect(attemptCookies(app)).toEqual([]);
  });

  it("are cleared when it fails, and cannot be used again", async () => {
    const app = createApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.start());
    op.script.claims = (claims) => ({ ...claims, iss: "https://evil.example" });
    await expectRefused(app, await app.finish(callback));
    op.script = {};
    app.errors.length = 0;
    await expectRefused(app, await app.finish(callback), "signin?error=InvalidCheck");
  });

  it("of Auth.js are understood", async () => {
    const app = createApp(op, [oidc(op)]);
    const url = new URL(await app.start());
    const verifier = "v".repeat(43);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    url.searchParams.set("code_challenge", Buffer.from(digest).toString("base64url"));
    const token = { value: verifier, provider: "op" };
    app.browser.cookies.set(PKCE, await encode({ token, secret: SECRET, salt: PKCE, maxAge: 900 }));
    await expectSignedIn(app, await app.finish(await op.authorize(url.href)));
  });
});

describe("an attempt is refused", () => {
  type Spoil = (app: App) => void | Promise<void>;
  const sealed = (name: string, token: Record<string, unknown>, maxAge = 900) =>
    encode({ token, secret: SECRET, salt: name, maxAge });

  const spoiled: Record<string, Spoil> = {
    "without any cookie": ({ browser }) => browser.cookies.clear(),
    "without its verifier": ({ browser }) => void browser.cookies.delete(PKCE),
    "without its state": ({ browser }) => void browser.cookies.delete(STATE),
    "without its nonce": ({ browser }) => void browser.cookies.delete(NONCE),
    "with an empty cookie": ({ browser }) => void browser.cookies.set(PKCE, ""),
    "with nonsense": ({ browser }) => void browser.cookies.set(PKCE, "nonsense"),
    // Not the last letter: two bits of it stand for nothing.
    "with a changed cookie": ({ browser }) =>
      void browser.cookies.set(
        PKCE,
        (browser.cookies.get(PKCE) ?? "").replace(/.(?=.$)/, (one) => (one === "_" ? "-" : "_")),
      ),
    "with percent signs": ({ browser }) => void browser.cookies.set(NONCE, "%E0%A4%A"),
    "with the cookie of another check": ({ browser }) =>
      void browser.cookies.set(PKCE, browser.cookies.get(STATE) ?? ""),
    "with a session token in its place": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed("authjs.session-token", { sub: "1" })),
    "with a cookie that holds no check": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { provider: "op" })),
    "with a cookie of another provider": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { value: "v", provider: "other" })),
    "with a cookie of another attempt": async ({ browser }) =>
      void browser.cookies.set(PKCE, await sealed(PKCE, { value: "v", provider: "op" })),
    "with a cookie under another secret": async ({ browser }) =>
      void browser.cookies.set(
        PKCE,
        await encode({
          token: { value: "v", provider: "op" },
          secret: "another secret of more than 32 characters",
          salt: PKCE,
        }),
      ),
  };

  it.each(Object.entries(spoiled))("%s", async (_, spoil) => {
    const app = createApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.start());
    await spoil(app);
    const response = await app.finish(callback);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/signin?error=InvalidCheck`);
    expect(await isSignedIn(app)).toBe(false);
    expect(op.count("/token")).toBe(0);
    // And the next one goes through.
    app.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it.each([
    ["without its state", (params: URLSearchParams) => params.delete("state")],
    ["with another state", (params: URLSearchParams) => params.set("state", "x".repeat(43))],
    ["with an empty state", (params: URLSearchParams) => params.set("state", "")],
    ["with another browser's state", (params: URLSearchParams) => params.append("state", "y")],
  ])("%s in the callback", async (_, answer) => {
    op.script = { answer };
    const app = createApp(op, [oidc(op, all)]);
    const response = await app.signIn();
    expect(await isSignedIn(app)).toBe(false);
    expect([302, 400]).toContain(response.status);
    expect(op.count("/token")).toBe(0);
  });

  it("after fifteen minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const app = createApp(op, [oidc(op, all)]);
      const callback = await op.authorize(await app.start());
      vi.setSystemTime(Date.now() + 930_000);
      await expectRefused(app, await app.finish(callback), "signin?error=InvalidCheck");
    } finally {
      vi.useRealTimers();
    }
  });

  it("in another browser, which login CSRF would use", async () => {
    const app = createApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.start());
    const victim = createBrowser((request) => app.auth.fetch(request));
    const response = await app.finish(callback, victim);
    expect(response.headers.get("location")).toContain("error=InvalidCheck");
    expect(await victim.session()).toBeNull();
    // The attempt of the browser that started it still runs.
    app.errors.length = 0;
    await expectSignedIn(app, await app.finish(callback));
  });

  it("with a code of another attempt", async () => {
    const app = createApp(op, [oidc(op)]);
    const attacker = createApp(op, [oidc(op)]);
    const stolen = new URL((await op.authorize(await app.start())).url);
    const own = new URL((await op.authorize(await attacker.start())).url);
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    await expectRefused(attacker, await attacker.finish({ url: own.href }));
  });

  it("a second time", async () => {
    const app = createApp(op, [oidc(op, all)]);
    const callback = await op.authorize(await app.start());
    await expectSignedIn(app, await app.finish(callback));
    const again = await app.finish(callback);
    expect(again.headers.get("location")).toContain("error=InvalidCheck");
  });
});

describe("several attempts in one browser", () => {
  it("end where each was started, in any order", async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const app = createApp(op, [oidc(op)]);
      const callbacks = [];
      for (const page of ["/a", "/b", "/c"]) {
        callbacks.push(await op.authorize(await app.start("op", { callbackUrl: page })));
      }
      for (const at of order) {
        const response = await app.finish(callbacks[at]!);
        expect(response.headers.get("location")).toBe(`${ORIGIN}/${"abc"[at]}`);
      }
      expect(app.errors).toEqual([]);
      expect(attemptCookies(app)).toEqual([]);
    }
  });

  it("have a state and names of their own from the second on", async () => {
    const app = createApp(op, [oidc(op)]);
    expect(new URL(await app.start()).searchParams.has("state")).toBe(false);
    expect(attemptCookies(app)).toEqual([PKCE]);
    const state = new URL(await app.start()).searchParams.get("state") ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(state));
    const handle = Buffer.from(digest).toString("base64url").slice(0, 12);
    expect(attemptCookies(app)).toEqual([PKCE, `${PKCE}.${handle}`, `${STATE}.${handle}`]);
  });

  it("leave the others alone, on success and on failure", async () => {
    const app = createApp(op, [oidc(op)]);
    const first = await op.authorize(await app.start());
    const second = await op.authorize(await app.start());
    const third = await op.authorize(await app.start());
    const before = attemptCookies(app);
    op.script.claims = (claims) => ({ ...claims, iss: "https://evil.example" });
    await app.finish(second);
    op.script = {};
    expect(attemptCookies(app)).toHaveLength(before.length - 2);
    app.errors.length = 0;
    await expectSignedIn(app, await app.finish(third));
    expect(attemptCookies(app)).toEqual([PKCE]);
    await expectSignedIn(app, await app.finish(first));
  });

  it("do not let a stale one break a newer one", async () => {
    const app = createApp(op, [oidc(op, { checks: ["pkce", "state"] })]);
    const stale = await op.authorize(await app.start());
    const newer = await op.authorize(await app.start());
    await expectSignedIn(app, await app.finish(newer));
    await app.finish(stale);
    const again = await op.authorize(await app.start());
    await app.finish(stale);
    await expectSignedIn(createAppWith(app), await app.finish(again));
  });

  it("do not mix their cookies", async () => {
    const app = createApp(op, [oidc(op, all)]);
    await app.start();
    const second = await op.authorize(await app.start());
    const third = await op.authorize(await app.start());
    const [a, b] = [second, third].map(({ url }) => {
      const name = attemptCookies(app).filter((one) => one.startsWith(`${PKCE}.`));
      return { url, name };
    });
    const names = a!.name;
    const [one, two] = [app.browser.cookies.get(names[0]!), app.browser.cookies.get(names[1]!)];
    app.browser.cookies.set(names[0]!, two ?? "");
    app.browser.cookies.set(names[1]!, one ?? "");
    for (const { url } of [a!, b!]) {
      const response = await app.finish({ url });
      expect(response.headers.get("location")).toContain("error=InvalidCheck");
    }
    expect(await isSignedIn(app)).toBe(false);
  });

  it("are at most five beside the first: the oldest has to go", async () => {
    const app = createApp(op, [oidc(op)]);
    const callbacks = [];
    for (let i = 0; i < 8; i++) callbacks.push(await op.authorize(await app.start()));
    expect(attemptCookies(app)).toHaveLength(1 + 5 * 2);
    for (const gone of callbacks.slice(1, 3)) {
      const response = await app.finish(gone);
      expect(response.headers.get("location")).toContain("error=InvalidCheck");
    }
    app.errors.length = 0;
    for (const callback of [callbacks[0]!, ...callbacks.slice(3)]) {
      await expectSignedIn(app, await app.finish(callback));
    }
    expect(attemptCookies(app)).toEqual([]);
  });

  it("do not fit more into a request than servers take", async () => {
    const app = createApp(op, [oidc(op, all)]);
    for (let i = 0; i < 8; i++) await app.start("op", { callbackUrl: `/${"x".repeat(900)}` });
    const header = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    // Node answers 431 beyond 16 kB.
    expect(header.length).toBeLessThan(14_000);
    for (const value of app.browser.cookies.values()) expect(value.length).toBeLessThan(3900);
  });

  it("are not started by a browser that only has other cookies", async () => {
    const app = createApp(op, [oidc(op)]);
    app.browser.cookies.set(`${PKCE}.nonsense`, "x");
    app.browser.cookies.set(`${STATE}2`, "x");
    app.browser.cookies.set("authjs.nonces", "x");
    expect(new URL(await app.start()).searchParams.has("state")).toBe(false);
  });

  it("survive junk beside them", async () => {
    const app = createApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.start());
    app.browser.cookies.set(NONCE, "junk");
    app.browser.cookies.set(STATE, await encode({ token: {}, secret: SECRET, salt: STATE }));
    await expectSignedIn(app, await app.finish(callback));
    expect(attemptCookies(app)).toEqual([]);
  });

  it("survive what another start at the same moment left", async () => {
    const app = createApp(op, [oidc(op), oidc(op, { id: "other", ...all })]);
    await app.start("other");
    const left = [...app.browser.cookies].filter(([name]) => [STATE, NONCE].includes(name));
    app.browser.cookies.delete(STATE);
    app.browser.cookies.delete(NONCE);
    app.browser.cookies.delete(PKCE);
    const callback = await op.authorize(await app.start("op"));
    for (const [name, value] of left) app.browser.cookies.set(name, value);
    await expectSignedIn(app, await app.finish(callback));
    expect(attemptCookies(app)).toEqual([NONCE, STATE]);
  });

  it("survive junk under the plain name", async () => {
    const app = createApp(op, [oidc(op)]);
    app.browser.cookies.set(PKCE, "junk");
    await expectSignedIn(app, await app.signIn());
  });

  it("end with another provider's refusal only for that provider", async () => {
    const app = createApp(op, [oidc(op), oidc(op, { id: "other" })]);
    const first = await op.authorize(await app.start("op"));
    await app.finish({ url: `${ORIGIN}/auth/callback/other?error=access_denied` });
    app.errors.length = 0;
    await expectSignedIn(app, await app.finish(first));
  });
});

function createAppWith(app: App): App {
  app.errors.length = 0;
  return app;
}

describe("a mix-up of providers", () => {
  it("is found out", async () => {
    const honest = oidc(op, { id: "honest" });
    const evil = await startOp();
    try {
      for (const checks of [["pkce"], ["pkce", "state"], ["state", "nonce"]] as const) {
        const app = createApp(op, [{ ...honest, checks }, oidc(evil, { id: "evil", checks })]);
        const callback = new URL((await op.authorize(await app.start("honest"))).url);
        const stolen = `${ORIGIN}/auth/callback/evil${callback.search}`;
        const response = await app.finish({ url: stolen });
        expect(response.headers.get("location")).toContain("error=InvalidCheck");
        expect(evil.count("/token")).toBe(0);
        expect(await isSignedIn(app)).toBe(false);
      }
    } finally {
      await evil.close();
    }
  });
});

describe("a provider's refusal", () => {
  it.each(["access_denied", "login_required", "temporarily_unavailable", "<script>"])(
    "%s is told, even without cookies",
    async (error) => {
      const app = createApp(op, [oidc(op, all)]);
      const callback = await op.authorize(await app.start(), error);
      app.browser.cookies.clear();
      await expectRefused(app, await app.finish(callback), "signin?error=OAuthCallbackError");
    },
  );

  it("clears its attempt", async () => {
    const app = createApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.start(), "access_denied");
    await expectRefused(app, await app.finish(callback), "signin?error=OAuthCallbackError");
    app.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it("of another issuer is none (RFC 9207)", async () => {
    op.script = { answer: (params) => params.set("iss", "https://evil.example") };
    const app = createApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.start(), "access_denied");
    await expectRefused(app, await app.finish(callback), "signin?error=InvalidCheck");
  });

  it("is told while the provider cannot be asked", async () => {
    const app = createApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.start(), "access_denied");
    const other = createApp(op, [oidc(op)]);
    other.browser.cookies.clear();
    for (const [name, value] of app.browser.cookies) other.browser.cookies.set(name, value);
    op.script.takeover = {
      "/.well-known/openid-configuration": (_, response) => void response.writeHead(503).end(),
    };
    await expectRefused(other, await other.finish(callback), "signin?error=OAuthCallbackError");
  });
});
