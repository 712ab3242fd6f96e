import { expect } from "vitest";
import {
  buildAddress,
  enroll,
  listErrors,
  expectWholeIndex,
  NOTHING,
  type Race,
  times,
} from "./_flow-race.ts";
import { haveOverlapped } from "./_flow-rounds.ts";

/** Every process changes addresses concurrently, and some change to the same one. */
export const emailChange: Race = {
  async round(round) {
    const { key, count, draw, jitter, meet, saw } = round;
    const own = times(count, (at) => buildAddress(`${key}-${at}`));
    const free = times(count, (at) => buildAddress(`${key}-free-${at}`));
    const people = await enroll(round, own);
    const ids = people.map(({ userId }) => userId);
    const targets = [...own, free[0] ?? ""];
    const PLANS: Record<string, (at: number) => [who: number, to: string | undefined]> = {
      "all change to one address": (at) => [at, free[0]],
      "one user changes several times": (at) => [0, free[at]],
      "random users change to random addresses": () => [draw(count), targets[draw(targets.length)]],
    };
    const [plan = "", draft] = Object.entries(PLANS)[draw(3)] ?? [];
    const moves = times(count, (at) => {
      const [who, email = ""] = draft?.(at) ?? [0];
      return { do: "move", userId: ids[who] ?? "", email, delay: jitter() } as const;
    });
    // A new user signs in with an address that may become free at that moment.
    const stranger = { sub: `${key}-new`, email: own[draw(count)] ?? "" };
    const [started = NOTHING] = await meet([{ do: "start", claims: stranger }]);
    const path = started.text ?? "";
    const [arrived = NOTHING, ...moved] = await meet([
      { do: "go", path, jar: started.jar, delay: jitter(), at: draw(count) },
      ...moves.map((move, at) => ({ ...move, at })),
    ]);
    if (haveOverlapped(moved)) saw("overlap");
    saw(plan);
    const refusals = listErrors(moved);
    expect(refusals).toEqual(refusals.map(() => "The address belongs to another user."));
    if (plan === "all change to one address") expect(refusals.length, "rejected").toBe(count - 1);
    if (plan === "one user changes several times") expect(refusals.length, "rejected").toBe(0);

    // No user is lost, and each has a former or a requested address.
    const looked = await meet([...people, arrived].map(({ jar }) => ({ do: "look", jar })));
    const { seen: welcome } = looked.pop() ?? NOTHING;
    saw(welcome ? "a new user signed in" : "a new user rejected");
    if (!welcome) expect(arrived.text, "location of the rejection").toMatch(/[?]error=\w/);
    else expect([arrived.errors, welcome.email]).toEqual([[], stranger.email]);
    expect(looked.map(({ text }) => text)).toEqual(ids);
    const holders = new Map<string, string>();
    for (const seen of [...looked.map((one) => one.seen), welcome]) {
      if (!seen) continue;
      expect(holders.has(seen.email ?? ""), `holders of ${seen.email}`).toBe(false);
      holders.set(seen.email ?? "", seen.userId);
    }
    for (const [at, { seen }] of looked.entries()) {
      const given = moves.filter(({ userId }, move) => userId === ids[at] && moved[move]?.text);
      const mine = given.map(({ email }) => email);
      expect(mine.length ? mine : [own[at]]).toContain(seen?.email);
    }

    // Each address leads to its holder, and the others lead to no user.
    const finds = [...own, ...free].map(
      (email) => ({ do: "find", email, at: draw(count) }) as const,
    );
    const found = await meet(finds);
    expect(listErrors(found)).toEqual([]);
    for (const [at, { email }] of finds.entries()) {
      expect(found[at]?.text ?? undefined, `user found by ${email}`).toBe(holders.get(email));
    }

    // A free address can be claimed.
    const left = [...own, ...free].filter((email) => !holders.has(email));
    const email = left[draw(left.length)] ?? "";
    const [asked = NOTHING] = await meet([{ do: "ask", email, at: draw(count) }]);
    const [come = NOTHING] = await meet([{ do: "go", path: asked.text ?? "", at: draw(count) }]);
    expect(come.errors, `sign-in with ${email}`).toEqual([]);
  },
  after(records) {
    expectWholeIndex(records);
  },
  sees: [
    "overlap",
    "all change to one address",
    "one user changes several times",
    "random users change to random addresses",
    "a new user signed in",
    "a new user rejected",
  ],
};
