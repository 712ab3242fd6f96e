import assert from "node:assert/strict";
import type { Browser } from "../../../src/testing.ts";
import { ADA, copyOf, idOf, type Journey, signIn } from "./_journey.ts";
import { assertIn, assertOut, come, tokenIn } from "./_ways.ts";

/** What becomes of sessions. */
export const OF_SESSIONS: Record<string, Journey> = {
  "a sign-out": {
    person: ADA,
    before: signIn,
    act: ({ browser }) => browser.signOut(),
    async again(world) {
      const { browser } = world;
      const copy = copyOf(world, browser);
      await browser.signOut();
      assert.equal(tokenIn(browser), undefined);
      await assertOut(copy, "a copy of the browser");
    },
    people: 1,
  },

  "a sign-out everywhere": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await come(world, world.visit(ADA), ADA);
    },
    act: async (world) => world.adapter.deleteSessionsByUserId(await idOf(world)),
    async again(world) {
      await world.adapter.deleteSessionsByUserId(await idOf(world));
      for (const browser of world.browsers.keys()) await assertOut(browser);
    },
    people: 1,
  },

  "a session's extension": {
    person: ADA,
    before: signIn,
    act: ({ browser }) => browser.session(),
    again: ({ browser }) => assertIn(browser),
    people: 1,
    stays: "always",
  },

  "a session's update": {
    person: ADA,
    before: signIn,
    act: (world) => update(world.browser),
    async again(world) {
      assert.equal((await update(world.browser)).status, 200);
      await assertIn(world.browser);
    },
    people: 1,
    stays: "always",
  },
};

async function update(browser: Browser): Promise<Response> {
  const csrfToken = await browser.csrfToken();
  const body = JSON.stringify({ csrfToken, data: { user: { name: "Countess" } } });
  const headers = { "content-type": "application/json", accept: "application/json" };
  return browser.post("/auth/session", {}, { body, headers });
}
