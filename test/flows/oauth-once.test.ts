import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import type { Plugin, StoreBackend } from "../../src/kernel.ts";
import { createIdentityProvider, createTestAuth } from "../../src/testing/testing.ts";
import { isSignedIn, ORIGIN } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createOAuthApp, oauth, type OAuthApp, oidc } from "./_oauth.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

const SESSION = "authjs.session-token";
const all = ["pkce", "state", "nonce"] as const;
const toCookie = (cookies: Iterable<[string, string]>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const sharing = (backend: StoreBackend): Plugin => ({
  name: "shared",
  setup: (kernel) => kernel.setStore(backend),
});

// A provider that redeems a code any number of times.
const generous = (more = {}) =>
  oauth(op, {
    ...more,
    token: {
      url: `${op.issuer}/token`,
      request: () => ({ tokens: { access_token: "at", token_type: "bearer" } }),
    },
    userinfo: { request: () => ({ id: "7", name: "Grace" }) },
  } as never);

/** Sends the same callback to each application, and returns how many responses set a session. */
async function race(apps: OAuthApp[], times: number): Promise<number> {
  const [first] = apps as [OAuthApp];
  const { url } = await op.authorize(await first.startSignIn());
  const cookie = toCookie(first.browser.cookies);
  const { pathname, search } = new URL(url);
  const responses = await Promise.all(
    Array.from({ length: times }, (_, at) => {
      const request = new Request(ORIGIN + pathname + search, { headers: { cookie } });
      return (apps[at % apps.length] as OAuthApp).auth.fetch(request);
    }),
  );
  const isSet = (one: Response) =>
    one.headers.getSetCookie().some((set) => set.startsWith(`${SESSION}=ey`));
  const others = responses.filter((one) => !isSet(one)).map((one) => one.headers.get("location"));
  expect(new Set(others)).toEqual(new Set([`${ORIGIN}/auth/signin?error=InvalidCheck`]));
  return responses.filter(isSet).length;
}

describe("an OAuth attempt is accepted once", () => {
  it.each([["pkce"], ["state"], ["pkce", "state"]] as const)(
    "50 parallel callbacks with copied cookies make one session (checks: %s %s)",
    async (...checks) => {
      const app = createOAuthApp(op, [generous({ checks })], { errors: "allowed" });
      expect(await race([app], 50)).toBe(1);
    },
  );

  it("50 parallel callbacks at three processes that share a store make one session", async () => {
    const backend = memoryBackend();
    const apps = [1, 2, 3].map(() =>
      createOAuthApp(op, [generous()], { errors: "allowed", use: [sharing(backend)] }),
    );
    expect(await race(apps, 50)).toBe(1);
  });

  it("each of two attempts in a browser is accepted once, and does not use up the other", async () => {
    const app = createOAuthApp(op, [generous()], { errors: "allowed" });
    const other = await op.authorize(await app.startSignIn());
    expect(await race([app], 10)).toBe(1);
    expect((await app.finishSignIn(other)).headers.get("location")).toBe(`${ORIGIN}/`);
  });

  it("a second callback redeems no code", async () => {
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    const callback = await op.authorize(await app.startSignIn());
    const kept = new Map(app.browser.cookies);
    await app.finishSignIn(callback);
    const redeemed = op.received.length;
    for (const [name, value] of kept) app.browser.cookies.set(name, value);
    await app.finishSignIn(callback);
    expect(op.received.length).toBe(redeemed);
  });

  it("a callback with a foreign state does not use up the attempt", async () => {
    const app = createOAuthApp(op, [generous({ checks: ["pkce", "state"] })], {
      errors: "allowed",
    });
    const callback = await op.authorize(await app.startSignIn());
    await app.browser.get("/auth/callback/op?code=x&state=foreign");
    await app.finishSignIn(callback);
    expect(await isSignedIn(app.browser)).toBe(true);
  });
});

describe("HEAD never signs in", () => {
  it("HEAD /callback/:provider changes nothing and leaves the attempt to the GET", async () => {
    const app = createOAuthApp(op, [oidc(op, { checks: all })]);
    const callback = await op.authorize(await app.startSignIn());
    const { pathname, search } = new URL(callback.url);
    const requests = op.received.length;
    for (const query of [search, "", "?error=access_denied"]) {
      const response = await app.auth.fetch(
        new Request(ORIGIN + pathname + query, {
          method: "HEAD",
          headers: { cookie: toCookie(app.browser.cookies) },
        }),
      );
      expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(await response.text()).toBe("");
    }
    expect(op.received.length).toBe(requests);
    expect(await isSignedIn(app.browser)).toBe(false);
    await app.finishSignIn(callback);
    expect(await isSignedIn(app.browser)).toBe(true);
  });
});

describe("linking an account whose provider posts its response from another site", () => {
  const EVE = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };

  function createLinkApp(strategy: "jwt" | "database" | "hybrid") {
    const idp = createIdentityProvider();
    const provider = {
      checks: [...all],
      authorization: { params: { response_mode: "form_post" } },
    };
    const providers = [
      idp.provider({ id: "first" }),
      idp.provider({ ...provider, id: "posting" }),
      idp.provider({ ...provider, id: "other" }),
    ];
    const adapter = adapterOn(memoryBackend());
    const app = createTestAuth(createAuth, {
      idp,
      adapter,
      providers,
      session: { strategy },
    });
    const owner = (provider: string, providerAccountId: string) =>
      adapter.getUserByAccount?.({ provider, providerAccountId });
    return { ...app, idp, owner };
  }

  type LinkApp = ReturnType<typeof createLinkApp>;

  /** Starts a link, and returns what the provider's site makes the browser post. */
  async function startLinking({ browser, idp }: LinkApp, provider = "posting", user = EVE) {
    const started = await browser.signIn(provider, { link: "true", callbackUrl: "/account" });
    return idp.authorize(started.headers.get("location") ?? "", user);
  }

  /** Posts as a browser does from another site: only with SameSite=None cookies. */
  function postCrossSite({ browser, idp }: LinkApp, url: string, fields = {}) {
    const sent = [...browser.cookies].filter(([name]) =>
      /pkce|state|nonce|browser\.post/.test(name),
    );
    const headers = { origin: new URL(idp.issuer).origin, cookie: toCookie(sent) };
    return browser.post(url, fields, { headers });
  }

  describe.each(["jwt", "database", "hybrid"] as const)("with %s sessions", (strategy) => {
    it("the account is linked to the user who requested it, whose session cookie is SameSite=Lax", async () => {
      const app = createLinkApp(strategy);
      await app.browser.signInAs(undefined, "first");
      const ada = await app.owner("first", "1");
      const { url, fields } = await startLinking(app);
      const posted = await postCrossSite(app, url, fields);
      expect([posted.status, posted.headers.get("location")]).toEqual([302, url]);
      const kept = posted.headers.getSetCookie().filter((one) => one.includes("posted-response"));
      expect(kept).toHaveLength(1);
      expect(kept[0]).toMatch(
        /^keyhook\.posted-response=ey.*; Max-Age=60; .*HttpOnly; SameSite=Lax$/,
      );
      expect(await app.owner("posting", "eve")).toBeNull();

      const linked = await app.browser.follow(posted, 1);
      expect(linked.headers.get("location")).toBe(`${ORIGIN}/account`);
      expect((await app.owner("posting", "eve"))?.id).toBe(ada?.id);
      const left = [...app.browser.cookies.keys()].filter((name) =>
        /pkce|state|nonce|posted/.test(name),
      );
      expect(left).toEqual([]);
      expect(app.log.errors).toEqual([]);
    });

    it("browser.signInAs() links through a posted response", async () => {
      const app = createLinkApp(strategy);
      await app.browser.signInAs(undefined, "first");
      await app.browser.signInAs(EVE, "posting", { link: "true" });
      expect((await app.owner("posting", "eve"))?.id).toBe((await app.owner("first", "1"))?.id);
    });
  });

  it("the account is linked while another attempt is in progress", async () => {
    const app = createLinkApp("jwt");
    await app.browser.signInAs(undefined, "first");
    await app.browser.signIn("other");
    const { url, fields } = await startLinking(app);
    const linked = await app.browser.follow(await postCrossSite(app, url, fields), 1);
    expect(linked.headers.get("location")).toBe(`${ORIGIN}/account`);
    expect(await app.owner("posting", "eve")).toMatchObject({ name: "Ada Lovelace" });
  });

  it("the account is linked by the post itself if the session cookie is sent with it", async () => {
    const app = createLinkApp("jwt");
    await app.browser.signInAs(undefined, "first");
    const { url, fields } = await startLinking(app);
    const headers = { origin: new URL(app.idp.issuer).origin };
    const linked = await app.browser.post(url, fields, { headers });
    expect(linked.headers.get("location")).toBe(`${ORIGIN}/account`);
    expect(await app.owner("posting", "eve")).toMatchObject({ name: "Ada Lovelace" });
  });

  it.each(["code=x", "state=foreign", "error=access_denied"])(
    "a callback with only %s in its query is processed, and a kept response stays",
    async (query) => {
      const app = createLinkApp("jwt");
      await app.browser.signInAs(undefined, "first");
      const { url, fields } = await startLinking(app);
      const posted = await postCrossSite(app, url, fields);
      const refused = await app.browser.get(`/auth/callback/posting?${query}`);
      expect(refused.headers.get("location")).toContain("error=");
      expect(await app.owner("posting", "eve")).toBeNull();
      await app.browser.follow(posted, 1);
      expect(await app.owner("posting", "eve")).toMatchObject({ name: "Ada Lovelace" });
      app.log.errors.length = 0;
    },
  );

  it("a sign-in that links nothing completes with the post itself", async () => {
    const app = createLinkApp("jwt");
    const started = await app.browser.signIn("posting");
    const { url, fields } = await app.idp.authorize(started.headers.get("location") ?? "", EVE);
    const response = await postCrossSite(app, url, fields);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(await isSignedIn(app.browser)).toBe(true);
  });

  it("a link is refused when the session has ended, and when another user is signed in", async () => {
    const app = createLinkApp("jwt");
    await app.browser.signInAs(undefined, "first");
    const start = await startLinking(app);
    await app.browser.signOut();
    const ended = await app.browser.follow(await postCrossSite(app, start.url, start.fields), 1);
    expect(ended.headers.get("location")).toContain("error=SessionRequired");

    await app.browser.signInAs(undefined, "first");
    const again = await startLinking(app);
    const mallory = app.openBrowser();
    await mallory.signInAs({ sub: "mallory", name: "Mallory" }, "first");
    app.browser.cookies.set(SESSION, mallory.cookies.get(SESSION) ?? "");
    const other = await app.browser.follow(await postCrossSite(app, again.url, again.fields), 1);
    expect(other.headers.get("location")).toContain("error=SessionRequired");
    expect(await app.owner("posting", "eve")).toBeNull();
    app.log.errors.length = 0;
  });

  it("a kept response belongs to one provider and one attempt, and is used once", async () => {
    const app = createLinkApp("jwt");
    await app.browser.signInAs(undefined, "first");
    const { url, fields } = await startLinking(app);
    await postCrossSite(app, url, fields);
    const kept = new Map(app.browser.cookies);
    await app.browser.get("/auth/callback/other");
    expect(await app.owner("other", "eve")).toBeNull();
    // The callback of the other provider does not end the attempt either.
    expect([...app.browser.cookies.keys()].filter((name) => /pkce|state/.test(name))).toHaveLength(
      2,
    );

    const mallory = app.openBrowser();
    await mallory.signInAs({ sub: "mallory", name: "Mallory" }, "first");
    mallory.cookies.set("keyhook.posted-response", kept.get("keyhook.posted-response") ?? "");
    await mallory.get("/auth/callback/posting");
    expect(await app.owner("posting", "eve")).toBeNull();

    for (let at = 0; at < 2; at++) {
      for (const [name, value] of kept) app.browser.cookies.set(name, value);
      const response = await app.browser.get("/auth/callback/posting");
      const target = at === 0 ? `${ORIGIN}/account` : `${ORIGIN}/auth/signin?error=InvalidCheck`;
      expect(response.headers.get("location")).toBe(target);
    }
    app.log.errors.length = 0;
  });

  it("a posted response with a foreign state or excessive length is refused, and the attempt continues", async () => {
    const app = createLinkApp("jwt");
    await app.browser.signInAs(undefined, "first");
    const { url, fields } = await startLinking(app);
    for (const forged of [
      { code: "x", state: "foreign" },
      { code: "x".repeat(20_000), state: "foreign" },
    ]) {
      const posted = await postCrossSite(app, url, forged);
      const refused =
        posted.headers.get("location") === url ? await app.browser.follow(posted, 1) : posted;
      expect(refused.headers.get("location")).toContain("error=InvalidCheck");
    }
    // Cookies for such a response would exceed what servers accept in the next request.
    const other = await startLinking(app);
    const endless = { ...other.fields, code: "x".repeat(20_000) };
    const long = await postCrossSite(app, other.url, endless);
    expect(long.headers.getSetCookie().filter((one) => /posted-response/.test(one))).toEqual([]);
    await app.browser.follow(await postCrossSite(app, url, fields), 1);
    expect(await app.owner("posting", "eve")).toMatchObject({ name: "Ada Lovelace" });
    app.log.errors.length = 0;
  });
});
