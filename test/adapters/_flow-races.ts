import { expect } from "vitest";
import { type Answer, isLinearizable } from "../stores/_history.ts";
import {
  buildAddress,
  enroll,
  listErrors,
  expectWholeIndex,
  NOTHING,
  type Race,
  times,
  unique,
} from "./_flow-race.ts";
import { haveOverlapped } from "./_flow-rounds.ts";

const DAY = 24 * 60 * 60 * 1000;
// On a busy machine, one of four processes may rarely win, but not always the same one.
const WINNERS = ["won by the first process", "won by a later process"];
const winnerOf = (at: number, count: number) => WINNERS[at % count ? 1 : 0] ?? "";

/** One user signs in for the first time, in every process concurrently (SECURITY.md F19). */
export const firstSignIn: Race = {
  async round({ key, count, draw, jitter, meet, saw }) {
    const claims = { sub: key, ...(draw(2) && { email: buildAddress(key) }) };
    const start = { do: "start", claims } as const;
    const started = await meet(times(count, () => start));
    const arrived = await meet(
      started.map(({ text, jar }) => ({ do: "go", path: text ?? "", jar, delay: jitter() })),
    );
    if (haveOverlapped(arrived)) saw("overlap");
    // The session is valid in another process too.
    const looked = await meet(
      arrived.map(({ jar }, at) => ({ do: "look", jar, at: (at + 1) % count })),
    );
    const lost = arrived.filter((_, at) => looked[at]?.text === null);
    for (const { text, errors } of lost) {
      expect(text, "location of a loser").toMatch(/[?]error=\w/);
      for (const error of errors) saw(`lost by ${error}`);
    }
    const again = await meet(lost.map(() => start));
    const back = await meet(again.map(({ text, jar }) => ({ do: "go", path: text ?? "", jar })));
    const retried = await meet(back.map(({ jar }) => ({ do: "look", jar })));
    expect(listErrors(back), "errors of the retries").toEqual([]);
    const ids = looked.concat(retried).flatMap(({ text }) => text ?? []);
    expect(ids.length, "signed-in browsers").toBe(count);
    expect(unique(ids), "users").toBe(1);
  },
  after(records, rounds) {
    const { users, accounts } = records;
    expect(users.length, "users").toBe(rounds);
    expect(accounts.length, "accounts").toBe(rounds);
    expect(unique(accounts.map(({ what }) => what.data.providerAccountId))).toBe(rounds);
    const owners = accounts.map(({ userId }) => userId).sort();
    expect(owners, "owners").toEqual(users.map(({ id }) => id).sort());
    expectWholeIndex(records);
  },
  sees: ["overlap"],
};

/**
 * Browsers follow an e-mail link concurrently (F20): the one that requested it, or others that
 * press the button.
 */
function redemption(parallel: (count: number) => number): Race {
  return {
    async round({ key, count, draw, jitter, meet, saw }) {
      const email = buildAddress(key);
      const [asked = NOTHING] = await meet([{ do: "ask", email, at: draw(count) }]);
      const go = { do: "go", path: asked.text ?? "" } as const;
      const followed = await meet(
        times(parallel(count), () => ({
          ...go,
          ...(draw(2) && { jar: asked.jar }),
          delay: jitter(),
        })),
      );
      if (haveOverlapped(followed)) saw("overlap");
      const late = await meet([{ ...go, jar: asked.jar, at: draw(count) }]);
      const all = [...followed, ...late];
      const looked = await meet(
        all.map(({ jar }, at) => ({ do: "look", jar, at: (at + 1) % count })),
      );
      const won = looked.findIndex(({ text }) => text !== null);
      saw(winnerOf(won, count));
      expect(looked.filter(({ text }) => text !== null).length, "winners").toBe(1);
      const put: Answer = { ...asked, operation: "put", key, value: "token" };
      const takes = all.map(({ began, ended }, at): Answer => ({
        ...{ operation: "take", key, began, ended },
        result: at === won ? "token" : null,
      }));
      expect(isLinearizable([put, ...takes]), JSON.stringify(takes)).toBe(true);
      expect(looked[won]?.seen?.email).toBe(email);
      expect(listErrors([asked, ...looked]), "errors besides the losers'").toEqual([]);
      for (const [at, { errors, text }] of all.entries()) {
        if (at === won) expect(errors).toEqual([]);
        else expect([errors, text]).toEqual([["Verification"], "/auth/error?error=Verification"]);
      }
    },
    after(records, rounds) {
      expect(records.users.length, "users").toBe(rounds);
      expect(records.users.filter(({ emailVerified }) => !emailVerified)).toEqual([]);
      expect(records.sessions.length, "sessions").toBe(rounds);
      expect(records.tokens, "tokens left").toEqual([]);
      expectWholeIndex(records);
    },
    sees: ["overlap", ...WINNERS],
  };
}

/** Every process receives the same e-mail link concurrently. */
export const linkRedemption = redemption((count) => count);

/** Fifty browsers follow the same e-mail link concurrently. */
export const manyRedemptions = redemption(() => 50);

/** Tabs of one browser read a session that is due for extension, in every process (F22). */
export const sessionRefresh: Race = {
  async round(round) {
    const { key, count, jitter, meet, saw } = round;
    const [person] = await enroll(round, [buildAddress(key)]);
    const { jar = [], userId } = person ?? {};
    const looked = await meet(times(count * 2, () => ({ do: "look", jar, delay: jitter() })));
    const again = await meet(times(count, () => ({ do: "look", jar, delay: jitter() })));
    if (haveOverlapped(looked)) saw("overlap");
    const won = looked.findIndex(({ extended }) => extended);
    saw(winnerOf(won, count));
    const all = [...looked, ...again];
    expect(listErrors(all)).toEqual([]);
    expect(all.map(({ text }) => text)).toEqual(all.map(() => userId));
    expect(all.map(({ jar: kept }) => kept)).toEqual(all.map(() => jar));
    expect(
      looked.reduce((sum, { extended }) => sum + extended, 0),
      "writes",
    ).toBe(1);
    expect(
      again.reduce((sum, { extended }) => sum + extended, 0),
      "writes later",
    ).toBe(0);
    expect(unique(all.map(({ seen }) => seen?.expires)), "expiries").toBe(1);
    const { expires = "" } = looked[0]?.seen ?? {};
    expect(Date.parse(expires)).toBeGreaterThan(Date.now() + 29.9 * DAY);
    const cookies = all.flatMap(({ seen }) => seen?.cookieEnds ?? []);
    expect(cookies.length, "cookies set").toBeGreaterThan(0);
    expect([...new Set(cookies)]).toEqual([Math.floor(Date.parse(expires) / 1000)]);
  },
  after(records, rounds) {
    expect(records.sessions.length, "sessions").toBe(rounds);
  },
  sees: ["overlap", ...WINNERS],
};

/** A user signs out while other tabs extend the session (F21). */
export const signOut: Race = {
  async round(round) {
    const { key, count, draw, jitter, meet, saw } = round;
    const [person] = await enroll(round, [buildAddress(key)]);
    const { jar = [], userId } = person ?? {};
    const leaver = draw(count);
    const visits = times(count + 1, (at) => ({ do: "look", jar, delay: jitter(), at }) as const);
    const [left = NOTHING, ...looked] = await meet([
      // A sign-out is faster than an extension, so it starts later in some rounds.
      { do: "leave", jar, delay: jitter() * (1 + draw(3)), at: leaver },
      ...visits,
    ]);
    if (haveOverlapped([left, ...looked])) saw("overlap");
    for (const { text, extended } of looked) {
      saw(text === null ? "a read after the sign-out" : "a read before the sign-out");
      if (extended) saw("an extension before the sign-out");
    }
    expect(listErrors([left, ...looked])).toEqual([]);
    expect(looked.map(({ text }) => text ?? userId)).toEqual(looked.map(() => userId));
    expect(left.jar.map(([name]) => name)).toEqual(["authjs.csrf-token"]);
    // The cookie is invalid in every process, both its old value and the value that another tab
    // received.
    const replays = await meet(
      [...looked, ...times(count, () => ({ jar }))].map((one) => ({ do: "look", jar: one.jar })),
    );
    expect(listErrors(replays)).toEqual([]);
    expect(replays.filter(({ text, extended }) => text !== null || extended)).toEqual([]);
  },
  after(records, rounds) {
    expect(records.sessions, "sessions left").toEqual([]);
    expect(records.users.length, "users").toBe(rounds);
  },
  sees: [
    "overlap",
    "a read after the sign-out",
    "a read before the sign-out",
    "an extension before the sign-out",
  ],
};
