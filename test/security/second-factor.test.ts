import { describe, expect, it } from "vitest";
import type { AccountPageData } from "../../plugins/pages/account.ts";
import { InvalidSecondFactor } from "../../plugins/security/second-factor.ts";
import { type AuthClient, createAuthClient } from "../../src/client.ts";
import { type AuthContext, type Plugin, resumeLogin } from "../../src/kernel.ts";
import { type Browser, createClock } from "../../src/testing.ts";
import { isSignedIn, locationOf, LOVELACE, ORIGIN, queryOf, setCookieNames } from "../_app.ts";
import { openPage, toFetch } from "../client/_page.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  enterPassword,
  open,
  openPaused,
  readMessage,
  SETUP,
  submit,
  wrongCode,
} from "./_second-factor.ts";

describe.each(["jwt", "database", "hybrid"])("second factor, %s sessions", (strategy) => {
  it("a user without a second factor signs in with only the first factor", async () => {
    const { browser } = createFactorApp({ strategy });
    expect(locationOf(await enterPassword(browser))).toBe("/inbox");
    expect(await isSignedIn(browser)).toBe(true);
    expect(locationOf(await browser.get(CHALLENGE))).toBe("/inbox");
  });

  it("a user with a second factor gets a session with a code, and none before", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy });
    expect(factor.recoveryCodes).toHaveLength(10);
    const browser = await openPaused(app);
    expect(await isSignedIn(browser)).toBe(false);
    expect(locationOf(await browser.get("/auth/account"))).toMatch(/^\/auth\/signin/);

    clock.advance("30 seconds");
    const response = await answer(browser, codeOf(factor));
    expect(locationOf(response)).toBe("/inbox");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(app.events).toEqual([]);
    expect(app.notices).toEqual([["passed", userId]]);
  });

  it("a wrong code gets no session, is reported, and the page asks again", async () => {
    const { app, factor, userId } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const response = await answer(browser, wrongCode(factor));
    expect(locationOf(response)).toBe(`${CHALLENGE}?error=InvalidSecondFactor`);
    expect(readMessage(await open(browser, locationOf(response)))).toMatch(/^That code isn’t/);
    expect(await isSignedIn(browser)).toBe(false);
    expect(app.events).toEqual([["failed", userId]]);
  });

  it("a listener of refused codes receives the user, a public error and the request", async () => {
    const seen: unknown[] = [];
    const listener: Plugin = {
      name: "listener",
      setup: ({ events }) =>
        void events.hook("secondFactorFailed", ({ user, error }, { ctx }) => {
          seen.push([user.name, error instanceof InvalidSecondFactor, ctx?.url.pathname]);
        }),
    };
    const { app } = await createAdasApp({ strategy, use: [listener] });
    await answer(await openPaused(app), "");
    expect(seen).toEqual([["Ada", true, CHALLENGE]]);
  });

  it("a code is accepted once: not again after the set-up or in another browser", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const [first, second] = [await openPaused(app), await openPaused(app)];
    expect(queryOf(await answer(first, codeOf(factor)))).toEqual({ error: "InvalidSecondFactor" });

    clock.advance("30 seconds");
    const code = codeOf(factor);
    expect(locationOf(await answer(first, code))).toBe("/inbox");
    expect(queryOf(await answer(second, code))).toEqual({ error: "InvalidSecondFactor" });
    expect(await isSignedIn(second)).toBe(false);
  });

  it("of one code that many logins post concurrently, exactly one gets a session", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const paused = await Promise.all(Array.from({ length: 4 }, () => openPaused(app)));
    // And with copies of the first login's cookies.
    const copies = Array.from({ length: 4 }, () => {
      const copy = app.openBrowser();
      for (const [name, value] of paused[0]!.cookies) copy.cookies.set(name, value);
      return copy;
    });
    clock.advance("30 seconds");
    const browsers = [...paused, ...copies];
    await Promise.all(browsers.map((browser) => answer(browser, codeOf(factor))));
    const signedIn = await Promise.all(browsers.map(isSignedIn));
    expect(signedIn.filter(Boolean)).toHaveLength(1);
  });

  it("a code of an earlier step than the last accepted one is refused, even if the clock is set back", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    clock.advance("90 seconds");
    await answer(await openPaused(app), codeOf(factor));
    const browser = await openPaused(app);
    // Within the window, and never used.
    const earlier = codeOf(factor, clock.now - 30_000);
    expect(queryOf(await answer(browser, earlier))).toEqual({ error: "InvalidSecondFactor" });
    clock.advance("-60 seconds");
    expect(queryOf(await answer(browser, codeOf(factor)))).toEqual({
      error: "InvalidSecondFactor",
    });
    clock.advance("2 minutes");
    expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/inbox");
  });

  it("codes inside the window are accepted, and others are refused", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    clock.advance("5 minutes");
    const browser = await openPaused(app);
    for (const offset of [-60_000, 60_000]) {
      const code = codeOf(factor, clock.now + offset);
      expect(queryOf(await answer(browser, code))).toEqual({ error: "InvalidSecondFactor" });
    }
    expect(locationOf(await answer(browser, codeOf(factor, clock.now - 30_000)))).toBe("/inbox");
    const other = await openPaused(app);
    expect(locationOf(await answer(other, codeOf(factor, clock.now + 30_000)))).toBe("/inbox");
  });

  it("window: 0 accepts only the current code", async () => {
    using clock = createClock(600_000_000);
    const { app, factor } = await createAdasApp({ strategy, factor: { window: 0 } });
    clock.advance("5 minutes");
    const browser = await openPaused(app);
    const late = codeOf(factor, clock.now - 30_000);
    expect(queryOf(await answer(browser, late))).toEqual({ error: "InvalidSecondFactor" });
    expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/inbox");
  });

  it("a signed-in user who signs in again is asked again", async () => {
    const { app } = await createAdasApp({ strategy });
    expect(locationOf(await enterPassword(app.browser))).toBe(CHALLENGE);
  });

  it("a recovery code is accepted once, in place of a code, in the spellings that users type", async () => {
    const { app, factor, userId } = await createAdasApp({ strategy });
    const [code = "", second = "", third = ""] = factor.recoveryCodes;
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){5}$/);
    const browser = await openPaused(app);
    const page = await open(browser, CHALLENGE);
    expect(page).toContain("Use a recovery code");
    expect(locationOf(await answer(browser, ` ${code.toUpperCase().replaceAll("-", " ")}`))).toBe(
      "/inbox",
    );
    const other = await openPaused(app);
    expect(queryOf(await answer(other, code))).toEqual({ error: "InvalidSecondFactor" });
    const typed = second.replaceAll("0", "O").replaceAll("1", "l").replaceAll("-", "–");
    expect(locationOf(await answer(other, typed))).toBe("/inbox");
    // As a Japanese keyboard types it.
    const wide = third.replaceAll(/[0-9a-z]/g, (character) =>
      String.fromCharCode(character.charCodeAt(0) + 0xfee0),
    );
    expect(locationOf(await answer(await openPaused(app), wide))).toBe("/inbox");
    expect(app.notices).toEqual(Array.from({ length: 3 }, () => ["used", userId]));
  });

  it("of one recovery code that is posted many times concurrently, exactly one gets a session", async () => {
    const { app, factor } = await createAdasApp({ strategy });
    const browsers = await Promise.all(Array.from({ length: 6 }, () => openPaused(app)));
    await Promise.all(browsers.map((browser) => answer(browser, factor.recoveryCodes[0] ?? "")));
    const signedIn = await Promise.all(browsers.map(isSignedIn));
    expect(signedIn.filter(Boolean)).toHaveLength(1);
  });

  it("different codes that are posted concurrently all count", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    clock.advance("30 seconds");
    const codes = [...factor.recoveryCodes.slice(0, 3), codeOf(factor)];
    const browsers = await Promise.all(codes.map(() => openPaused(app)));
    const responses = await Promise.all(
      browsers.map((browser, at) => answer(browser, codes[at] ?? "")),
    );
    expect(responses.map(locationOf)).toEqual(["/inbox", "/inbox", "/inbox", "/inbox"]);
    expect(await open(browsers[0]!, SETUP)).toContain("You have 7 unused recovery codes.");
  });

  it("a copied cookie of a paused login gets no session after the login", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const thief = app.openBrowser();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    clock.advance("30 seconds");
    await answer(browser, codeOf(factor));
    clock.advance("30 seconds");
    expect(queryOf(await answer(thief, codeOf(factor)))).toEqual({ error: "InvalidCheck" });
    expect(await isSignedIn(thief)).toBe(false);
    app.log.expectErrors("InvalidCheck");
  });

  it("a login waits for five minutes, and requires its cookie", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const csrfToken = await browser.csrfToken();
    clock.advance("6 minutes");
    const late = await browser.post(CHALLENGE, { csrfToken, code: codeOf(factor) });
    expect(queryOf(late)).toEqual({ error: "InvalidCheck" });
    expect(await isSignedIn(browser)).toBe(false);
    app.log.expectErrors("InvalidCheck");
  });

  it("a right code that is posted again while the next page loads redirects to the same target", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    clock.advance("30 seconds");
    const browser = await openPaused(app);
    const page = await open(browser, CHALLENGE);
    const post = () => submit(browser, page, CHALLENGE, { code: codeOf(factor) });
    expect(locationOf(await post())).toBe("/inbox");
    const again = locationOf(await post());
    expect(again).toBe(`${CHALLENGE}?error=MissingCSRF`);
    expect(locationOf(await browser.get(again))).toBe("/inbox");
    app.log.expectErrors("MissingCSRF");
    expect(locationOf(await app.openBrowser().get(CHALLENGE))).toBe("/auth/signin");
    // A page that is its own target does not redirect to itself either.
    const own = locationOf(await browser.get(`${CHALLENGE}?callbackUrl=${CHALLENGE}`));
    expect(own).toBe("/auth/signin");
  });

  it("a code without the browser's CSRF token is refused", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    clock.advance("30 seconds");
    const response = await browser.post(CHALLENGE, { code: codeOf(factor) });
    expect(locationOf(response)).toBe(`${CHALLENGE}?error=MissingCSRF`);
    expect(await isSignedIn(browser)).toBe(false);
    expect(readMessage(await open(browser, locationOf(response)))).toMatch(/page expired/);
    expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/inbox");
    app.log.expectErrors("MissingCSRF");
  });

  it("the pages of two plugins do not bypass one another", async () => {
    using clock = createClock();
    let mustAccept = false;
    const terms: Plugin = {
      name: "terms",
      setup(kernel) {
        const handler = (ctx: AuthContext) => resumeLogin(ctx, "terms");
        kernel.addRoute({ method: "POST", path: "/terms", handler });
        kernel.hooks.login.tap({ name: "terms", stage: "first" }, (_, { base }) =>
          mustAccept ? `${base}/terms` : undefined,
        );
      },
    };
    const { app, factor } = await createAdasApp({ strategy, use: [terms] });
    mustAccept = true;
    const browser = await openPaused(app);
    const csrfToken = await browser.csrfToken();
    expect(queryOf(await browser.post("/auth/terms", { csrfToken }))).toEqual({
      error: "InvalidCheck",
    });
    clock.advance("30 seconds");
    const code = codeOf(factor);
    expect(locationOf(await answer(browser, code))).toBe("/auth/terms");
    expect(queryOf(await browser.post(CHALLENGE, { csrfToken, code }))).toEqual({
      error: "InvalidCheck",
    });
    expect(await isSignedIn(browser)).toBe(false);
    expect(locationOf(await browser.post("/auth/terms", { csrfToken }))).toBe("/inbox");
    expect(await isSignedIn(browser)).toBe(true);
    app.log.expectErrors("InvalidCheck", "InvalidCheck");
  });

  it("the application's redirect callback neither loses nor bypasses the page", async () => {
    const { app } = await createAdasApp({ strategy, callbacks: { redirect: () => "/home" } });
    const browser = app.openBrowser();
    expect(locationOf(await enterPassword(browser))).toBe(CHALLENGE);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("auth.signIn() also redirects to the page, and starts no session", async () => {
    const { app } = await createAdasApp({ strategy });
    const request = new Request(ORIGIN);
    const options = { ...LOVELACE, redirect: false };
    expect(await app.auth.signIn(request, "credentials", options)).toBe(ORIGIN + CHALLENGE);
    const response = (await app.auth.signIn(request, "credentials", LOVELACE)) as Response;
    expect(setCookieNames(response)).toContain("keyhook.pending-login");
    expect(setCookieNames(response)).not.toContain("authjs.session-token");
  });
});

describe("second factor by the client, without leaving the page", () => {
  const quiet = { redirect: false } as const;
  const openClient = (browser: Browser) => createAuthClient({ fetch: toFetch(browser) });
  const enter = (client: AuthClient) => client.signIn("credentials", { ...LOVELACE, ...quiet });

  it("signIn reports the required second factor, call posts it, and the session is read", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp();
    clock.advance("30 seconds");
    openPage();
    const client = openClient(app.openBrowser());
    const url = ORIGIN + CHALLENGE;
    expect(await enter(client)).toEqual({ ok: true, status: 200, url, secondFactor: "code" });
    expect(await client.getSession()).toBeNull();
    const post = (code: string) => client.call<{ url: string }>("/second-factor", { code });
    await expect(post(wrongCode(factor))).rejects.toMatchObject({
      type: "InvalidSecondFactor",
      status: 401,
      message: expect.stringMatching(/^The code/),
    });
    const watch = client.watchSession({ session: null });
    const stop = watch.subscribe(() => {});
    expect((await post(codeOf(factor))).url).toMatch(ORIGIN);
    expect(watch.read().status).toBe("authenticated");
    stop();
    await expect(post(codeOf(factor))).rejects.toMatchObject({ type: "InvalidCheck", status: 400 });
    await expect(client.call("/second-factor")).rejects.toMatchObject({ type: "InvalidCheck" });
    app.log.expectErrors("InvalidCheck", "InvalidCheck");
  });

  it("signIn reports no second factor if none is required", async () => {
    const client = openClient(createFactorApp().browser);
    const result = await enter(client);
    expect(result.ok && result.secondFactor).toBeUndefined();
  });

  it("a required second factor is set up with the key and the recovery codes as data", async () => {
    const { browser, log } = createFactorApp({ factor: { required: true } });
    const client = openClient(browser);
    expect(await enter(client)).toMatchObject({ secondFactor: "setup" });
    type Data<T> = { data: T };
    const { data } =
      await client.call<Data<{ key: string; uri: string; setup: string }>>("/second-factor");
    expect(data.uri).toContain(`secret=${data.key}`);
    const { key, setup } = data;
    const post = (fields: object) =>
      client.call<Data<{ recoveryCodes: string[]; url: string }>>("/second-factor", fields);
    const wrong = post({ setup, code: wrongCode({ key }) });
    await expect(wrong).rejects.toMatchObject({ type: "InvalidSecondFactor", status: 401 });
    const stale = post({ setup: "x", code: codeOf({ key }) });
    await expect(stale).rejects.toMatchObject({ type: "InvalidCheck", status: 400 });
    const made = await post({ setup, code: codeOf({ key }) });
    expect(made.data.recoveryCodes).toHaveLength(10);
    expect(made.data.url).toMatch(ORIGIN);
    expect(await client.update()).toMatchObject({ user: { name: "Ada" } });
    log.expectErrors("InvalidCheck");
  });

  it("a second factor is managed by data, and turned off by a recovery code", async () => {
    const { app, factor } = await createAdasApp();
    const { call } = openClient(app.browser);
    const read = () => call<AccountPageData>("/account");
    expect((await read()).data.secondFactor).toEqual({ on: true, recoveryCodes: 10 });
    const wrong = call("/second-factor/remove", { code: wrongCode(factor) });
    await expect(wrong).rejects.toMatchObject({ type: "InvalidSecondFactor", status: 401 });
    const { data } = await call<{ data: object }>("/second-factor/setup");
    expect(data).toMatchObject({ recoveryCodes: 10, renewal: expect.any(String) });
    const [first = "", second = ""] = factor.recoveryCodes;
    const renewed = await call<{ data: { recoveryCodes: string[] } }>(
      "/second-factor/recovery-codes",
      { ...data, code: first },
    );
    expect(renewed.data.recoveryCodes).not.toContain(second);
    await call("/second-factor/remove", { code: renewed.data.recoveryCodes[0] });
    expect((await read()).data.secondFactor).toEqual({ on: false, recoveryCodes: 0 });
  });
});
