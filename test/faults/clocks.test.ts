import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Browser, createBrowser } from "../../src/testing.ts";
import { type Op, startOp } from "../_op.ts";
import { locationOf } from "../flows/_mail.ts";
import {
  ask,
  come,
  comeByLink,
  createWorld,
  isIn,
  look,
  MINUTE,
  type Node,
  ORIGIN,
  people,
  setOut,
} from "./_world.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());

/** What time it really is. */
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

/** A server whose clock is off. */
interface Clocked {
  node: Node;
  /** Milliseconds that its clock is ahead. */
  ahead: number;
}

const HOUR = 60 * MINUTE;
const LIFE = HOUR;
/** What is forgiven where a token is read (src/token.ts), and a second for rounding. */
const SLACK = 16_000;
const STRATEGIES = ["database", "jwt"];
const SKEWS = [-5 * MINUTE, -30_000, 30_000, 5 * MINUTE];

/** A browser with the right time; every answer's dates are dates. */
function visit(at: () => Clocked): Browser {
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

async function endOf(browser: Browser): Promise<number> {
  const session = (await (await look(browser)).json()) as { expires: string } | null;
  return Date.parse(session?.expires ?? "");
}

function nodes(strategy: string, ahead: number, session: object) {
  const world = createWorld({ strategy, op });
  const right: Clocked = { node: world.node({ session }), ahead: 0 };
  const wrong: Clocked = { node: world.node({ session }), ahead };
  return { world, right, wrong };
}

describe.each(STRATEGIES)("F17: clocks of two nodes (%s)", (strategy) => {
  describe.each(SKEWS)("F17: one is %i ms ahead", (ahead) => {
    const skew = Math.abs(ahead);
    // Nothing is extended here: the very end is looked at.
    const still = { maxAge: LIFE / 1000, updateAge: LIFE / 1000 };

    it.each([false, true])(
      "F17: a session ends no earlier and no later than by that much (made by the wrong one: %s)",
      async (isWrong) => {
        for (const read of ["right", "wrong"] as const) {
          const all = nodes(strategy, ahead, still);
          const { world } = all;
          let at = isWrong ? all.wrong : all.right;
          const browser = visit(() => at);
          expect(await comeByLink(world, browser)).toBe("/");
          at = all[read];
          pass(LIFE - skew - SLACK);
          expect(await isIn(browser), `${read}, before`).toBe(true);
          pass(2 * skew + 2 * SLACK);
          expect(await isIn(browser), `${read}, after`).toBe(false);
        }
      },
    );

    it("F17: who comes by every five minutes stays in, and never for longer than life and skew", async () => {
      const { world, right, wrong } = nodes(strategy, ahead, {
        maxAge: LIFE / 1000,
        updateAge: 600,
      });
      let at = right;
      const browser = visit(() => at);
      expect(await comeByLink(world, browser)).toBe("/");
      for (let visits = 0; visits < 60; visits++) {
        pass(5 * MINUTE);
        at = visits % 3 === 0 ? wrong : right;
        const left = (await endOf(browser)) - now;
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(LIFE + skew + 1000);
      }
      pass(LIFE + skew + SLACK);
      at = right;
      expect(await isIn(browser)).toBe(false);
      expect(right.node.errors).toEqual([]);
      expect(wrong.node.errors).toEqual([]);
    });

    it("F17: what begins at one ends at the other", async () => {
      for (const begins of ["right", "wrong"] as const) {
        const all = nodes(strategy, ahead, {});
        const ends = begins === "right" ? all.wrong : all.right;
        let at = all[begins];
        const browser = visit(() => at);
        const back = await setOut(op, browser);
        at = ends;
        expect(locationOf(await browser.get(back))).toBe("/");
        at = all[begins];
        const { link } = await ask(all.world, browser);
        at = ends;
        expect(locationOf(await browser.get(link))).toBe("/");
        expect(people(all.world.storage)).toHaveLength(1);
      }
    });

    it("F17: a link is good for its time, give or take that much", async () => {
      for (const begins of ["right", "wrong"] as const) {
        const world = createWorld({ strategy });
        const mail = { maxAge: 1800 };
        const right = { node: world.node({}, mail), ahead: 0 };
        const wrong = { node: world.node({}, mail), ahead };
        let at = begins === "right" ? right : wrong;
        const browser = visit(() => at);
        const [early, late] = [await ask(world, browser), await ask(world, browser)];
        at = begins === "right" ? wrong : right;
        pass(30 * MINUTE - skew - 1000);
        // The check cookie lasts 15 minutes: the button has to be pressed.
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

  it("F17: a clock that jumps back an hour signs nobody out, and begun flows end", async () => {
    const { world, right } = nodes(strategy, 0, { maxAge: 4 * 3600, updateAge: 600 });
    const browser = visit(() => right);
    expect(await comeByLink(world, browser)).toBe("/");
    const other = visit(() => right);
    const back = await setOut(op, other);
    const { link } = await ask(world, other, "eve@example.com");
    right.ahead = -HOUR;
    for (let visits = 0; visits < 10; visits++) {
      expect(await isIn(browser)).toBe(true);
      expect((await endOf(browser)) - now).toBeLessThanOrEqual(5 * HOUR);
      pass(5 * MINUTE);
    }
    expect(locationOf(await other.get(link))).toBe("/");
    expect(locationOf(await other.get(back))).toMatch(/^\/$|NotLinked/);
    right.ahead = 0;
    expect(await isIn(browser)).toBe(true);
    await browser.signOut();
    expect(await isIn(browser)).toBe(false);
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T00:30:00.000Z"],
    ["Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["America/New_York", "2026-11-01T05:30:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-04T14:30:00.000Z"],
  ])("F17: summer time begins or ends in %s: a life is as long as ever", async (zone, date) => {
    vi.stubEnv("TZ", zone);
    now = Date.parse(date);
    vi.setSystemTime(now);
    const before = new Date(now).getTimezoneOffset();
    expect(new Date(now + HOUR).getTimezoneOffset()).not.toBe(before);
    const { world, right } = nodes(strategy, 0, { maxAge: 7200, updateAge: 7200 });
    const browser = visit(() => right);
    expect(await comeByLink(world, browser)).toBe("/");
    expect((await endOf(browser)) - now).toBe(7200 * 1000);
    pass(7200 * 1000 - 1000);
    expect(await isIn(browser)).toBe(true);
    pass(2000);
    expect(await isIn(browser)).toBe(false);
  });

  it.each([
    ["the year 2038", "2038-01-19T03:14:07.500Z"],
    ["the year 2106", "2106-02-07T06:28:15.500Z"],
    ["the epoch", "1970-01-01T00:00:00.000Z"],
    ["before the epoch", "1969-12-31T23:59:50.000Z"],
    ["long before it", "1901-12-13T20:45:51.000Z"],
  ])("F17: at %s everything has a date", async (_, date) => {
    now = Date.parse(date);
    vi.setSystemTime(now);
    const { world, right } = nodes(strategy, 0, { maxAge: 3600, updateAge: 600 });
    const browser = visit(() => right);
    expect(await comeByLink(world, browser)).toBe("/");
    expect((await endOf(browser)) - now).toBeGreaterThan(3598_000);
    pass(20 * MINUTE);
    expect((await endOf(browser)) - now).toBeGreaterThan(3598_000);
    expect(
      await come(
        op,
        visit(() => right),
      ),
    ).toMatch(/^\/$|NotLinked/);
    pass(2 * HOUR);
    expect(await isIn(browser)).toBe(false);
  });
});
