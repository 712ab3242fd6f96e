import { expect } from "vitest";
import {
  addressOf,
  enroll,
  errorsOf,
  expectWholeIndex,
  NOTHING,
  type Race,
  times,
} from "./_flow-race.ts";
import { haveOverlapped } from "./_flow-rounds.ts";

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
    const [arrived = NOTHING, ...moved] = await meet([
      { do: "go", path, jar: started.jar, delay: jitter(), at: draw(count) },
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
    if (!welcome) expect(arrived.text, "where they are led").toMatch(/[?]error=\w/);
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
