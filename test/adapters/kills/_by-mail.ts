import assert from "node:assert/strict";
import type { KillsApp } from "./_app.ts";
import { ADA, EMAIL, type Journey, MALLORY } from "./_journey.ts";
import {
  requestLink,
  assertIn,
  assertOut,
  signInAtIdp,
  followLink,
  hasSession,
  signInByEmail,
  press,
} from "./_ways.ts";

/** Sign-in by an e-mail link. */
export const BY_MAIL: Record<string, Journey> = {
  "a request for a mailed link": {
    person: ADA,
    act: (app) => requestLink(app, app.browser, EMAIL),
    async again(app) {
      const early = newest(app);
      // A request that is delivered twice sends one e-mail.
      const link = (await requestLink(app, app.browser, EMAIL)) ?? early;
      await followLink(app, app.browser, link);
      await assertIn(app.browser);
      if (early === undefined || early === link) return;
      // If an e-mail was sent twice, each of the two links works once.
      const other = app.openBrowser(ADA);
      await press(app, other, early);
      await assertIn(other, "the browser with the first mail");
    },
    people: 1,
  },

  "a request for a link whose mail fails": {
    person: ADA,
    async act(app) {
      app.weather.noMail = true;
      await requestLink(app, app.browser, EMAIL);
    },
    async again(app) {
      app.weather.noMail = false;
      await signInByEmail(app, app.browser, EMAIL);
      await assertIn(app.browser);
    },
    people: 1,
  },

  "the first sign-in by mail": {
    person: ADA,
    before: (app) => requestLink(app, app.browser, EMAIL),
    act: (app) => followLink(app, app.browser, newest(app)),
    again: followAgain,
    people: 1,
  },

  "a later sign-in by mail, in another browser": {
    person: ADA,
    async before(app) {
      await signInByEmail(app, app.openBrowser(ADA), EMAIL);
      await requestLink(app, app.openBrowser(ADA), EMAIL);
    },
    act: (app) => press(app, app.browser, newest(app)),
    again: followAgain,
    people: 1,
  },

  "a mailed link that the signIn callback rejects": {
    person: ADA,
    before: (app) => requestLink(app, app.browser, EMAIL),
    async act(app) {
      app.weather.closed = true;
      await followLink(app, app.browser, newest(app));
    },
    async again(app) {
      await assertOut(app.browser);
      app.weather.closed = false;
      await followAgain(app);
    },
    people: 1,
  },

  "a used link": {
    person: null,
    async before(app) {
      await signInByEmail(app, app.openBrowser(ADA), EMAIL);
    },
    act: (app) => press(app, app.browser, newest(app)),
    async again(app) {
      await press(app, app.browser, newest(app));
      await assertOut(app.browser, "a browser with a used link");
    },
    people: 1,
  },

  "the first sign-in by mail of the owner of a registered address": {
    person: ADA,
    async before(app) {
      await signInAtIdp(app, app.openBrowser(MALLORY), MALLORY);
      await requestLink(app, app.browser, EMAIL);
    },
    act: (app) => followLink(app, app.browser, newest(app)),
    async again(app) {
      await followAgain(app);
      const attacker = app.openBrowser(null);
      await signInAtIdp(app, attacker, MALLORY);
      await assertOut(attacker, "the attacker who registered before");
      for (const [browser, person] of app.browsers) {
        if (person === MALLORY) await assertOut(browser, "the attacker who registered before");
      }
    },
    people: 1,
  },
};

const newest = (app: KillsApp) => app.links.at(-1);

// A user whose redemption was interrupted tries the link again, and requests another one if needed.
async function followAgain(app: KillsApp): Promise<void> {
  const link = newest(app);
  const answer = await press(app, app.browser, link);
  if (!(await hasSession(app.browser))) {
    assert.match(answer.headers.get("location") ?? "", /error=Verification/, "the page reports it");
    await signInByEmail(app, app.browser, EMAIL);
  }
  await assertIn(app.browser);
  // I2: another user cannot use the link.
  const other = app.openBrowser(null);
  await press(app, other, link);
  await assertOut(other, "a browser with a used link");
}
