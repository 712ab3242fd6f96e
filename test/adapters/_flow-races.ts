import { expect } from "vitest";
import { type Answer, isLinearizable } from "../stores/_history.ts";
import type { Visited } from "./_flow-app.ts";
import { haveOverlapped, type Records, type Round } from "./_flow-rounds.ts";

/** Several people at one thing: what they do in a round, and what must lie there after all rounds. */
export interface Race {
  round(round: Round): Promise<void>;
  after(records: Records, rounds: number): void;
  /** What must have been seen, or the rounds were no race. */
  sees(count: number): string[];
}

const NOTHING: Visited = { began: "0", ended: "0", jar: [], text: null, errors: [], extended: 0 };
const DAY = 24 * 60 * 60 * 1000;
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const addressOf = (key: string) => `${key}@example.com`;
const winners = (count: number) => times(count, (at) => `won by ${at}`);
const errorsOf = (visited: readonly Visited[]) => visited.flatMap(({ errors }) => errors);
const unique = (values: readonly unknown[]) => new Set(values).size;

// Everybody whose address it says has it, and nobody else is said to.
function expectWholeIndex({ users, emails }: Records): void {
  const addresses = users.flatMap(({ email }) => email ?? []);
  expect(unique(addresses), "holders of one address").toBe(addresses.length);
  const claims = emails.map(({ userId }) => userId).sort();
  const holders = users.flatMap(({ id, email }) => (email ? id : [])).sort();
  expect(claims, "claims of addresses").toEqual(holders);
}

// People who are there already; their browsers are signed in.
async function enroll({ meet }: Round, emails: readonly string[]) {
  const enrolled = await meet(emails.map((email) => ({ do: "enroll", email })));
  expect(errorsOf(enrolled), "before the race").toEqual([]);
  return enrolled.map(({ text, jar }) => ({ userId: text ?? "", jar }));
}

/** One person comes for the first time, in every process at once (SECURITY.md F19). */
export const firstSignIn: Race = {
  async round({ key, count, draw, jitter, meet, saw }) {
    const claims = { sub: key, ...(draw(2) && { email: addressOf(key) }) };
    const start = { do: "start", claims } as const;
    const started = await meet(times(count, () => start));
    const arrived = await meet(
      started.map(({ text, jar }) => ({ do: "go", path: text ?? "", jar, delay: jitter() })),
    );
    if (haveOverlapped(arrived)) saw("overlap");
    // Another process knows the session as well.
    const looked = await meet(
      arrived.map(({ jar }, at) => ({ do: "look", jar, at: (at + 1) % count })),
    );
    const lost = arrived.filter((_, at) => looked[at]?.text === null);
    for (const { text, errors } of lost) {
      expect(text, "where a loser is led").toMatch(/[?]error=\w/);
      for (const error of errors) saw(`lost by ${error}`);
    }
    const again = await meet(lost.map(() => start));
    const back = await meet(again.map(({ text, jar }) => ({ do: "go", path: text ?? "", jar })));
    const retried = await meet(back.map(({ jar }) => ({ do: "look", jar })));
    expect(errorsOf(back), "of those who try again").toEqual([]);
    const ids = looked.concat(retried).flatMap(({ text }) => text ?? []);
    expect(ids.length, "browsers that are signed in").toBe(count);
    expect(unique(ids), "people").toBe(1);
  },
  after(records, rounds) {
    const { users, accounts } = records;
    expect(users.length, "people").toBe(rounds);
    expect(accounts.length, "accounts").toBe(rounds);
    expect(unique(accounts.map(({ what }) => what.data.providerAccountId))).toBe(rounds);
    const owners = accounts.map(({ userId }) => userId).sort();
    expect(owners, "owners").toEqual(users.map(({ id }) => id).sort());
    expectWholeIndex(records);
  },
  sees: () => ["overlap"],
};

/** A mailed link is followed by so many at once (F20): the browser that asked, or one that presses. */
function redemption(parallel: (count: number) => number): Race {
  return {
    async round({ key, count, draw, jitter, meet, saw }) {
      const email = addressOf(key);
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
      saw(`won by ${won % count}`);
      expect(looked.filter(({ text }) => text !== null).length, "winners").toBe(1);
      const put: Answer = { ...asked, operation: "put", key, value: "token" };
      const takes = all.map(({ began, ended }, at): Answer => ({
        ...{ operation: "take", key, began, ended },
        result: at === won ? "token" : null,
      }));
      expect(isLinearizable([put, ...takes]), JSON.stringify(takes)).toBe(true);
      expect(looked[won]?.seen?.email).toBe(email);
      expect(errorsOf([asked, ...looked]), "of nobody who lost").toEqual([]);
      for (const [at, { errors, text }] of all.entries()) {
        if (at === won) expect(errors).toEqual([]);
        else expect([errors, text]).toEqual([["Verification"], "/auth/error?error=Verification"]);
      }
    },
    after(records, rounds) {
      expect(records.users.length, "people").toBe(rounds);
      expect(records.users.filter(({ emailVerified }) => !emailVerified)).toEqual([]);
      expect(records.sessions.length, "sessions").toBe(rounds);
      expect(records.tokens, "links that are left").toEqual([]);
      expectWholeIndex(records);
    },
    sees: (count) => ["overlap", ...winners(count)],
  };
}

/** A mailed link is followed in every process at once. */
export const linkRedemption = redemption((count) => count);

/** A mailed link is followed by fifty at once. */
export const manyRedemptions = redemption(() => 50);

/** Tabs of one browser read a session that is due to be extended, in every process (F22). */
export const sessionRefresh: Race = {
  async round(round) {
    const { key, count, jitter, meet, saw } = round;
    const [person] = await enroll(round, [addressOf(key)]);
    const { jar = [], userId } = person ?? {};
    const looked = await meet(times(count * 2, () => ({ do: "look", jar, delay: jitter() })));
    const again = await meet(times(count, () => ({ do: "look", jar, delay: jitter() })));
    if (haveOverlapped(looked)) saw("overlap");
    saw(`won by ${looked.findIndex(({ extended }) => extended) % count}`);
    const all = [...looked, ...again];
    expect(errorsOf(all)).toEqual([]);
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
    expect(unique(all.map(({ seen }) => seen?.expires)), "ends").toBe(1);
    const { expires = "" } = looked[0]?.seen ?? {};
    expect(Date.parse(expires)).toBeGreaterThan(Date.now() + 29.9 * DAY);
    const cookies = all.flatMap(({ seen }) => seen?.cookieEnds ?? []);
    expect(cookies.length, "cookies that are set").toBeGreaterThan(0);
    expect([...new Set(cookies)]).toEqual([Math.floor(Date.parse(expires) / 1000)]);
  },
  after(records, rounds) {
    expect(records.sessions.length, "sessions").toBe(rounds);
  },
  sees: (count) => ["overlap", ...winners(count)],
};

/** Somebody signs out while their other tabs extend the session (F21). */
export const signOut: Race = {
  async round(round) {
    const { key, count, draw, jitter, meet, saw } = round;
    const [person] = await enroll(round, [addressOf(key)]);
    const { jar = [], userId } = person ?? {};
    const leaver = draw(count);
    const visits = times(count + 1, (at) => ({ do: "look", jar, delay: jitter(), at }) as const);
    const [left = NOTHING, ...looked] = await meet([
      // A sign-out is quicker than an extension: at times it starts later.
      { do: "leave", jar, delay: jitter() * (1 + draw(3)), at: leaver },
      ...visits,
    ]);
    if (haveOverlapped([left, ...looked])) saw("overlap");
    for (const { text, extended } of looked) {
      saw(text === null ? "a read after the sign-out" : "a read before the sign-out");
      if (extended) saw("an extension before the sign-out");
    }
    expect(errorsOf([left, ...looked])).toEqual([]);
    expect(looked.map(({ text }) => text ?? userId)).toEqual(looked.map(() => userId));
    expect(left.jar.map(([name]) => name)).toEqual(["authjs.csrf-token"]);
    // The cookie, from before or as another tab kept it, is dead in every process.
    const replays = await meet(
      [...looked, ...times(count, () => ({ jar }))].map((one) => ({ do: "look", jar: one.jar })),
    );
    expect(errorsOf(replays)).toEqual([]);
    expect(replays.filter(({ text, extended }) => text !== null || extended)).toEqual([]);
  },
  after(records, rounds) {
    expect(records.sessions, "sessions that are left").toEqual([]);
    expect(records.users.length, "people").toBe(rounds);
  },
  sees: () => [
    ...["overlap", "a read after the sign-out", "a read before the sign-out"],
    "an extension before the sign-out",
  ],
};

/** Addresses are changed by every process at once, some of them to the same one. */
export const emailChange: Race = {
  async round(round) {
    const { key, count, draw, jitter, meet, saw } = round;
    const own = times(count, (at) => addressOf(`${key}-${at}`));
    const free = times(count, (at) => addressOf(`${key}-free-${at}`));
    const people = await enroll(round, own);
    const ids = people.map(({ userId }) => userId);
    const targets = [...own, free[0] ?? ""];
    const PLANS: Record<string, (at: number) => [who: number, to: string | undefined]> = {
      "all want one address": (at) => [at, free[0]],
      "one gets several": (at) => [0, free[at]],
      "anybody wants anything": () => [draw(count), targets[draw(targets.length)]],
    };
    const [plan = "", draft] = Object.entries(PLANS)[draw(3)] ?? [];
    const moves = times(count, (at) => {
      const [who, email = ""] = draft?.(at) ?? [0];
      return { do: "move", userId: ids[who] ?? "", email, delay: jitter() } as const;
    });
    // A stranger comes to an address that may just become free.
    const stranger = { sub: `${key}-new`, email: own[draw(count)] ?? "" };
    const [started = NOTHING] = await meet([{ do: "start", claims: stranger }]);
    const path = started.text ?? "";
    const newcomer = {
      do: "go",
      path,
      jar: started.jar,
      delay: jitter(),
      at: draw(count),
    } as const;
    const [arrived = NOTHING, ...moved] = await meet([
      newcomer,
      ...moves.map((move, at) => ({ ...move, at })),
    ]);
    if (haveOverlapped(moved)) saw("overlap");
    saw(plan);
    const refusals = errorsOf(moved);
    expect(refusals).toEqual(refusals.map(() => "The address belongs to another user."));
    if (plan === "all want one address") expect(refusals.length, "refused").toBe(count - 1);
    if (plan === "one gets several") expect(refusals.length, "refused").toBe(0);

    // Nobody is lost, and each has an address they had or were given.
    const looked = await meet([...people, arrived].map(({ jar }) => ({ do: "look", jar })));
    const { seen: welcome } = looked.pop() ?? NOTHING;
    saw(welcome ? "a stranger let in" : "a stranger refused");
    expect(arrived.errors).toEqual(welcome ? [] : ["OAuthAccountNotLinked"]);
    if (welcome) expect(welcome.email).toBe(stranger.email);
    expect(looked.map(({ text }) => text)).toEqual(ids);
    const holders = new Map<string, string>();
    for (const seen of [...looked.map((one) => one.seen), welcome]) {
      if (!seen) continue;
      expect(holders.has(seen.email ?? ""), `holders of ${seen.email}`).toBe(false);
      holders.set(seen.email ?? "", seen.userId);
    }
    for (const [at, { seen }] of looked.entries()) {
      const given = moves.filter((_, move) => moved[move]?.text).map((move) => move);
      const mine = given.filter(({ userId }) => userId === ids[at]).map(({ email }) => email);
      expect(mine.length ? mine : [own[at]]).toContain(seen?.email);
    }

    // Whoever has an address is found by it, and nobody by the others.
    const finds = [...own, ...free].map(
      (email) => ({ do: "find", email, at: draw(count) }) as const,
    );
    const found = await meet(finds);
    expect(errorsOf(found)).toEqual([]);
    for (const [at, { email }] of finds.entries()) {
      expect(found[at]?.text ?? undefined, `who is found by ${email}`).toBe(holders.get(email));
    }

    // Whatever is free can be had.
    const left = [...own, ...free].filter((email) => !holders.has(email));
    const email = left[draw(left.length)] ?? "";
    const [asked = NOTHING] = await meet([{ do: "ask", email, at: draw(count) }]);
    const [come = NOTHING] = await meet([{ do: "go", path: asked.text ?? "", at: draw(count) }]);
    expect(come.errors, `who comes to ${email}`).toEqual([]);
  },
  after(records) {
    expectWholeIndex(records);
  },
  sees: () => [
    ...["overlap", "all want one address", "one gets several", "anybody wants anything"],
    ...["a stranger let in", "a stranger refused"],
  ],
};
