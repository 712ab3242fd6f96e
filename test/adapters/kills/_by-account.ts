import assert from "node:assert/strict";
import {
  ADA,
  copyOf,
  EMAIL,
  GRACE,
  type Journey,
  MALLORY,
  signIn,
  signInAndKnow,
} from "./_journey.ts";
import { assertIn, assertOut, come, enter, hasSession, letter, tokenIn } from "./_ways.ts";
import { CLERK } from "./_world.ts";

/** Ways in by an account or a password, and links of accounts. */
export const BY_ACCOUNT: Record<string, Journey> = {
  "the first sign-in": { person: ADA, act: signIn, again: signInAndKnow, people: 1 },

  "the first sign-in without an address": {
    person: GRACE,
    act: (world) => come(world, world.browser, GRACE),
    async again(world) {
      await come(world, world.browser, GRACE);
      await assertIn(world.browser);
    },
    people: 1,
  },

  "a return": {
    person: ADA,
    before: (world) => come(world, world.visit(ADA), ADA),
    act: signIn,
    again: signInAndKnow,
    people: 1,
  },

  "a sign-in while signed in": {
    person: ADA,
    before: signIn,
    act: signIn,
    async again(world) {
      const old = copyOf(world, world.browser);
      await signInAndKnow(world);
      assert.notEqual(tokenIn(world.browser), tokenIn(old));
      await assertOut(old, "the old session");
    },
    people: 1,
    stays: "while answered",
  },

  "a sign-in with another account of a proved address": {
    person: ADA,
    before: (world) => letter(world, world.visit(ADA), EMAIL),
    act: (world) => come(world, world.browser, ADA, { provider: "trusted" }),
    async again(world) {
      await come(world, world.browser, ADA, { provider: "trusted" });
      await assertIn(world.browser);
    },
    people: 1,
  },

  "a stranger with somebody's address": {
    person: null,
    before: (world) => letter(world, world.visit(ADA), EMAIL),
    act: (world) => come(world, world.browser, MALLORY, { provider: "trusted" }),
    async again(world) {
      await come(world, world.browser, MALLORY, { provider: "trusted" });
      await assertOut(world.browser, "the stranger");
    },
    people: 1,
  },

  "the link of an account": {
    person: ADA,
    before: signIn,
    act: (world) => come(world, world.browser, GRACE, { link: true }),
    async again(world) {
      if (!(await hasSession(world.browser))) await signInAndKnow(world);
      await come(world, world.browser, GRACE, { link: true });
      const other = world.visit(ADA);
      await come(world, other, GRACE);
      await assertIn(other, "the owner of the linked account");
    },
    people: 1,
    stays: "while answered",
  },

  "the end of a link of an account": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await come(world, world.browser, GRACE, { link: true });
    },
    act: async ({ adapter }) =>
      adapter.unlinkAccount({ provider: "idp", providerAccountId: "grace" }),
    async again(world) {
      const account = { provider: "idp", providerAccountId: "grace" };
      await world.adapter.unlinkAccount(account);
      assert.equal(await world.adapter.getUserByAccount(account), null);
      // It can be had again, by anybody.
      const other = world.visit(GRACE);
      await come(world, other, GRACE);
      await assertIn(other, "the owner of the account");
      await signInAndKnow(world);
    },
    people: 2,
    stays: "always",
  },

  "the first sign-in with a password": {
    person: CLERK,
    act: (world) => enter(world, world.browser),
    async again(world) {
      await enter(world, world.browser);
      await assertIn(world.browser);
    },
    people: 1,
  },

  "a return with a password": {
    person: CLERK,
    before: (world) => enter(world, world.visit(CLERK)),
    act: (world) => enter(world, world.browser),
    async again(world) {
      await enter(world, world.browser);
      await assertIn(world.browser);
    },
    people: 1,
  },
};
