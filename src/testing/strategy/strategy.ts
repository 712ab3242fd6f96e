import type { Browser } from "../browser.ts";
import { type Clock, createClock } from "../clock.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import type { TestRunner } from "../runner.ts";
import type { TestAuth } from "../test-auth.ts";
import { createProbe, type Facts, type Probe, PROBE_PATH } from "./probe.ts";

const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };
const EVE = { sub: "eve", name: "Eve", email: "eve@example.com" };

/** Time limit of a test in milliseconds. Most take only a few. */
const TIMEOUT_MS = 30_000;
const PARALLEL = 8;

/** Options of `testStrategy`. */
export interface StrategySuiteOptions<Made extends TestAuth = TestAuth> {
  /**
   * Makes the strategy's own storage fail, such as a service that it calls, or work again. The suite itself makes the
   * adapter and the store fail. Without this function, other storage is not tested.
   * @param app The return value of `make`.
   */
  setDown?(app: Made, isDown: boolean): void;
}

interface App extends TestAuth {
  readonly probe: Probe;
  /** Whether every call of the strategy's storage fails. */
  setDown(isDown: boolean): void;
  /** Opens a browser with the cookies of another one. */
  copy(browser: Browser): Browser;
}

function openApp<Made extends TestAuth>(
  make: () => Made,
  setOwnDown: StrategySuiteOptions<Made>["setDown"],
): App {
  const app = make();
  const probe = createProbe();
  app.auth.use(probe.plugin);
  const copy = (browser: Browser) => {
    const copied = app.openBrowser();
    for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
    return copied;
  };
  const setDown = (isDown: boolean) => {
    probe.isDown = isDown;
    setOwnDown?.(app, isDown);
  };
  return { ...app, probe, copy, setDown };
}

async function readFacts(
  app: App,
  browser: Browser = app.browser,
  init?: RequestInit,
): Promise<Facts> {
  const { basePath } = app.auth.inspect();
  return (await (await browser.get(basePath + PROBE_PATH, init)).json()) as Facts;
}

// A sibling host can set a cookie of the same name, which browsers send before or after the application's.
function joinCookies(...browsers: readonly Browser[]): RequestInit {
  const cookies = browsers.flatMap((browser) => [...browser.cookies]);
  return { headers: { cookie: cookies.map(([name, value]) => `${name}=${value}`).join("; ") } };
}

async function readSession({ auth }: App, browser: Browser): Promise<Response> {
  const headers = { accept: "application/json" };
  return browser.get(`${auth.inspect().basePath}/session`, { headers });
}

/** Returns the session cookies that a response sets. */
function listSessionCookies({ auth }: App, response: Response): string[] {
  const name = auth.inspect().cookies.sessionToken?.name ?? "";
  return response.headers.getSetCookie().filter((cookie) => cookie.startsWith(name));
}

/**
 * Registers the conformance suite for a session strategy. `make` creates an application that uses the strategy, a new
 * one for each test. It needs an in-process store, since the suite moves the clock, and the identity provider of
 * `createTestAuth`.
 *
 * The suite also requires the optional members of `Strategy`: `key`, `isAmbiguous`, `endsWithin` if a sign-out ends
 * every copy of a session, and `authTime` unless `session.freshAge` is 0.
 * @example
 * import { describe, expect, it } from "vitest";
 *
 * const make = () =>
 *   createTestAuth(createAuth, {
 *     plugins: [memoryStore(), storeAdapter(), mySessions()],
 *     session: { strategy: "mine" },
 *   });
 * testStrategy(make, { describe, expect, it });
 */
export function testStrategy<Made extends TestAuth>(
  make: () => Made,
  { describe, it, expect }: TestRunner,
  { setDown }: StrategySuiteOptions<Made> = {},
): void {
  const test = (name: string, body: (app: App) => Promise<void>): void =>
    void it(name, () => body(openApp(make, setDown)), TIMEOUT_MS);
  const testOverTime = (name: string, body: (app: App, clock: Clock) => Promise<void>): void =>
    test(name, async (app) => {
      const clock = createClock();
      try {
        await body(app, clock);
      } finally {
        clock.restore();
      }
    });

  describe("Strategy: a sign-in", () => {
    test("no session is read before a sign-in, and the user's session after it", async (app) => {
      const stranger = await readFacts(app);
      expect([stranger.id, stranger.user, stranger.key]).toEqual([null, null, null]);
      expect(await app.browser.session()).toBe(null);
      await app.browser.signInAs(ADA);
      const session = await app.browser.session<{ user: { name: string }; expires: string }>();
      expect(session?.user.name).toBe("Ada");
      expect(new Date(session?.expires ?? "").getTime() > Date.now()).toBe(true);
    });

    test("the id of the session's user is that of `current`, and differs between users", async (app) => {
      const eve = app.openBrowser();
      await app.browser.signInAs(ADA);
      await eve.signInAs(EVE);
      const [ada, other] = [await readFacts(app), await readFacts(app, eve)];
      expect(Boolean(ada.id)).toBe(true);
      expect(ada.user).toBe(ada.id);
      expect(other.id === ada.id).toBe(false);
    });

    test("the session cookie is HttpOnly and SameSite, and differs between sign-ins", async (app) => {
      const first = await app.browser.signInAs(ADA);
      const second = await app.openBrowser().signInAs(ADA);
      const [one = "", other = ""] = [first, second].map((response) =>
        listSessionCookies(app, response).join("\n"),
      );
      expect(/;\s*httponly/i.test(one) && /;\s*samesite=(?:lax|strict)/i.test(one)).toBe(true);
      expect(one === other).toBe(false);
    });

    test("`create` sets no session cookie before the function that it returns is called", async (app) => {
      await app.browser.signInAs(ADA);
      const eve = app.openBrowser();
      const response = await eve.send(app.auth.inspect().basePath + PROBE_PATH);
      expect(await response.json()).toEqual({ created: true });
      expect(listSessionCookies(app, response)).toEqual([]);
      expect(await eve.session()).toBe(null);
    });

    testOverTime(
      "a sign-in ends the stored session that the browser had before",
      async (app, clock) => {
        await app.browser.signInAs(ADA);
        const copy = app.copy(app.browser);
        clock.advance("1 second");
        await app.browser.signInAs(ADA);
        const { endsWithin, id } = await readFacts(app);
        expect(Boolean(id)).toBe(true);
        if (endsWithin === null) return;
        clock.advance(endsWithin * 1000 + 1);
        expect(await copy.session()).toBe(null);
      },
    );
  });

  describe("Strategy: a read", () => {
    test("an invalid session cookie is neither a session nor an error", async (app) => {
      const name = app.auth.inspect().cookies.sessionToken?.name ?? "";
      await app.browser.signInAs(ADA);
      const valid = app.browser.cookies.get(name) ?? "";
      // A lone surrogate has no encoding.
      const odd = ODD_TEXTS.filter((text) => !/\p{Surrogate}/u.test(text));
      for (const text of ["", "0", valid.slice(1), `${valid}x`, ...odd]) {
        const browser = app.openBrowser();
        browser.cookies.set(name, encodeURIComponent(text));
        const response = await readSession(app, browser);
        expect([text, response.status, await response.json()]).toEqual([text, 200, null]);
      }
    });

    test("the hook `session` changes or removes the session, and the event `session` is emitted once for each read", async (app) => {
      await app.browser.signInAs(ADA);
      await app.browser.session();
      const before = app.probe.reads;
      app.probe.onSession = (session) => ({ ...session, user: { name: "Shaped" } });
      const shaped = await app.browser.session<{ user: object }>();
      expect(shaped?.user).toEqual({ name: "Shaped" });
      expect(app.probe.reads - before).toBe(1);
      app.probe.onSession = () => null;
      expect(await app.browser.session()).toBe(null);
    });

    test("the hook `session` receives the user of the session", async (app) => {
      await app.browser.signInAs(ADA);
      const seen: unknown[] = [];
      app.probe.onSession = (session, { token, user }) => {
        seen.push(token?.sub ?? user?.id ?? session.user?.id);
        return session;
      };
      await app.browser.session();
      app.probe.onSession = undefined;
      expect(seen).toEqual([(await readFacts(app)).id]);
    });

    test("a tap of the hook `session` that throws causes an error, and does not end the session", async (app) => {
      await app.browser.signInAs(ADA);
      app.probe.onSession = () => {
        throw new Error("The tap is broken.");
      };
      expect((await readSession(app, app.browser)).status).toBe(500);
      app.probe.onSession = undefined;
      expect((await app.browser.session()) === null).toBe(false);
    });

    test("while the storage fails, a read returns the session or an error, never `null`", async (app) => {
      await app.browser.signInAs(ADA);
      app.setDown(true);
      const response = await readSession(app, app.browser);
      const isKnown = response.status === 200 && (await response.json()) !== null;
      expect(isKnown || response.status >= 500).toBe(true);
      app.setDown(false);
      expect((await app.browser.session()) === null).toBe(false);
    });

    testOverTime(
      "a session is extended by its use, and ends at `expires` without it",
      async (app, clock) => {
        await app.browser.signInAs(ADA);
        const idle = app.copy(app.browser);
        const { expires = "" } = (await app.browser.session<{ expires: string }>()) ?? {};
        const length = new Date(expires).getTime() - clock.now;
        clock.advance(Math.floor(length * 0.9));
        const used = await Promise.all(
          Array.from({ length: PARALLEL }, () => app.browser.session<{ expires: string }>()),
        );
        expect(used.filter((session) => session === null)).toEqual([]);
        const ends = used.map((session) => new Date(session?.expires ?? "").getTime());
        expect(ends.every((end) => end >= new Date(expires).getTime())).toBe(true);
        clock.set(Math.max(...ends) + 1000);
        expect(await idle.session()).toBe(null);
        expect(await app.browser.session()).toBe(null);
      },
    );
  });

  describe("Strategy: facts about a session", () => {
    test("`key` stays the same while a session lasts, and no other user has it", async (app) => {
      await app.browser.signInAs(ADA);
      const eve = app.openBrowser();
      await eve.signInAs(EVE);
      const { key } = await readFacts(app);
      // Without a key, CSRF tokens are bound to no session.
      expect(key === null ? "no key" : "a key").toBe("a key");
      await app.browser.session();
      expect((await readFacts(app)).key).toBe(key);
      expect((await readFacts(app, eve)).key === key).toBe(false);
    });

    test("`isAmbiguous` is true for sessions of different users in one browser, and only for those", async (app) => {
      const [again, eve] = [app.openBrowser(), app.openBrowser()];
      await app.browser.signInAs(ADA);
      await again.signInAs(ADA);
      await eve.signInAs(EVE);
      const isAmbiguous = async (...browsers: readonly Browser[]) =>
        (await readFacts(app, app.browser, joinCookies(...browsers))).isAmbiguous;
      expect(await isAmbiguous(app.browser)).toBe(false);
      expect(await isAmbiguous(app.browser, again)).toBe(false);
      expect(await isAmbiguous(app.browser, eve)).toBe(true);
      expect(await isAmbiguous(eve, app.browser)).toBe(true);
    });

    testOverTime(
      "`authTime` is the time of the sign-in, even after the session was used and changed",
      async (app, clock) => {
        const start = Math.floor(clock.now / 1000);
        await app.browser.signInAs(ADA);
        const { authTime, canBeFresh } = await readFacts(app);
        const freshness = canBeFresh ? "known" : "neither `authTime` nor `session.freshAge: 0`";
        expect(freshness).toBe("known");
        if (authTime === null) return;
        expect(Math.abs(authTime - start) <= 1).toBe(true);
        clock.advance("2 days");
        await app.auth.update(app.browser.request("/"), { name: "Grace" });
        if ((await app.browser.session()) === null) return;
        expect((await readFacts(app)).authTime).toBe(authTime);
      },
    );

    test("`update` passes the client's data, unchecked, to the hook `session`", async (app) => {
      await app.browser.signInAs(ADA);
      const seen: unknown[] = [];
      app.probe.onSession = (session, { trigger, newSession, token }) => {
        seen.push(token ? "in the token" : [trigger, newSession]);
        return { ...session, user: { name: "Updated" } };
      };
      const session = await app.auth.update(app.browser.request("/"), { name: "Grace" });
      expect(session?.user).toEqual({ name: "Updated" });
      // If the session is a token, the hook `jwt` receives the data.
      if (seen[0] !== "in the token") expect(seen).toEqual([["update", { name: "Grace" }]]);
      expect(await app.auth.update(app.openBrowser().request("/"), {})).toBe(null);
    });
  });

  describe("Strategy: a sign-out", () => {
    test("a sign-out leaves the browser without a session, even while the storage fails", async (app) => {
      for (const isDown of [false, true]) {
        await app.browser.signInAs(ADA);
        await app.browser.csrfToken();
        app.setDown(isDown);
        await app.browser.signOut();
        app.setDown(false);
        expect(await app.browser.session()).toBe(null);
      }
    });

    testOverTime(
      "after a sign-out, no copy of a stored session's cookie is valid, even if copies are read concurrently",
      async (app, clock) => {
        await app.browser.signInAs(ADA);
        const { endsWithin } = await readFacts(app);
        const copies = Array.from({ length: PARALLEL }, () => app.copy(app.browser));
        // The next read extends the session.
        const { expires = "" } = (await app.browser.session<{ expires: string }>()) ?? {};
        clock.advance(Math.floor((new Date(expires).getTime() - clock.now) * 0.9));
        await Promise.all([app.browser.signOut(), ...copies.map((copy) => copy.session())]);
        if (endsWithin === null) return;
        clock.advance(endsWithin * 1000 + 1);
        for (const copy of copies) expect(await copy.session()).toBe(null);
        expect((await readFacts(app, copies[0])).user).toBe(null);
      },
    );

    test("a strategy whose sign-out ends every copy of a session declares `endsWithin`", async (app) => {
      await app.browser.signInAs(ADA);
      const copy = app.copy(app.browser);
      const { endsWithin } = await readFacts(app);
      await app.browser.signOut();
      const isEnded = (await copy.session()) === null;
      expect(isEnded && endsWithin === null ? "no `endsWithin`" : "declared").toBe("declared");
    });

    test("a sign-out ends only the session of its own browser", async (app) => {
      const other = app.openBrowser();
      await app.browser.signInAs(ADA);
      await other.signInAs(ADA);
      await app.browser.signOut();
      expect((await other.session()) === null).toBe(false);
    });
  });
}
