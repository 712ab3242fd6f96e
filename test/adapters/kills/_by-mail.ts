import assert from "node:assert/strict";
import { ADA, EMAIL, type Journey, MALLORY } from "./_journey.ts";
import { ask, assertIn, assertOut, come, follow, hasSession, letter, press } from "./_ways.ts";
import type { World } from "./_world.ts";

/** Ways in by a mailed link. */
export const BY_MAIL: Record<string, Journey> = {
  "the wish for a link by mail": {
    person: ADA,
    act: (world) => ask(world, world.browser, EMAIL),
    async again(world) {
      const early = newest(world);
      // A request that is delivered twice sends one mail.
      const link = (await ask(world, world.browser, EMAIL)) ?? early;
      await follow(world, world.browser, link);
      await assertIn(world.browser);
      if (early === undefined || early === link) return;
      // A mail that was sent twice: both links work, each once.
      const other = world.visit(ADA);
      await press(world, other, early);
      await assertIn(other, "who has the first mail");
    },
    people: 1,
  },

  "a mail that cannot be sent": {
    person: ADA,
    async act(world) {
      world.weather.noMail = true;
      await ask(world, world.browser, EMAIL);
    },
    async again(world) {
      world.weather.noMail = false;
      await letter(world, world.browser, EMAIL);
      await assertIn(world.browser);
    },
    people: 1,
  },

  "the first sign-in by mail": {
    person: ADA,
    before: (world) => ask(world, world.browser, EMAIL),
    act: (world) => follow(world, world.browser, newest(world)),
    again: followAgain,
    people: 1,
  },

  "a return by mail, in another browser": {
    person: ADA,
    async before(world) {
      await letter(world, world.visit(ADA), EMAIL);
      await ask(world, world.visit(ADA), EMAIL);
    },
    act: (world) => press(world, world.browser, newest(world)),
    again: followAgain,
    people: 1,
  },

  "a mailed link that is refused": {
    person: ADA,
    before: (world) => ask(world, world.browser, EMAIL),
    async act(world) {
      world.weather.closed = true;
      await follow(world, world.browser, newest(world));
    },
    async again(world) {
      await assertOut(world.browser);
      world.weather.closed = false;
      await followAgain(world);
    },
    people: 1,
  },

  "a used link": {
    person: null,
    async before(world) {
      await letter(world, world.visit(ADA), EMAIL);
    },
    act: (world) => press(world, world.browser, newest(world)),
    async again(world) {
      await press(world, world.browser, newest(world));
      await assertOut(world.browser, "somebody with a used link");
    },
    people: 1,
  },

  "the owner's arrival at a registered address": {
    person: ADA,
    async before(world) {
      await come(world, world.visit(MALLORY), MALLORY);
      await ask(world, world.browser, EMAIL);
    },
    act: (world) => follow(world, world.browser, newest(world)),
    async again(world) {
      await followAgain(world);
      const attacker = world.visit(null);
      await come(world, attacker, MALLORY);
      await assertOut(attacker, "who registered before");
      for (const [browser, person] of world.browsers) {
        if (person === MALLORY) await assertOut(browser, "who registered before");
      }
    },
    people: 1,
  },
};

const newest = (world: World) => world.outbox.at(-1);

// Who was cut short while they followed a link tries it once more, and gets another one if need be.
async function followAgain(world: World): Promise<void> {
  const link = newest(world);
  const answer = await press(world, world.browser, link);
  if (!(await hasSession(world.browser))) {
    assert.match(answer.headers.get("location") ?? "", /error=Verification/, "the page says so");
    await letter(world, world.browser, EMAIL);
  }
  await assertIn(world.browser);
  // I2: whoever else has the link gets nowhere.
  const other = world.visit(null);
  await press(world, other, link);
  await assertOut(other, "somebody with a used link");
}
