import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type Browser, createBrowser, createClock } from "../../src/testing.ts";
import { credentials, isSignedIn, locationOf } from "../_app.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  enterPassword,
  openPaused,
  setUp,
  SETUP,
  submit,
  open,
  wrongCode,
} from "./_second-factor.ts";

const REFUSED = `${CHALLENGE}?error=InvalidSecondFactor`;

describe.each(["jwt", "database"])("limit of wrong codes, %s sessions", (strategy) => {
  it("after five wrong codes, the right one is refused too, with the same response and page", async () => {
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

  it("the limit holds for all logins and browsers of a client, and the account", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let count = 0; count < 3; count++) await answer(await openPaused(app), "000");
    const setup = await open(app.browser, SETUP);
    for (const path of [`${CHALLENGE}/remove`, `${CHALLENGE}/recovery-codes`]) {
      await submit(app.browser, setup, path, { code: wrongCode(factor) });
    }
    clock.advance("30 seconds");
    expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe(REFUSED);
    const remove = { code: codeOf(factor) };
    const kept = await submit(app.browser, setup, `${CHALLENGE}/remove`, remove);
    expect(locationOf(kept)).toBe(`${SETUP}?error=InvalidSecondFactor`);
    expect(app.events.map(([name]) => name)).not.toContain("removed");
  });

  it("the limit ends 15 minutes after the first refused code", async () => {
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

  it("a right code resets the count", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) await answer(await openPaused(app), "");
      clock.advance("30 seconds");
      expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe("/inbox");
    }
  });

  it("of a hundred concurrent codes, five are checked", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const csrfToken = await browser.csrfToken();
    clock.advance("30 seconds");
    const guesses = Array.from({ length: 100 }, () => wrongCode(factor));
    // The right code is the sixth.
    guesses.splice(5, 0, codeOf(factor));
    await Promise.all(guesses.map((code) => browser.post(CHALLENGE, { csrfToken, code })));
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("a recovery code is accepted when codes are locked, and has a limit of its own", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let count = 0; count < 7; count++) await answer(await openPaused(app), wrongCode(factor));
    const [first = "", second = ""] = factor.recoveryCodes;
    expect(locationOf(await answer(await openPaused(app), first))).toBe("/inbox");
    const wrong = "0000-0000-0000-0000-0000-0000";
    for (let count = 0; count < 6; count++) await answer(await openPaused(app), wrong);
    expect(locationOf(await answer(await openPaused(app), second))).toBe(REFUSED);
    clock.advance("16 minutes");
    expect(locationOf(await answer(await openPaused(app), second))).toBe("/inbox");
  });

  it("clients without a known address are not locked for a day", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    for (let round = 0; round < 5; round++) {
      const browser = await openPaused(app);
      for (let count = 0; count < 5; count++) await answer(browser, wrongCode(factor));
      clock.advance("16 minutes");
    }
    expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe("/inbox");
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

it("codes are used once, and counted, across all processes that share the store", async () => {
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

it("a wrong code and a missing code get the same page", async () => {
  const { app } = await createAdasApp();
  const browser = await openPaused(app);
  const csrfToken = await browser.csrfToken();
  const bodies = [{}, { code: "" }, { code: "1".repeat(10_000) }, { code: "١٢٣" }];
  for (const body of bodies as Record<string, string>[]) {
    expect(locationOf(await browser.post(CHALLENGE, { csrfToken, ...body }))).toBe(REFUSED);
  }
  const json = await browser.send(CHALLENGE, { json: { csrfToken, code: ["123456"] } });
  expect([json.status, await json.json()]).toMatchObject([401, { error: "InvalidSecondFactor" }]);
  expect(await isSignedIn(browser)).toBe(false);
});

describe("clients with addresses of their own", () => {
  const MALLORY = "198.51.100.7";
  const HOME = "192.0.2.1";
  const OFFICE = "2001:db8::1";

  async function createAddressed() {
    const { app, factor, userId } = await createAdasApp();
    const from = (ip: string) =>
      createBrowser(
        async (request) =>
          (await app.auth.handle(request, { ip })) ?? new Response(null, { status: 404 }),
      );
    const tryCode = async (ip: string, code: string) => {
      const browser = from(ip);
      await enterPassword(browser);
      return locationOf(await answer(browser, code));
    };
    return { app, factor, userId, tryCode };
  }

  it("wrong codes of an attacker who knows the password do not lock the user out elsewhere", async () => {
    using clock = createClock();
    const { factor, tryCode } = await createAddressed();
    for (let count = 0; count < 30; count++) {
      expect(await tryCode(MALLORY, wrongCode(factor))).toBe(REFUSED);
    }
    clock.advance("30 seconds");
    expect(await tryCode(MALLORY, codeOf(factor))).toBe(REFUSED);
    expect(await tryCode(HOME, codeOf(factor))).toBe("/inbox");
    expect(await tryCode(MALLORY, factor.recoveryCodes[0] ?? "")).toBe("/inbox");
    clock.advance("30 seconds");
    expect(await tryCode(OFFICE, codeOf(factor))).toBe("/inbox");
  });

  it("a client tries 20 codes in a day, however long it waits in between", async () => {
    using clock = createClock();
    const { factor, tryCode } = await createAddressed();
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 5; count++) await tryCode(MALLORY, wrongCode(factor));
      clock.advance("16 minutes");
    }
    expect(await tryCode(MALLORY, codeOf(factor))).toBe(REFUSED);
    clock.advance("1 hour");
    expect(await tryCode(MALLORY, codeOf(factor))).toBe(REFUSED);
    expect(await tryCode(HOME, codeOf(factor))).toBe("/inbox");
    clock.advance("24 hours");
    expect(await tryCode(MALLORY, codeOf(factor))).toBe("/inbox");
  });

  it("all clients together can try 100 codes of a user in a day, even if the user signs in between", async () => {
    using clock = createClock();
    const { factor, tryCode } = await createAddressed();
    for (let at = 1; at <= 24; at++) {
      for (let count = 0; count < 4; count++) await tryCode(`203.0.113.${at}`, wrongCode(factor));
    }
    clock.advance("30 seconds");
    expect(await tryCode(HOME, codeOf(factor))).toBe("/inbox");
    for (let count = 0; count < 3; count++) await tryCode("203.0.113.90", wrongCode(factor));
    clock.advance("30 seconds");
    expect(await tryCode(HOME, codeOf(factor))).toBe("/inbox");
    await tryCode("203.0.113.90", wrongCode(factor));
    clock.advance("30 seconds");
    expect(await tryCode(HOME, codeOf(factor))).toBe(REFUSED);
    // The user can still use a recovery code.
    expect(await tryCode(HOME, factor.recoveryCodes[0] ?? "")).toBe("/inbox");
    clock.advance("24 hours");
    expect(await tryCode(HOME, codeOf(factor))).toBe("/inbox");
  });

  it("removing a second factor lifts the limit of all clients, and the next factor does not inherit it", async () => {
    using clock = createClock();
    const { app, factor, userId, tryCode } = await createAddressed();
    for (let at = 1; at <= 26; at++) {
      for (let count = 0; count < 4; count++) await tryCode(`203.0.113.${at}`, wrongCode(factor));
    }
    clock.advance("30 seconds");
    expect(await tryCode(HOME, codeOf(factor))).toBe(REFUSED);
    await app.kernel().use("secondFactor").remove(userId);
    const next = await setUp(app.browser);
    clock.advance("30 seconds");
    expect(await tryCode(HOME, codeOf(next))).toBe("/inbox");
  });

  it("addresses of one network count as one client", async () => {
    using clock = createClock();
    const { factor, tryCode } = await createAddressed();
    for (let at = 1; at <= 6; at++) await tryCode(`2001:db8:1:2::${at}`, wrongCode(factor));
    clock.advance("30 seconds");
    expect(await tryCode("2001:db8:1:2:3::9", codeOf(factor))).toBe(REFUSED);
    expect(await tryCode("2001:db8:1:3::9", codeOf(factor))).toBe("/inbox");
  });
});
