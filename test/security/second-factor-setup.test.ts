import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createClock } from "../../src/testing.ts";
import { acme, credentials, identityFlow, isSignedIn, locationOf, queryOf } from "../_app.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  enterPassword,
  open,
  openPaused,
  readCode,
  readMessage,
  setUp,
  SETUP,
  submit,
  wrongCode,
} from "./_second-factor.ts";

const RENEW = `${CHALLENGE}/recovery-codes`;
const REMOVE = `${CHALLENGE}/remove`;

describe.each(["jwt", "database"])("set-up of a second factor, %s sessions", (strategy) => {
  it("the account page links to the set-up, and then shows the state and the forms", async () => {
    // The account page needs a stored user, whom `jwt` has for accounts, not for credentials.
    const app = createFactorApp({
      strategy,
      providers: [acme()],
      use: [identityFlow(() => ({}))],
    });
    const { browser } = app;
    await browser.get("/auth/callback/acme");
    const before = await open(browser, "/auth/account");
    expect(before).toContain('data-section="second-factor"');
    expect(before).toContain(`href="http://localhost:3000${SETUP}"`);
    expect(before.indexOf("second-factor")).toBeLessThan(before.indexOf('data-section="sessions"'));

    const { recoveryCodes, html } = await setUp(browser);
    expect(html).toContain('href="http://localhost:3000/auth/account"');
    const after = await open(browser, "/auth/account");
    expect(after).toContain("You have 10 unused recovery codes.");
    const [code = ""] = recoveryCodes;
    const removed = await submit(browser, after, REMOVE, { code });
    expect(locationOf(removed)).toBe("/auth/account?done=");
    expect(readMessage(await open(browser, locationOf(removed)))).toBe("Changes saved");
    expect(await open(browser, "/auth/account")).not.toContain("unused recovery codes");
  });

  it("nothing is set up before the first code: opening the page has no effect on later sign-ins", async () => {
    const app = createFactorApp({ strategy });
    await enterPassword(app.browser);
    await open(app.browser, SETUP);
    expect(locationOf(await enterPassword(app.openBrowser()))).toBe("/inbox");
  });

  it("every visit shows another key, and a wrong first code shows the same key again", async () => {
    const app = createFactorApp({ strategy });
    const { browser } = app;
    await enterPassword(browser);
    const [one, two] = [await open(browser, SETUP), await open(browser, SETUP)];
    expect(readCode(one)).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    expect(readCode(one)).not.toBe(readCode(two));
    const key = readCode(one).replaceAll(" ", "");
    const response = await submit(browser, one, SETUP, { code: wrongCode({ key }) });
    const again = await response.text();
    expect(readCode(again)).toBe(readCode(one));
    expect(readMessage(again)).toMatch(/^That code isn’t valid/);
    const confirmed = await submit(browser, again, SETUP, { code: codeOf({ key }) });
    expect(readCode(await confirmed.text()).split("\n")).toHaveLength(10);
    expect(app.events.map(([name]) => name)).toEqual(["added"]);
  });

  it("the link and the image contain the key, the application and the user", async () => {
    const app = createFactorApp({ strategy });
    await enterPassword(app.browser);
    const page = await open(app.browser, SETUP);
    const key = readCode(page).replaceAll(" ", "");
    const [, href = ""] = /href="(otpauth:[^"]*)"/.exec(page) ?? [];
    const uri = new URL(href.replaceAll("&amp;", "&"));
    expect(href).toMatch(/^otpauth:\/\/totp\/localhost:ada%40example\.com\?/);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: "localhost",
      secret: key,
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    });
    expect(page).toMatch(/<img class="image" src="data:image\/svg\+xml,[^"]+" alt="QR code for/);
  });

  it("a set-up from a forged page, or from one older than 15 minutes, is refused", async () => {
    using clock = createClock();
    const { browser } = createFactorApp({ strategy });
    await enterPassword(browser);
    const page = await open(browser, SETUP);
    const key = readCode(page).replaceAll(" ", "");
    for (const setup of ["", "forged", "a.b.c.d.e"]) {
      const response = await submit(browser, page, SETUP, { setup, code: codeOf({ key }) });
      expect(locationOf(response)).toBe(`${SETUP}?error=InvalidCheck`);
    }
    clock.advance("16 minutes");
    const late = await submit(browser, page, SETUP, { code: codeOf({ key }) });
    expect(locationOf(late)).toBe(`${SETUP}?error=InvalidCheck`);
    expect(readMessage(await open(browser, locationOf(late)))).toMatch(
      /expired or was already used/,
    );
  });

  it("a page of another user does not set up a factor", async () => {
    const anyone = credentials({ authorize: ({ username }) => ({ id: `id-${String(username)}` }) });
    const app = createFactorApp({ strategy, providers: [anyone] });
    const eve = app.openBrowser();
    await app.browser.signInWith("credentials", { username: "ada" });
    await eve.signInWith("credentials", { username: "eve" });
    const page = await open(eve, SETUP);
    const [, setup = ""] = /name="setup" value="([^"]*)"/.exec(page) ?? [];
    const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
    const response = await submit(app.browser, await open(app.browser, SETUP), SETUP, {
      setup,
      code,
    });
    expect(locationOf(response)).toBe(`${SETUP}?error=InvalidCheck`);
    expect(app.events).toEqual([]);
  });

  it("an active second factor is not replaced: of two concurrent set-ups, one counts", async () => {
    const app = createFactorApp({ strategy });
    const other = app.openBrowser();
    await enterPassword(app.browser);
    await enterPassword(other);
    const pages = await Promise.all([app.browser, other].map((browser) => open(browser, SETUP)));
    const responses = await Promise.all(
      [app.browser, other].map((browser, at) => {
        const page = pages[at] ?? "";
        const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
        return submit(browser, page, SETUP, { code });
      }),
    );
    expect(responses.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(app.events.map(([name]) => name)).toEqual(["added"]);
    expect(await open(other, SETUP)).toContain("unused recovery codes");
  });

  it("the set-up, its codes and the forms need a session", async () => {
    const { browser, log } = createFactorApp({ strategy });
    expect(locationOf(await browser.get(SETUP))).toMatch(
      /^\/auth\/signin\?callbackUrl=.*second-factor%2Fsetup$/,
    );
    const csrfToken = await browser.csrfToken();
    for (const path of [SETUP, RENEW, REMOVE]) {
      const response = await browser.post(path, { csrfToken, code: "123456" });
      expect(queryOf(response)).toEqual({ error: "SessionRequired" });
    }
    log.ignoreErrors();
  });

  it("turning it off requires a code, and ends only that user's second factor", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy });
    const { browser } = app;
    const page = await open(browser, SETUP);
    const refused = await submit(browser, page, REMOVE, { code: wrongCode(factor) });
    expect(locationOf(refused)).toBe(`${SETUP}?error=InvalidSecondFactor`);
    expect(readMessage(await open(browser, locationOf(refused)))).toMatch(/^That code isn’t/);

    clock.advance("30 seconds");
    const remove = async () => submit(browser, page, REMOVE, { code: codeOf(factor) });
    // A double click posts it twice.
    expect(locationOf(await remove())).toBe("/auth/account?done=");
    expect(locationOf(await remove())).toBe("/auth/account");
    expect(app.events).toEqual([
      ["failed", userId],
      ["removed", userId],
    ]);
    expect(locationOf(await enterPassword(app.openBrowser()))).toBe("/inbox");
    // The user can set it up again, with another key.
    expect((await setUp(browser)).key).not.toBe(factor.key);
  });

  it("new recovery codes require a code, and replace the old ones", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy });
    const page = await open(app.browser, SETUP);
    const refused = await submit(app.browser, page, RENEW, { code: "000000" });
    expect(locationOf(refused)).toBe(`${SETUP}?error=InvalidSecondFactor`);
    clock.advance("30 seconds");
    const response = await submit(app.browser, page, RENEW, { code: codeOf(factor) });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    const codes = readCode(await response.text()).split("\n");
    expect(codes).toHaveLength(10);
    const [old = ""] = factor.recoveryCodes;
    expect(codes).not.toContain(old);
    expect(app.notices).toEqual([["renewed", userId]]);
    const browser = await openPaused(app);
    expect(queryOf(await answer(browser, old))).toEqual({ error: "InvalidSecondFactor" });
    expect(locationOf(await answer(browser, codes[9] ?? ""))).toBe("/inbox");
  });

  it("a set-up that is posted twice, as by a double click, shows the same recovery codes again", async () => {
    const app = createFactorApp({ strategy });
    await enterPassword(app.browser);
    const page = await open(app.browser, SETUP);
    const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
    const post = async () => submit(app.browser, page, SETUP, { code });
    const [one = "", ...others] = await Promise.all(
      (await Promise.all([post(), post(), post()])).map((response) => response.text()),
    );
    for (const other of [...others, await (await post()).text()]) {
      expect(readCode(other)).toBe(readCode(one));
    }
    expect(app.events.map(([name]) => name)).toEqual(["added"]);

    const [recoveryCode = ""] = readCode(one).split("\n");
    const browser = await openPaused(app);
    expect(locationOf(await answer(browser, recoveryCode))).toBe("/inbox");
    // A code was used since, so this is not a double click.
    expect(locationOf(await post())).toBe(SETUP);
  });

  it("new recovery codes whose form is posted twice, as by a double click, are shown again", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy });
    const { browser } = app;
    const [page, otherPage] = [await open(browser, SETUP), await open(browser, SETUP)];
    clock.advance("30 seconds");
    const code = codeOf(factor);
    const post = async (html = page, typed = code) => submit(browser, html, RENEW, { code: typed });
    const responses = await Promise.all([post(), post()]);
    const [one, other] = await Promise.all(responses.map((response) => response.text()));
    expect(readCode(other ?? "")).toBe(readCode(one ?? ""));
    expect(readCode(await (await post()).text())).toBe(readCode(one ?? ""));
    expect(app.events).toEqual([]);
    expect(app.notices).toEqual([["renewed", userId]]);

    // The same code in another form, or another code in this form, is not a double click.
    const earlier = codeOf(factor, Date.now() - 30_000);
    const others = [factor.recoveryCodes[0], "000000", earlier];
    const refused = [post(otherPage), ...others.map((other) => post(page, other))];
    for (const response of await Promise.all(refused)) {
      expect(queryOf(response)).toEqual({ error: "InvalidSecondFactor" });
    }
    expect(app.events.map(([name, id]) => [name, id])).toEqual(
      Array.from({ length: 4 }, () => ["failed", userId]),
    );
    const signedIn = await answer(await openPaused(app), code);
    expect(queryOf(signedIn)).toEqual({ error: "InvalidSecondFactor" });
    const [recoveryCode = ""] = readCode(one ?? "").split("\n");
    expect(locationOf(await answer(await openPaused(app), recoveryCode))).toBe("/inbox");
    expect(queryOf(await post())).toEqual({ error: "InvalidSecondFactor" });
  });

  it("new recovery codes are created even if the field of the form is missing, altered or too old", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp({ strategy });
    const page = await open(app.browser, SETUP);
    const shown = new Set<string>();
    for (const fields of [{ renewal: "" }, { renewal: "x" }, {}]) {
      clock.advance("16 minutes");
      // oxlint-disable-next-line no-await-in-loop -- each code is used once
      const response = await submit(app.browser, page, RENEW, { code: codeOf(factor), ...fields });
      // oxlint-disable-next-line no-await-in-loop -- each code is used once
      shown.add(readCode(await response.text()));
    }
    expect(shown.size).toBe(3);
  });

  it("if it is turned off while a login is paused, the first factor is enough again", async () => {
    const { app, factor } = await createAdasApp({ strategy });
    const browser = await openPaused(app);
    const page = await open(browser, CHALLENGE);
    const code = factor.recoveryCodes[0] ?? "";
    await submit(app.browser, await open(app.browser, SETUP), REMOVE, { code });
    expect(locationOf(await submit(browser, page, CHALLENGE, { code: "" }))).toBe("/inbox");
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("recoveryCodes and issuer come from the options", async () => {
    const options = { recoveryCodes: 3, issuer: "Acme & Söhne" };
    const { app, factor } = await createAdasApp({ strategy, factor: options });
    expect(factor.recoveryCodes).toHaveLength(3);
    const browser = await openPaused(app);
    expect(await open(browser, CHALLENGE)).toContain("for Acme &amp; Söhne.");
    const other = createFactorApp({ strategy, factor: options });
    await enterPassword(other.browser);
    expect(await open(other.browser, SETUP)).toContain("totp/Acme%20%26%20S%C3%B6hne:ada%40");
  });
});

describe("stored data of a second factor", () => {
  it("neither the key nor the recovery codes are in the store, the log or inspect()", async () => {
    const entries = new Map<string, { value: string; expires: number }>();
    const debugs: string[] = [];
    const { app, factor } = await createAdasApp({ store: memoryBackend(entries) });
    await answer(await openPaused(app), wrongCode(factor));
    const texts = [
      JSON.stringify([...entries]),
      JSON.stringify(app.auth.inspect()),
      JSON.stringify([app.log.debugs, app.log.warnings, debugs]),
    ];
    const secrets = [factor.key, ...factor.recoveryCodes];
    for (const text of texts) {
      for (const secret of secrets) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.replaceAll("-", ""));
      }
    }
  });

  it("no cache stores a page with a secret", async () => {
    const { browser } = createFactorApp();
    await enterPassword(browser);
    const response = await browser.get(SETUP);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    const page = await response.text();
    const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
    const confirmed = await submit(browser, page, SETUP, { code });
    expect(confirmed.headers.get("cache-control")).toBe("private, no-store");
  });

  it("a key that was copied to another user's record is refused", async () => {
    const entries = new Map<string, { value: string; expires: number }>();
    const anyone = credentials({ authorize: ({ username }) => ({ id: `id-${String(username)}` }) });
    const app = createFactorApp({ store: memoryBackend(entries), providers: [anyone] });
    const eve = app.openBrowser();
    await app.browser.signInWith("credentials", { username: "ada" });
    await eve.signInWith("credentials", { username: "eve" });
    await setUp(app.browser);
    const factor = await setUp(eve);
    const [ada, hers] = [...entries.keys()].filter((key) => key.startsWith("second-factor."));
    entries.set(ada ?? "", entries.get(hers ?? "")!);
    const browser = app.openBrowser();
    await browser.signInWith("credentials", { username: "ada" });
    expect(queryOf(await answer(browser, codeOf(factor)))).toEqual({ error: "Configuration" });
    expect(await isSignedIn(browser)).toBe(false);
    app.log.expectErrors("AuthError");
  });

  it.each([
    "{",
    '{"v":2,"e":null,"d":{}}',
    '{"v":1,"e":null,"d":null}',
    '{"v":1,"e":null,"d":{"key":5,"step":1,"recoveryCodes":[]}}',
    '{"v":1,"e":null,"d":{"key":"k","step":"1","recoveryCodes":[]}}',
    '{"v":1,"e":null,"d":{"key":"k","step":1,"recoveryCodes":{}}}',
  ])("a record of %s refuses the user, instead of skipping the second factor", async (value) => {
    const entries = new Map<string, { value: string; expires: number }>();
    const { app, userId } = await createAdasApp({ store: memoryBackend(entries) });
    const key = [...entries.keys()].find((one) => one.startsWith("second-factor.")) ?? "";
    entries.set(key, { value, expires: Infinity });
    const browser = app.openBrowser();
    expect(queryOf(await enterPassword(browser))).toEqual({ error: "Configuration" });
    expect(await isSignedIn(browser)).toBe(false);
    app.log.expectErrors("StoreError");
    // The operator's remedy.
    expect(await app.kernel().use("secondFactor").remove(userId)).toBe(true);
    expect(locationOf(await enterPassword(browser))).toBe("/inbox");
  });
});

describe("a second factor when the secret of the application rotates", () => {
  const [OLD, NEW] = [
    "the old secret, of 32 characters and more",
    "the new secret, 32 and more ....",
  ];

  it("the key is re-encrypted at the next sign-in while both secrets are configured", async () => {
    using clock = createClock();
    const store = memoryBackend();
    const { factor } = await createAdasApp({ store, secret: OLD });
    const both = createFactorApp({ store, secret: [NEW, OLD] });
    clock.advance("30 seconds");
    expect(locationOf(await answer(await openPaused(both), codeOf(factor)))).toBe("/inbox");
    const after = createFactorApp({ store, secret: NEW });
    clock.advance("30 seconds");
    expect(locationOf(await answer(await openPaused(after), codeOf(factor)))).toBe("/inbox");
  });

  it("without the old secret, codes fail with an error that explains the fix, and recovery codes work", async () => {
    const store = memoryBackend();
    const { factor } = await createAdasApp({ store, secret: OLD });
    const app = createFactorApp({ store, secret: NEW });
    const browser = await openPaused(app);
    expect(queryOf(await answer(browser, codeOf(factor)))).toEqual({ error: "Configuration" });
    const [error] = app.log.expectErrors("AuthError");
    expect(error?.message).toMatch(/no longer configured. Add that secret to `secret`, or remove/);
    expect(locationOf(await answer(browser, factor.recoveryCodes[0] ?? ""))).toBe("/inbox");
  });
});

it("a session from before the user proved the address cannot set up a factor", async () => {
  const user = { name: "Ada", email: "ada@example.com" };
  const use = [identityFlow(() => ({ user, emailVerified: true }))];
  const app = createFactorApp({ strategy: "jwt", providers: [acme()], use, errors: "allowed" });
  await app.browser.get("/auth/callback/acme");
  const page = await open(app.browser, SETUP);
  const { adapter } = app.kernel();
  const stored = await adapter?.getUserByEmail?.(user.email);
  const proved = { id: stored?.id ?? "", emailVerified: new Date(Date.now() + 2000) };
  await adapter?.updateUser?.(proved);
  const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
  const response = await submit(app.browser, page, SETUP, { code });
  expect(queryOf(response)).toEqual({ error: "SessionRequired" });
  expect(app.events).toEqual([]);
});

it("a second factor that is set up during the proof of the address is not kept", async () => {
  const memory = memoryBackend();
  const meanwhile: { prove?: () => Promise<unknown> } = {};
  const putIfAbsent: typeof memory.putIfAbsent = async (key, ...write) => {
    if (key.startsWith("second-factor.")) await meanwhile.prove?.();
    return memory.putIfAbsent(key, ...write);
  };
  const user = { id: "ada", name: "Ada", email: "ada@example.com" };
  const app = createFactorApp({
    strategy: "jwt",
    store: { ...memory, putIfAbsent },
    providers: [acme()],
    use: [identityFlow(() => ({ user, emailVerified: true }))],
    errors: "allowed",
  });
  await app.browser.get("/auth/callback/acme");
  const page = await open(app.browser, SETUP);
  const { adapter } = app.kernel();
  const { id = "" } = (await adapter?.getUserByEmail?.(user.email)) ?? {};
  meanwhile.prove = async () =>
    adapter?.updateUser?.({ id, emailVerified: new Date(Date.now() + 2000) });
  const code = codeOf({ key: readCode(page).replaceAll(" ", "") });
  const response = await submit(app.browser, page, SETUP, { code });
  expect(queryOf(response)).toEqual({ error: "SessionRequired" });
  expect(await app.kernel().use("secondFactor").has(id)).toBe(false);
  expect(app.events).toEqual([]);
});
