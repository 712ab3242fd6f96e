import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type Browser, createClock } from "../../src/testing.ts";
import { credentials, isSignedIn, locationOf, ORIGIN } from "../_app.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  openPaused,
  setUp,
  SETUP,
  submit,
  open,
  wrongCode,
} from "./_second-factor.ts";

const REFUSED = `${CHALLENGE}?error=InvalidSecondFactor`;

describe.each(["jwt", "database"])("limit of wrong codes, %s sessions", (strategy) => {
  it("after five wrong codes the right one is refused too, with the same response and page", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const wrong = await answer(browser, wrongCode(factor));
    const page = await open(browser, REFUSED);
    for (let count = 0; count < 4; count++) await answer(browser, wrongCode(factor));

    clock.advance("30 seconds");
    const refused = await answer(browser, codeOf(factor));
    expect(locationOf(refused)).toBe(REFUSED);
    expect([...refused.headers.keys()]).toEqual([...wrong.headers.keys()]);
    const withoutNonce = (html: string) => html.replaceAll(/nonce="[^"]*"/g, "");
    expect(withoutNonce(await open(browser, REFUSED))).toBe(withoutNonce(page));
    expect(await isSignedIn(browser)).toBe(false);
    expect(app.events).toEqual(Array.from({ length: 6 }, () => ["failed", userId]));
  });

  it("the limit holds for all logins and browsers of the user, recovery codes and the account", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let count = 0; count < 3; count++) await answer(await openPaused(app), "000");
    const setup = await open(app.browser, SETUP);
    for (const path of [`${CHALLENGE}/remove`, `${CHALLENGE}/recovery-codes`]) {
      await submit(app.browser, setup, path, { code: wrongCode(factor) });
    }
    clock.advance("30 seconds");
    const [recoveryCode = ""] = factor.recoveryCodes;
    expect(locationOf(await answer(await openPaused(app), recoveryCode))).toBe(REFUSED);
    const remove = { code: codeOf(factor) };
    const kept = await submit(app.browser, setup, `${CHALLENGE}/remove`, remove);
    expect(locationOf(kept)).toBe(`${SETUP}?error=InvalidSecondFactor`);
    expect(app.events.map(([name]) => name)).not.toContain("removed");
  });

  it("the limit ends 15 minutes after the first code that it refused", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let count = 0; count < 6; count++) {
      clock.advance("1 minute");
      await answer(await openPaused(app), wrongCode(factor));
    }
    clock.advance("14 minutes");
    expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe(REFUSED);
    clock.advance("61 seconds");
    expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe("/inbox");
  });

  it("a right code starts the count again", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) await answer(await openPaused(app), "");
      clock.advance("30 seconds");
      expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe("/inbox");
    }
  });

  it("of a hundred codes that are tried at once, five are looked at", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const csrfToken = await browser.csrfToken();
    clock.advance("30 seconds");
    const guesses = Array.from({ length: 100 }, () => wrongCode(factor));
    // The right one comes sixth.
    guesses.splice(5, 0, codeOf(factor));
    await Promise.all(guesses.map((code) => browser.post(CHALLENGE, { csrfToken, code })));
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("the limit of one user does not affect another", async () => {
    using clock = createClock();
    const anyone = credentials({ authorize: ({ username }) => ({ id: `id-${String(username)}` }) });
    const app = createFactorApp({ strategy, providers: [anyone] });
    const enter = (browser: Browser, username: string) =>
      browser.signInWith("credentials", { username });
    const grace = app.openBrowser();
    await enter(app.browser, "ada");
    await enter(grace, "grace");
    await setUp(app.browser);
    const factor = await setUp(grace);
    const browser = app.openBrowser();
    for (let count = 0; count < 6; count++) {
      await enter(browser, "ada");
      await answer(browser, wrongCode(factor));
    }
    await enter(browser, "grace");
    clock.advance("30 seconds");
    expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/");
  });
});

it("codes are used once, and counted, in all processes that share the store", async () => {
  using clock = createClock();
  const store = memoryBackend();
  const { app, factor } = await createAdasApp({ store });
  const others = Array.from({ length: 3 }, () => createFactorApp({ store }));
  const nodes = [app, ...others];
  clock.advance("30 seconds");
  const browsers = await Promise.all(nodes.map(openPaused));
  await Promise.all(browsers.map((browser) => answer(browser, codeOf(factor))));
  const signedIn = await Promise.all(browsers.map(isSignedIn));
  expect(signedIn.filter(Boolean)).toHaveLength(1);

  for (const node of [...nodes, app]) await answer(await openPaused(node), wrongCode(factor));
  clock.advance("30 seconds");
  expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe(REFUSED);
});

it("a page is answered alike for a wrong code and for none", async () => {
  const { app } = await createAdasApp();
  const browser = await openPaused(app);
  const csrfToken = await browser.csrfToken();
  const bodies = [{}, { code: "" }, { code: "1".repeat(10_000) }, { code: "١٢٣" }];
  for (const body of bodies as Record<string, string>[]) {
    expect(locationOf(await browser.post(CHALLENGE, { csrfToken, ...body }))).toBe(REFUSED);
  }
  const json = await browser.send(CHALLENGE, { json: { csrfToken, code: ["123456"] } });
  expect(json.headers.get("location")).toBe(ORIGIN + REFUSED);
  expect(await isSignedIn(browser)).toBe(false);
});
