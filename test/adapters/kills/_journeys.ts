import assert from "node:assert/strict";
import type { Browser } from "../../../src/testing.ts";
import type { Person } from "./_idp.ts";
import {
  ask,
  assertIn,
  assertOut,
  come,
  enter,
  follow,
  hasSession,
  letter,
  press,
  theOne,
  tokenIn,
} from "./_ways.ts";
import { CLERK, type World } from "./_world.ts";

/** Something that people do, and what must come of it after it was cut short anywhere. */
export interface Journey {
  /** Whose browser it is; `null`: one who is never let in. */
  person: Person | null;
  /** What was there before. */
  before?(world: World): Promise<unknown>;
  /** What is cut short: it may run in a process of its own, which knows cookies and mails alone. */
  act(world: World): Promise<unknown>;
  /** After the fault: does it, or finds it done, at the first try. */
  again(world: World): Promise<unknown>;
  /** How many people there are in the end. */
  people: number;
  /**
   * Whether the person is signed in before, and stays so whatever happens (I6). Where they get a new
   * session, the old one ends before the answer is out (SECURITY.md R13): a process that dies in between
   * leaves a browser that has to sign in again.
   */
  stays?: "always" | "while answered";
}

export const ADA: Person = {
  sub: "ada",
  name: "Ada",
  email: "ada@example.com",
  email_verified: true,
};
/** Ada's other account, which tells no address. */
export const GRACE: Person = { sub: "grace", name: "Grace" };
/** Says that Ada's address is theirs. */
const MALLORY: Person = { ...ADA, sub: "mallory", name: "Mallory", email_verified: false };
export const EMAIL = "ada@example.com";
const DAY = 24 * 60 * 60 * 1000;

const signIn = (world: World) => come(world, world.browser, ADA);
const newest = (world: World) => world.outbox.at(-1);

async function signInAndKnow(world: World): Promise<void> {
  await signIn(world);
  await assertIn(world.browser);
}

function copyOf(world: World, browser: Browser): Browser {
  const copy = world.visit(ADA);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

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

const passkey = (userId: string) => ({
  credentialID: "key",
  userId,
  providerAccountId: "key",
  credentialPublicKey: "",
  counter: 1,
  credentialDeviceType: "singleDevice",
  credentialBackedUp: false,
});

const idOf = async (world: World) => (await theOne(world)).id;

export const JOURNEYS: Record<string, Journey> = {
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

  "a change of address": {
    person: ADA,
    before: signIn,
    act: async (world) =>
      world.adapter.updateUser({ id: await idOf(world), email: "countess@example.com" }),
    async again(world) {
      const [id, email] = [await idOf(world), "countess@example.com"];
      await world.adapter.updateUser({ id, email });
      assert.equal((await world.adapter.getUserByEmail(email))?.id, id);
      await assertIn(world.browser);
      // The old one is free.
      assert.equal(await world.adapter.getUserByEmail(EMAIL), null);
      const other = world.visit(ADA);
      await letter(world, other, EMAIL);
      await assertIn(other, "who has the address now");
    },
    people: 2,
    stays: "always",
  },

  "the registration of a passkey": {
    person: ADA,
    before: signIn,
    act: async (world) => world.adapter.createAuthenticator(passkey(await idOf(world))),
    async again(world) {
      const made = passkey(await idOf(world));
      // Refused where it is there already: an id is registered once.
      const there = await world.adapter.getAuthenticator("key");
      if (!there) await world.adapter.createAuthenticator(made);
      assert.equal((await world.adapter.getAuthenticator("key"))?.userId, made.userId);
      const list = await world.adapter.listAuthenticatorsByUserId(made.userId);
      assert.equal(list.length, 1);
    },
    people: 1,
    stays: "always",
  },

  "a sign-in with a passkey": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await world.adapter.createAuthenticator(passkey(await idOf(world)));
    },
    act: (world) => usePasskey(world, 2),
    async again(world) {
      // The authenticator has counted on.
      await usePasskey(world, 3);
      assert.equal((await world.adapter.getAuthenticator("key"))?.counter, 3);
    },
    people: 1,
    stays: "always",
  },

  "a deletion": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await come(world, world.browser, GRACE, { link: true });
      await world.adapter.createAuthenticator(passkey(await idOf(world)));
      await ask(world, world.visit(ADA), EMAIL);
    },
    async act(world) {
      const [user] = await world.people();
      await world.adapter.deleteUser(user?.id ?? "");
    },
    async again(world) {
      // As a person who was told that it failed: by way of the record, which may be on its way out.
      await world.adapter.deleteUser(world.known[0] ?? "");
      await assertOut(world.browser);
      assert.deepEqual(await world.people(), []);
      assert.deepEqual(await world.left(), []);
      // All of it can be had again.
      await signInAndKnow(world);
    },
    people: 1,
  },
};

async function update(browser: Browser): Promise<Response> {
  const csrfToken = await browser.csrfToken();
  const body = JSON.stringify({ csrfToken, data: { user: { name: "Countess" } } });
  const headers = { "content-type": "application/json", accept: "application/json" };
  return browser.post("/auth/session", {}, { body, headers });
}

// There is no flow of it yet: the order of writes is that of SECURITY.md, part 3.
async function usePasskey(world: World, counter: number): Promise<void> {
  const userId = await idOf(world);
  world.proofs++;
  await world.adapter.updateAuthenticatorCounter("key", counter);
  const expires = new Date(Date.now() + DAY);
  await world.adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires });
}
