import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import { locationOf, isSignedIn, fetchSession, ORIGIN, type TestAuth } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import {
  requestLink,
  signIn,
  signInByLink,
  createCluster,
  MINUTE,
  listUsers,
  startSignIn,
} from "./_cluster.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());

/** The correct time. */
let now = 0;
beforeEach(() => {
  op.reset();
  now = Date.parse("2026-05-01T12:00:00.000Z");
  vi.useFakeTimers({ toFake: ["Date"], now });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

function pass(milliseconds: number): void {
  now += milliseconds;
  vi.setSystemTime(now);
}

/** A server whose clock is wrong. */
interface Clocked {
  node: TestAuth;
  /** Milliseconds by which its clock is ahead. */
  ahead: number;
}

const HOUR = 60 * MINUTE;
const LIFE = HOUR;
/** The tolerance when a token is read (src/token.ts), and a second for rounding. */
const SLACK = 16_000;
const STRATEGIES = ["database", "jwt"];
const SKEWS = [-5 * MINUTE, -30_000, 30_000, 5 * MINUTE];

/** Creates a browser with the correct time, which asserts that dates in responses are valid. */
function openBrowser(at: () => Clocked): Browser {
  return createBrowser(
    async (request) => {
      const { node, ahead } = at();
      vi.setSystemTime(now + ahead);
      try {
        const response = await node.auth.fetch(request);
        for (const cookie of response.headers.getSetCookie()) {
          const expires = /; Expires=([^;]*)/i.exec(cookie)?.[1];
          if (expires !== undefined) expect(Date.parse(expires), cookie).not.toBeNaN();
          expect(cookie).not.toMatch(/=(NaN|Invalid)/);
        }
        return response;
      } finally {
        vi.setSystemTime(now);
      }
    },
    { origin: ORIGIN },
  );
}

async function getExpiry(browser: Browser): Promise<number> {
  const session = (await (await fetchSession(browser)).json()) as { expires: string } | null;
  return Date.parse(session?.expires ?? "");
}

function nodes(strategy: string, ahead: number, session: object) {
  const cluster = createCluster({ strategy, op });
  const right: Clocked = { node: cluster.node({ errors: "allowed", session }), ahead: 0 };
  const wrong: Clocked = { node: cluster.node({ session }), ahead };
  return { cluster, right, wrong };
}

describe.each(STRATEGIES)("F17: clocks of two nodes (%s)", (strategy) => {
  describe.each(SKEWS)("F17: one clock is %i ms ahead", (ahead) => {
    const skew = Math.abs(ahead);
    // No renewal, because the test is about the expiry.
    const still = { maxAge: LIFE / 1000, updateAge: LIFE / 1000 };

    it.each([false, true])(
      "F17: a session expires at its time plus or minus the skew (created by the wrong node: %s)",
      async (isWrong) => {
        for (const read of ["right", "wrong"] as const) {
          const all = nodes(strategy, ahead, still);
          const { cluster } = all;
          let at = isWrong ? all.wrong : all.right;
          const browser = openBrowser(() => at);
          expect(await signInByLink(cluster, browser)).toBe("/");
          at = all[read];
          pass(LIFE - skew - SLACK);
          expect(await isSignedIn(browser), `${read}, before`).toBe(true);
          pass(2 * skew + 2 * SLACK);
          expect(await isSignedIn(browser), `${read}, after`).toBe(false);
        }
      },
    );

    it("F17: a session that is used every five minutes is renewed, but never beyond its lifetime plus the skew", async () => {
      const { cluster, right, wrong } = nodes(strategy, ahead, {
        maxAge: LIFE / 1000,
        updateAge: 600,
      });
      let at = right;
      const browser = openBrowser(() => at);
      expect(await signInByLink(cluster, browser)).toBe("/");
      for (let visits = 0; visits < 60; visits++) {
        pass(5 * MINUTE);
        at = visits % 3 === 0 ? wrong : right;
        const left = (await getExpiry(browser)) - now;
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(LIFE + skew + 1000);
      }
      pass(LIFE + skew + SLACK);
      at = right;
      expect(await isSignedIn(browser)).toBe(false);
      expect(right.node.log.errors).toEqual([]);
      expect(wrong.node.log.errors).toEqual([]);
    });

    it("F17: OAuth and link sign-ins that begin at one node end at the other despite the skew", async () => {
      for (const begins of ["right", "wrong"] as const) {
        const all = nodes(strategy, ahead, {});
        const ends = begins === "right" ? all.wrong : all.right;
        let at = all[begins];
        const browser = openBrowser(() => at);
        const back = await startSignIn(op, browser);
        at = ends;
        expect(locationOf(await browser.get(back))).toBe("/");
        at = all[begins];
        const { link } = await requestLink(all.cluster, browser);
        at = ends;
        expect(locationOf(await browser.get(link))).toBe("/");
        expect(listUsers(all.cluster.storage)).toHaveLength(1);
      }
    });

    it("F17: a link expires at its time plus or minus the skew", async () => {
      for (const begins of ["right", "wrong"] as const) {
        const cluster = createCluster({ strategy });
        const mail = { maxAge: 1800 };
        const right = { node: cluster.node({ errors: "allowed", mail }), ahead: 0 };
        const wrong = { node: cluster.node({ errors: "allowed", mail }), ahead };
        let at = begins === "right" ? right : wrong;
        const browser = openBrowser(() => at);
        const [early, late] = [
          await requestLink(cluster, browser),
          await requestLink(cluster, browser),
        ];
        at = begins === "right" ? wrong : right;
        pass(30 * MINUTE - skew - 1000);
        // The check cookie expires after 15 minutes, so the confirmation page has to be submitted.
        const press = async (link: string) => {
          const fields = Object.fromEntries(new URL(link, ORIGIN).searchParams);
          const csrfToken = await browser.csrfToken();
          return locationOf(await browser.post("/auth/callback/mail", { ...fields, csrfToken }));
        };
        expect(await press(early.link)).toBe("/");
        pass(2 * skew + 2000);
        expect(await press(late.link)).toBe("/auth/error?error=Verification");
      }
    });
  });

  it("F17: a clock that jumps back an hour ends no session and no pending flow", async () => {
    const { cluster, right } = nodes(strategy, 0, { maxAge: 4 * 3600, updateAge: 600 });
    const browser = openBrowser(() => right);
    expect(await signInByLink(cluster, browser)).toBe("/");
    const other = openBrowser(() => right);
    const back = await startSignIn(op, other);
    const { link } = await requestLink(cluster, other, "eve@example.com");
    right.ahead = -HOUR;
    for (let visits = 0; visits < 10; visits++) {
      expect(await isSignedIn(browser)).toBe(true);
      expect((await getExpiry(browser)) - now).toBeLessThanOrEqual(5 * HOUR);
      pass(5 * MINUTE);
    }
    expect(locationOf(await other.get(link))).toBe("/");
    expect(locationOf(await other.get(back))).toMatch(/^\/$|NotLinked/);
    right.ahead = 0;
    expect(await isSignedIn(browser)).toBe(true);
    await browser.signOut();
    expect(await isSignedIn(browser)).toBe(false);
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T00:30:00.000Z"],
    ["Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["America/New_York", "2026-11-01T05:30:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-04T14:30:00.000Z"],
  ])(
    "F17: a daylight saving change in %s does not alter the session's lifetime",
    async (zone, date) => {
      vi.stubEnv("TZ", zone);
      now = Date.parse(date);
      vi.setSystemTime(now);
      const before = new Date(now).getTimezoneOffset();
      expect(new Date(now + HOUR).getTimezoneOffset()).not.toBe(before);
      const { cluster, right } = nodes(strategy, 0, { maxAge: 7200, updateAge: 7200 });
      const browser = openBrowser(() => right);
      expect(await signInByLink(cluster, browser)).toBe("/");
      expect((await getExpiry(browser)) - now).toBe(7200 * 1000);
      pass(7200 * 1000 - 1000);
      expect(await isSignedIn(browser)).toBe(true);
      pass(2000);
      expect(await isSignedIn(browser)).toBe(false);
    },
  );

  it.each([
    ["2038", "2038-01-19T03:14:07.500Z"],
    ["2106", "2106-02-07T06:28:15.500Z"],
    ["the epoch", "1970-01-01T00:00:00.000Z"],
    ["ten seconds before the epoch", "1969-12-31T23:59:50.000Z"],
    ["1901", "1901-12-13T20:45:51.000Z"],
  ])("F17: expiry dates are valid at a system time in %s", async (_, date) => {
    now = Date.parse(date);
    vi.setSystemTime(now);
    const { cluster, right } = nodes(strategy, 0, { maxAge: 3600, updateAge: 600 });
    const browser = openBrowser(() => right);
    expect(await signInByLink(cluster, browser)).toBe("/");
    expect((await getExpiry(browser)) - now).toBeGreaterThan(3598_000);
    pass(20 * MINUTE);
    expect((await getExpiry(browser)) - now).toBeGreaterThan(3598_000);
    expect(
      await signIn(
        op,
        openBrowser(() => right),
      ),
    ).toMatch(/^\/$|NotLinked/);
    pass(2 * HOUR);
    expect(await isSignedIn(browser)).toBe(false);
  });
});
