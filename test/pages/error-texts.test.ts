import { describe, expect, it } from "vitest";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { type Browser, createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, locationOf, LOVELACE, ORIGIN, type TestAuth, toPath } from "../_app.ts";
import { all, type Markup, parse } from "./_parse.ts";

const ACCOUNT = `${ORIGIN}/auth/account`;
const GRACE = { sub: "2", name: "Grace", email: "grace@example.com", email_verified: true };

function createApp() {
  const idp = createIdentityProvider();
  const app = createTestAuth({
    passkey: {},
    errors: "allowed",
    preset: standardPreset,
    store: memoryBackend(),
    strategy: "database",
    idp,
    providers: [idp.provider()],
    mail: {},
    use: [rateLimit(false)],
  });
  return { ...app, idp };
}

async function signIn(app: TestAuth, email: string, browser = app.openBrowser()): Promise<Browser> {
  await app.requestLink(email, browser);
  await app.followLink(browser);
  return browser;
}

/** Presses the button that connects an account. `before` runs while the provider's page is open. */
async function connect(
  { idp }: ReturnType<typeof createApp>,
  browser: Browser,
  before: () => unknown = () => {},
): Promise<Response> {
  const started = await browser.post("/auth/signin/idp", {
    csrfToken: await browser.csrfToken(),
    callbackUrl: `${ACCOUNT}?done`,
    link: "true",
  });
  const location = started.headers.get("location") ?? "";
  if (!location.startsWith(idp.endpoints.authorization)) return started;
  await before();
  const { url } = await idp.authorize(location);
  return browser.get(toPath(url));
}

const readMessage = (markup: Markup, html: string) =>
  all(markup, "p").some(({ id }) => id === "message")
    ? /id="message"[^>]*>([^<]*)</.exec(html)?.[1]
    : undefined;

async function open(browser: Browser, url: string) {
  const response = await browser.get(url);
  const html = await response.text();
  const markup = parse(html);
  return { markup, message: readMessage(markup, html) };
}

describe("errors of actions that started on the account page", () => {
  it("connecting an account of another user is explained on the account page", async () => {
    const app = createApp();
    await app.openBrowser().signInAs(GRACE);
    const browser = await signIn(app, "ada@example.com");
    app.idp.user = GRACE;
    const target = locationOf(await connect(app, browser));
    expect(target).toBe("/auth/account?error=OAuthAccountNotLinked");
    const { message, markup } = await open(browser, target);
    expect(message).toContain("already belongs to another user, so nothing was changed");
    expect(markup.texts).toContain("Your account");
  });

  it("refusing at the provider returns to the account page, which says that nothing was changed", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    app.idp.refuse = "access_denied";
    const target = locationOf(await connect(app, browser));
    expect(target).toBe("/auth/account?error=OAuthCallbackError");
    const { message } = await open(browser, target);
    expect(message).toBe(
      "The request was canceled or couldn’t be completed, so nothing was changed. Try again.",
    );
  });

  it("a callback that is opened twice says that the attempt was used, and that the session continues", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    await connect(app, browser);
    const again = await browser.get("/auth/callback/idp?code=used&state=used");
    expect(locationOf(again)).toBe("/auth/account?error=InvalidCheck");
    expect((await open(browser, locationOf(again))).message).toContain("You’re still signed in.");
  });

  it("connecting after the session has ended redirects to the sign-in page, and back to the account page", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    browser.cookies.delete("authjs.session-token");
    const target = locationOf(await connect(app, browser));
    expect(target).toBe("/auth/signin?error=SessionRequired");
    const { message, markup } = await open(browser, target);
    expect(message).toBe("You’re not signed in, or your session has ended. Sign in to continue.");
    const targets = all(markup, "input").filter(({ name }) => name === "callbackUrl");
    expect(targets.map(({ value }) => value)).toEqual(targets.map(() => `${ACCOUNT}?done`));
    expect(targets.length).toBeGreaterThan(0);
  });

  it("connecting after another user has signed in says that it is another account", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    const response = await connect(app, browser, () => signIn(app, "mary@example.com", browser));
    expect(locationOf(response)).toBe("/auth/account?error=SessionRequired");
    const { message } = await open(browser, locationOf(response));
    expect(message).toMatch(/^You’re now signed in to a different account/);
  });

  it("the account page mentions cookies only for errors about cookies", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    const unknown = await open(browser, "/auth/account?error=NoSuchError");
    expect(unknown.message).toMatch(/^Something went wrong and nothing was changed\./);
    const csrf = await open(browser, "/auth/account?error=MissingCSRF");
    expect(csrf.message).toMatch(/^This page expired/);
  });

  it("an application's own tap of the error hook runs first", async () => {
    const app = createApp();
    app.auth.use({
      name: "test/own",
      setup({ hooks }) {
        hooks.error.tap("test/own", () => new Response("own", { status: 418 }));
      },
    });
    const browser = await signIn(app, "ada@example.com");
    app.idp.refuse = "access_denied";
    expect((await connect(app, browser)).status).toBe(418);
  });
});

describe("errors on the sign-in page and the error page", () => {
  it("refusing at the provider says that the sign-in was canceled", async () => {
    const app = createApp();
    app.idp.refuse = "access_denied";
    const response = await app.browser.signInAs().catch((error: Error) => error.message);
    expect(response).toContain("OAuthCallbackError");
    const { message } = await open(app.browser, "/auth/signin?error=OAuthCallbackError");
    expect(message).toMatch(/^Sign-in was canceled or couldn’t be completed\./);
  });

  it("a visitor with blocked cookies is asked to allow them", async () => {
    const app = createApp();
    const response = await app.browser.post("/auth/signin/idp", { csrfToken: "none" });
    expect(locationOf(response)).toBe("/auth/signin?error=MissingCSRF");
    const { message } = await open(app.browser, locationOf(response));
    expect(message).toContain("Allow cookies for this site and try again.");
  });

  it.each([
    ["jwt", "users that are not stored"],
    ...["jwt", "database", "hybrid"].map((strategy) => [strategy, "stored users"]),
  ])(
    "a form that is posted again after its sign-in, while the next page loads, redirects to the target, %s sessions, %s",
    async (strategy = "", users) => {
      using clock = createClock();
      const { browser, log } = createTestAuth({
        preset: standardPreset,
        ...(users === "stored users" && { store: memoryBackend() }),
        strategy,
        use: [rateLimit(false)],
      });
      const { markup } = await open(browser, "/auth/signin?callbackUrl=/inbox");
      const hidden = all(markup, "input").filter(({ type }) => type === "hidden");
      const fields = Object.fromEntries(hidden.map(({ name, value }) => [name, value]));
      const post = () => browser.post("/auth/callback/credentials", { ...fields, ...LOVELACE });
      expect(locationOf(await post())).toBe("/inbox");
      const again = locationOf(await post());
      expect(again).toBe("/auth/signin?error=MissingCSRF");
      expect(locationOf(await browser.get(again))).toBe("/inbox");
      log.expectErrors("MissingCSRF");

      // Later, the session may belong to another person at this machine.
      clock.advance("61 seconds");
      expect((await open(browser, again)).message).toMatch(/^This page expired/);
      // Without a session, there is no redirect either.
      browser.cookies.clear();
      expect((await open(browser, again)).message).toMatch(/^This page expired/);
    },
  );

  it("a callback that the browser delivers again after its sign-in redirects to the target", async () => {
    using clock = createClock();
    const app = createApp();
    const { browser, idp } = app;
    const csrfToken = await browser.csrfToken();
    const started = await browser.post("/auth/signin/idp", { csrfToken, callbackUrl: "/inbox" });
    const { url } = await idp.authorize(started.headers.get("location") ?? "");
    const deliver = () => browser.get(toPath(url));
    expect(locationOf(await deliver())).toBe("/inbox");
    const again = locationOf(await deliver());
    expect(again).toBe("/auth/signin?error=InvalidCheck");
    expect(locationOf(await browser.get(again))).toBe("/inbox");
    clock.advance("61 seconds");
    expect((await open(browser, again)).message).toContain("You’re still signed in.");
  });

  it("a sign-out form of an ended session redirects to the target, and a refused one is explained", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    const { message, markup } = await open(browser, "/auth/signout?error=MissingCSRF");
    expect(message).toMatch(/^This page expired/);
    expect(all(markup, "form")).toHaveLength(1);
    expect((await open(browser, "/auth/signout")).message).toBeUndefined();
    browser.cookies.delete("authjs.session-token");
    const response = await browser.get("/auth/signout?error=MissingCSRF&callbackUrl=/bye");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/bye`);
  });

  it("a target that is the sign-in page with such an error does not redirect to itself", async () => {
    const { browser } = createTestAuth({ preset: standardPreset, use: [rateLimit(false)] });
    const target = "/auth/signin?error=MissingCSRF";
    const signedIn = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: target });
    expect(locationOf(signedIn)).toBe(target);
    expect((await browser.get(target)).status).toBe(200);
  });

  it("a link that is followed twice redirects a signed-in user to the target, and others to request a new link", async () => {
    const app = createApp();
    const browser = await signIn(app, "ada@example.com");
    const again = "/auth/error?error=Verification";
    const known = await open(browser, again);
    expect(known.message).toContain("You’re signed in, so you don’t need a new one.");
    expect(known.markup.texts).not.toContain("Request a new link");
    const { message, markup } = await open(app.openBrowser(), again);
    expect(message).toMatch(/^Sign-in links work once/);
    expect(markup.texts).toContain("Request a new link");
  });

  it("a passkey of another account is explained differently with and without a session", async () => {
    const app = createApp();
    const path = "/auth/signin?error=AccountNotLinked";
    expect((await open(app.openBrowser(), path)).message).toMatch(/^An account with this passkey/);
    const browser = await signIn(app, "ada@example.com");
    expect((await open(browser, path)).message).toContain("To sign in with it, sign out first.");
  });
});
