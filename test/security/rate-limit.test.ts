import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createClock } from "../../src/testing/testing.ts";
import { client, createLimitApp, HERE, isLocked, THERE, WRONG } from "./_limits.ts";

const LOCKED = { error: "CredentialsSignin", code: "rate_limited", retry_after: "900" };

describe("credentials by account and client", () => {
  it("after five wrong passwords from one client, authorize() is not called, even for the right one", async () => {
    using _clock = createClock();
    const app = createLimitApp();
    const browser = app.from(HERE);
    for (let time = 0; time < 5; time++)
      expect(await app.attempt(browser, { username: "ada", password: "no" })).toEqual(WRONG);
    expect(await app.attempt(browser, { username: "ada", password: "no" })).toEqual(LOCKED);
    expect(await app.attempt(browser)).toEqual(LOCKED);
    expect(await app.attempt(app.from(HERE))).toEqual(LOCKED);
    expect(app.authorize).toHaveBeenCalledTimes(5);
    expect(await browser.session()).toBeNull();
  });

  it("the lock affects one account and one client: others can sign in, as can the account from another client", async () => {
    const app = createLimitApp();
    await app.fail(app.from(HERE), 6);
    expect(await app.attempt(app.from(THERE))).toEqual({});
    expect(await app.attempt(app.from(HERE), { username: "eve", password: "no" })).toEqual(WRONG);
  });

  it("a success before the limit resets the failures of the account and client", async () => {
    const app = createLimitApp();
    const browser = app.from(HERE);
    for (let round = 0; round < 3; round++) {
      await app.fail(browser, 4);
      expect(await app.attempt(browser)).toEqual({});
    }
    await app.fail(browser, 5);
    expect(isLocked(await app.attempt(browser))).toBe(true);
  });

  it("successes are not counted, however many", async () => {
    const app = createLimitApp();
    for (let time = 0; time < 60; time++) expect(await app.attempt(app.from(HERE))).toEqual({});
  });

  it("a lock lasts for the window from the attempt that exceeded the limit, and then all attempts are available again", async () => {
    using clock = createClock();
    const app = createLimitApp();
    const browser = app.from(HERE);
    await app.fail(browser, 4);
    clock.advance("10 minutes");
    await app.fail(browser, 2);
    clock.advance("14 minutes");
    expect(await app.attempt(browser)).toEqual({ ...LOCKED, retry_after: "60" });
    clock.advance("59 seconds");
    expect(await app.attempt(browser)).toEqual({ ...LOCKED, retry_after: "1" });
    clock.advance("1 second");
    await app.fail(browser, 4);
    expect(await app.attempt(browser)).toEqual({});
  });

  it("failures that lie further apart than the window are forgotten", async () => {
    using clock = createClock();
    const app = createLimitApp();
    const browser = app.from(HERE);
    for (let round = 0; round < 3; round++) {
      await app.fail(browser, 5);
      clock.advance("15 minutes");
    }
    expect(await app.attempt(browser)).toEqual({});
  });

  it("a clock that is set back does not extend a lock of this process", async () => {
    using clock = createClock();
    const app = createLimitApp();
    await app.fail(app.from(HERE), 6);
    clock.advance("-1 hour");
    expect(await app.attempt(app.from(HERE))).toEqual({});
  });

  it.each([
    ["upper and lower case", ["ada", "ADA", "Ada"]],
    ["blanks around it", ["ada", " ada", "ada\t "]],
    ["full-width letters", ["ada", "ａｄａ", "ＡＤＡ"]],
    ["composed letters", ["é", "e\u0301", "É"]],
    ["a host in Unicode and in ASCII", ["a@bücher.example", "A@xn--bcher-kva.example"]],
  ])("an account counts as the same in every spelling: %s", async (_, names) => {
    const app = createLimitApp({ authorize: () => null });
    const browser = app.from(HERE);
    for (let time = 0; time < 5; time++)
      await app.fail(browser, 1, names[time % names.length] as string);
    for (const username of names)
      expect(isLocked(await app.attempt(browser, { username, password: "no" }))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(5);
  });

  it("a JSON value as the name counts by its text, and causes no error", async () => {
    const app = createLimitApp({ authorize: () => null });
    const browser = app.from(HERE);
    const csrfToken = await browser.csrfToken();
    const post = async (username: unknown) => {
      const body = JSON.stringify({ username, password: "no", csrfToken });
      const headers = { "content-type": "application/json", accept: "text/html" };
      const init = { method: "POST", body, headers };
      return (await browser.send("/auth/callback/credentials", init)).headers.get("location");
    };
    for (const name of ["ada", ["ada"], [["ada"]], ["ADA"], "ada"])
      expect(await post(name)).toContain("code=credentials");
    expect(await post([[["ada"]]])).toContain("code=rate_limited");
    const odd: unknown[] = [
      {},
      { $ne: null },
      { toString: "ada" },
      { toString: null, valueOf: 1 },
      null,
    ];
    for (const name of [...odd, ...odd]) expect(await post(name)).toContain("CredentialsSignin");
  });
});

describe("credentials by account", () => {
  it("twenty wrong passwords from many clients lock the account for all, and refused attempts count for no client", async () => {
    const app = createLimitApp();
    for (let at = 0; at < 20; at++) await app.fail(app.from(client(at)), 1);
    expect(app.authorize).toHaveBeenCalledTimes(20);
    expect(isLocked(await app.attempt(app.from(client(20))))).toBe(true);
    // The owner's attempts were not counted: after the lock, five are left.
    const owner = app.from(THERE);
    for (let time = 0; time < 10; time++) expect(isLocked(await app.attempt(owner))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(20);
    using clock = createClock();
    clock.advance("15 minutes");
    await app.fail(owner, 4);
    expect(await app.attempt(owner)).toEqual({});
  });

  it("a single client cannot lock an account for others, however often it tries", async () => {
    const app = createLimitApp();
    const attacker = app.from(HERE);
    const csrfToken = await attacker.csrfToken();
    const fields = { csrfToken, username: "ada", password: "no" };
    await Promise.all(
      Array.from({ length: 100 }, () => attacker.post("/auth/callback/credentials", fields)),
    );
    expect(app.authorize).toHaveBeenCalledTimes(5);
    expect(await app.attempt(app.from(THERE))).toEqual({});
  });

  it("a success of the owner does not reset the failures of other clients", async () => {
    const app = createLimitApp();
    for (let at = 0; at < 19; at++) await app.fail(app.from(client(at)), 1);
    expect(await app.attempt(app.from(THERE))).toEqual({});
    await app.fail(app.from(client(20)), 1);
    expect(isLocked(await app.attempt(app.from(THERE)))).toBe(true);
  });

  it("names without an account are locked alike, with the same response", async () => {
    using _clock = createClock();
    const app = createLimitApp();
    const respond = async (username: string) => {
      const browser = app.from(HERE);
      await app.fail(browser, 6, username);
      const csrfToken = await browser.csrfToken();
      const fields = { csrfToken, username, password: "no" };
      const response = await browser.post("/auth/callback/credentials", fields);
      return [response.status, [...response.headers], await response.text()];
    };
    expect(await respond("nobody")).toEqual(await respond("ada"));
  });

  it("accounts of two providers with the same name are counted separately", async () => {
    const app = createLimitApp({
      providers: ["staff", "guests"].map((id) => ({
        id,
        name: id,
        type: "credentials" as const,
        credentials: { username: {}, password: { type: "password" } },
        authorize: () => null,
      })),
    });
    const browser = app.from(HERE);
    const fields = { username: "ada", password: "no" };
    for (let time = 0; time < 6; time++) await browser.signInWith("staff", fields);
    const [staff, guests] = [
      await browser.signInWith("staff", fields),
      await browser.signInWith("guests", fields),
    ].map((response) => response.headers.get("location"));
    expect(staff).toContain("code=rate_limited");
    expect(guests).toContain("code=credentials");
  });
});

describe("credentials by client", () => {
  it("fifty failures of one client lock it for every account; a success in between does not reset them", async () => {
    const app = createLimitApp();
    const browser = app.from(HERE);
    for (let at = 0; at < 50; at++) {
      await app.fail(browser, 1, `user ${at}`);
      if (at % 10 === 0) expect(await app.attempt(browser)).toEqual({});
    }
    const calls = app.authorize.mock.calls.length;
    expect(isLocked(await app.attempt(browser))).toBe(true);
    expect(isLocked(await app.attempt(browser, { username: "new", password: "no" }))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(calls);
    expect(await app.attempt(app.from(THERE))).toEqual({});
  });
});

describe("outcomes of an attempt", () => {
  it("any error that authorize() throws is a failure", async () => {
    const app = createLimitApp({
      authorize: () => {
        throw new Error("wrong password");
      },
    });
    await app.fail(app.from(HERE), 5);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(5);
  });

  it("an adapter that fails after the right password locks no one out", async () => {
    let isDown = true;
    const app = createLimitApp({
      strategy: "database",
      store: memoryBackend(),
      record: true,
      gate() {
        if (isDown) throw new Error("down");
      },
    });
    // Also beyond the limit of the account.
    for (let time = 0; time < 21; time++)
      expect(await app.attempt(app.from(HERE))).toEqual({ error: "Configuration" });
    isDown = false;
    expect(await app.attempt(app.from(HERE))).toEqual({});
    expect(app.authorize).toHaveBeenCalledTimes(22);
  });

  it("a request without a CSRF token counts for no one", async () => {
    const app = createLimitApp();
    const fields = { username: "ada", password: "no" };
    for (let time = 0; time < 10; time++)
      await app.from(HERE).post("/auth/callback/credentials", fields);
    expect(await app.attempt(app.from(HERE))).toEqual({});
  });
});
