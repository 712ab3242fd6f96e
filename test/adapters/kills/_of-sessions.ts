import assert from "node:assert/strict";
import type { Browser } from "../../../src/testing/testing.ts";
import { ADA, copyBrowser, getUserId, type Journey, signIn } from "./_journey.ts";
import { assertIn, assertOut, signInAtIdp, tokenIn } from "./_ways.ts";

/** Flows that change or end sessions. */
export const OF_SESSIONS: Record<string, Journey> = {
  "a sign-out": {
    person: ADA,
    before: signIn,
    act: ({ browser }) => browser.signOut(),
    async again(app) {
      const { browser } = app;
      const copy = copyBrowser(app, browser);
      await browser.signOut();
      assert.equal(tokenIn(browser), undefined);
      await assertOut(copy, "a copy of the browser");
    },
    people: 1,
  },

  "a sign-out everywhere": {
    person: ADA,
    async before(app) {
      await signIn(app);
      await signInAtIdp(app, app.openBrowser(ADA), ADA);
    },
    act: async (app) => app.adapter.deleteSessionsByUserId(await getUserId(app)),
    async again(app) {
      await app.adapter.deleteSessionsByUserId(await getUserId(app));
      for (const browser of app.browsers.keys()) await assertOut(browser);
    },
    people: 1,
  },

  "a session's extension": {
    person: ADA,
    async before(app) {
      await signIn(app);
      // In the same millisecond there would be no extension.
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
    act: ({ browser }) => browser.session(),
    again: ({ browser }) => assertIn(browser),
    people: 1,
    stays: "always",
  },

  "a session's update": {
    person: ADA,
    before: signIn,
    act: (app) => update(app.browser),
    async again(app) {
      assert.equal((await update(app.browser)).status, 200);
      await assertIn(app.browser);
    },
    people: 1,
    stays: "always",
  },
};

function update(browser: Browser): Promise<Response> {
  return browser.send("/auth/session", { json: { data: { user: { name: "Countess" } } } });
}
