import assert from "node:assert/strict";
import { CLERK } from "./_app.ts";
import {
  ADA,
  copyBrowser,
  EMAIL,
  GRACE,
  type Journey,
  MALLORY,
  signIn,
  signInAndKnow,
} from "./_journey.ts";
import {
  assertIn,
  assertOut,
  signInAtIdp,
  signInWithPassword,
  hasSession,
  signInByEmail,
  tokenIn,
} from "./_ways.ts";

/** Sign-in by an account or a password, and linking of accounts. */
export const BY_ACCOUNT: Record<string, Journey> = {
  "the first sign-in": { person: ADA, act: signIn, again: signInAndKnow, people: 1 },

  "the first sign-in without an address": {
    person: GRACE,
    act: (app) => signInAtIdp(app, app.browser, GRACE),
    async again(app) {
      await signInAtIdp(app, app.browser, GRACE);
      await assertIn(app.browser);
    },
    people: 1,
  },

  "a later sign-in": {
    person: ADA,
    before: (app) => signInAtIdp(app, app.openBrowser(ADA), ADA),
    act: signIn,
    again: signInAndKnow,
    people: 1,
  },

  "a sign-in while signed in": {
    person: ADA,
    before: signIn,
    act: signIn,
    async again(app) {
      const old = copyBrowser(app, app.browser);
      await signInAndKnow(app);
      assert.notEqual(tokenIn(app.browser), tokenIn(old));
      await assertOut(old, "the old session");
    },
    people: 1,
    stays: "while answered",
  },

  "a sign-in with another account of a verified address": {
    person: ADA,
    before: (app) => signInByEmail(app, app.openBrowser(ADA), EMAIL),
    act: (app) => signInAtIdp(app, app.browser, ADA, { provider: "trusted" }),
    async again(app) {
      await signInAtIdp(app, app.browser, ADA, { provider: "trusted" });
      await assertIn(app.browser);
    },
    people: 1,
  },

  "a sign-in with an unverified account at a registered address": {
    person: null,
    before: (app) => signInByEmail(app, app.openBrowser(ADA), EMAIL),
    act: (app) => signInAtIdp(app, app.browser, MALLORY, { provider: "trusted" }),
    async again(app) {
      await signInAtIdp(app, app.browser, MALLORY, { provider: "trusted" });
      await assertOut(app.browser, "the stranger");
    },
    people: 1,
  },

  "linking an account": {
    person: ADA,
    before: signIn,
    act: (app) => signInAtIdp(app, app.browser, GRACE, { link: true }),
    async again(app) {
      if (!(await hasSession(app.browser))) await signInAndKnow(app);
      await signInAtIdp(app, app.browser, GRACE, { link: true });
      const other = app.openBrowser(ADA);
      await signInAtIdp(app, other, GRACE);
      await assertIn(other, "the owner of the linked account");
    },
    people: 1,
    stays: "while answered",
  },

  "unlinking an account": {
    person: ADA,
    async before(app) {
      await signIn(app);
      await signInAtIdp(app, app.browser, GRACE, { link: true });
    },
    act: async ({ adapter }) =>
      adapter.unlinkAccount({ provider: "idp", providerAccountId: "grace" }),
    async again(app) {
      const account = { provider: "idp", providerAccountId: "grace" };
      await app.adapter.unlinkAccount(account);
      assert.equal(await app.adapter.getUserByAccount(account), null);
      // Any user can claim the account again.
      const other = app.openBrowser(GRACE);
      await signInAtIdp(app, other, GRACE);
      await assertIn(other, "the owner of the account");
      await signInAndKnow(app);
    },
    people: 2,
    stays: "always",
  },

  "the first sign-in with a password": {
    person: CLERK,
    act: (app) => signInWithPassword(app, app.browser),
    async again(app) {
      await signInWithPassword(app, app.browser);
      await assertIn(app.browser);
    },
    people: 1,
  },

  "a later sign-in with a password": {
    person: CLERK,
    before: (app) => signInWithPassword(app, app.openBrowser(CLERK)),
    act: (app) => signInWithPassword(app, app.browser),
    async again(app) {
      await signInWithPassword(app, app.browser);
      await assertIn(app.browser);
    },
    people: 1,
  },
};
