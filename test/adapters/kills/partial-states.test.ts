import { afterAll, describe, expect, it } from "vitest";
import type { UserRecord } from "../../../plugins/adapters/store/records.ts";
import { SECRET } from "../../_app.ts";
import { type KillsApp } from "./_app.ts";
import { ADA, EMAIL, GRACE, type Journey } from "./_journey.ts";
import { JOURNEYS } from "./_journeys.ts";
import { happen, measure, recover, type Scene, setScene } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";
import {
  requestLink,
  assertIn,
  assertOut,
  signInAtIdp,
  followLink,
  signInByEmail,
  press,
  storedId,
  tokenIn,
  signInWithPasskey,
} from "./_ways.ts";

// SECURITY.md, part 3, "Partial states and what recovery means": the records that a dying process
// leaves in each flow, and how the next request recovers.

const quarter = QUARTERS.memory();
afterAll(() => quarter.close());

/** A row of the table. */
interface Row {
  journey: string;
  /** The prefix of the flow's writes that took effect. */
  prefix: string;
  /** Number of records of each kind. */
  left: Partial<Record<"user" | "email" | "token" | "account" | "passkey" | "session", number>> & {
    "accounts-of"?: number;
    "passkeys-of"?: number;
  };
  /** Distinguishes the prefix from others. */
  is?(app: KillsApp): Promise<boolean>;
  rule: string;
  /** Asserts what holds immediately, before the flow is repeated. */
  holds?(scene: Scene): Promise<void>;
}

const userNow = async (app: KillsApp) => (await app.records<UserRecord>("user"))[0];
const emailNow = async (app: KillsApp) => (await userNow(app))?.user?.data.email;
const idNow = async ({ untouched }: KillsApp, email: string) =>
  (await untouched.getUserByEmail(email))?.id;

const isLeaving = async (app: KillsApp) => (await userNow(app))?.pendingRemovals !== undefined;

async function assertListed({ untouched, known }: KillsApp, count: number): Promise<void> {
  expect(await untouched.listAuthenticatorsByUserId(known[0] ?? "")).toHaveLength(count);
}

const ROWS: Row[] = [
  {
    journey: "the first sign-in",
    prefix: "claim only",
    left: { account: 1, email: 0, user: 0, session: 0 },
    rule: "the next sign-in finds a claim without a user, and completes it",
  },
  {
    journey: "the first sign-in",
    prefix: "claim and address",
    left: { account: 1, email: 1, user: 0, session: 0 },
    rule: "the next sign-in completes it",
  },
  {
    journey: "the first sign-in",
    prefix: "claim, address and user",
    left: { account: 1, email: 1, user: 1, session: 0 },
    rule: "the next one is a later sign-in",
  },
  {
    journey: "the first sign-in by mail",
    prefix: "token taken",
    left: { token: 0, user: 0, session: 0 },
    rule: "the page reports it, and the user requests another link",
  },
  {
    journey: "the first sign-in by mail",
    prefix: "token taken, user created and address verified",
    left: { token: 0, user: 1, session: 0 },
    rule: "the user requests another link, which is a later sign-in",
    async holds({ app }) {
      expect((await userNow(app))?.user?.data.emailVerified).toEqual(expect.any(String));
    },
  },
  {
    journey: "another passkey",
    prefix: "account without credential",
    left: { account: 2, passkey: 1, "passkeys-of": 1 },
    rule: "it cannot sign in, and another can be registered",
    holds: ({ app }) => assertListed(app, 1),
  },
  {
    journey: "another passkey",
    prefix: "account, and index without credential",
    left: { account: 2, passkey: 1, "passkeys-of": 2 },
    rule: "it cannot sign in, and another can be registered",
    holds: ({ app }) => assertListed(app, 1),
  },
  {
    journey: "another passkey",
    prefix: "credential and index",
    left: { passkey: 2, "passkeys-of": 2 },
    rule: "it is registered",
    holds: ({ app }) => assertListed(app, 2),
  },
  {
    journey: "a sign-in with a passkey",
    prefix: "counter moved, no session",
    left: { passkey: 1, session: 1 },
    async is({ untouched, authenticator: { held } }) {
      return (
        held.length === 1 && (await untouched.getAuthenticator(storedId(held[0]!)))?.counter === 1
      );
    },
    rule: "the next try has a higher counter, and works",
  },
  {
    journey: "the removal of a passkey",
    prefix: "marked for removal, nothing removed",
    left: { account: 2, passkey: 2 },
    is: isLeaving,
    rule: "it still signs in, and the next removal continues",
  },
  {
    journey: "the removal of a passkey",
    prefix: "account removed, credential left",
    left: { account: 1, passkey: 2 },
    is: isLeaving,
    rule: "it does not sign in, and the next removal continues",
    async holds({ app }) {
      const stranger = app.openBrowser(null);
      await signInWithPasskey(app, stranger, storedId(app.authenticator.held[0]!));
      await assertOut(stranger);
    },
  },
  {
    journey: "the removal of a passkey",
    prefix: "removed, and still marked for removal",
    left: { account: 1, passkey: 1 },
    is: isLeaving,
    rule: "the next removal clears the mark",
    holds: ({ app }) => assertListed(app, 1),
  },
  {
    journey: "a sign-out",
    prefix: "session deleted, cookie left",
    left: { session: 0 },
    is: async ({ browser }) => tokenIn(browser) !== undefined,
    rule: "the next read clears the cookie",
    async holds({ app: { browser } }) {
      expect(await browser.session()).toBeNull();
      expect(tokenIn(browser)).toBeUndefined();
    },
  },
  {
    journey: "a sign-in while signed in",
    prefix: "both sessions valid",
    left: { session: 2 },
    rule: "no browser has the new one, which expires; the old one stays valid until the next sign-in",
    holds: ({ app }) => assertIn(app.browser),
  },
  {
    journey: "a deletion of a user",
    prefix: "tombstone and leftovers",
    left: { user: 1, email: 1, token: 1, account: 3, passkey: 1, session: 1 },
    is: async (app) => (await userNow(app))?.gone === true,
    rule: "no sign-in method works, until it is repeated",
    async holds({ app: { untouched, browser, authenticator } }) {
      const account = { provider: "idp", providerAccountId: "ada" };
      expect(await untouched.getUserByAccount(account)).toBeNull();
      expect(await untouched.getAuthenticator(storedId(authenticator.held[0]!))).toBeNull();
      expect(await browser.session()).toBeNull();
    },
  },
  {
    journey: "a deletion of a user",
    prefix: "tombstone alone",
    left: { user: 1, email: 0, token: 0, account: 0, passkey: 0, session: 0 },
    is: async (app) => (await userNow(app))?.gone === true,
    rule: "it is removed when the deletion is repeated",
  },
  {
    journey: "linking an account",
    prefix: "index without claim",
    left: { account: 1, "accounts-of": 2 },
    rule: "it is not linked, and can be linked",
  },
  {
    journey: "linking an account",
    prefix: "claim only",
    left: { account: 2, session: 1 },
    rule: "it counts as linked",
    async holds({ app }) {
      const other = app.openBrowser(ADA);
      await signInAtIdp(app, other, GRACE);
      await assertIn(other);
    },
  },
  {
    journey: "unlinking an account",
    prefix: "claim removed, index left",
    left: { account: 1, "accounts-of": 2 },
    rule: "it is not linked",
    async holds({ app: { untouched } }) {
      const account = { provider: "idp", providerAccountId: "grace" };
      expect(await untouched.getUserByAccount(account)).toBeNull();
    },
  },
  {
    journey: "a change of address",
    prefix: "both indexes, before the swap",
    left: { email: 2 },
    is: async (app) => (await emailNow(app)) === EMAIL,
    rule: "the old one wins",
    async holds({ app }) {
      expect(await idNow(app, EMAIL)).toBe(app.known[0]);
      expect(await idNow(app, "countess@example.com")).toBeUndefined();
    },
  },
  {
    journey: "a change of address",
    prefix: "both indexes, after the swap",
    left: { email: 2 },
    is: async (app) => (await emailNow(app)) === "countess@example.com",
    rule: "the new one wins, and the old one is free",
    async holds({ app }) {
      expect(await idNow(app, EMAIL)).toBeUndefined();
      expect(await idNow(app, "countess@example.com")).toBe(app.known[0]);
    },
  },
];

async function fits(app: KillsApp, { left, is }: Row): Promise<boolean> {
  for (const [store, count] of Object.entries(left)) {
    if ((await app.records(store)).length !== count) return false;
  }
  return (await is?.(app)) ?? true;
}

const getJourney = (name: string) => JOURNEYS[name] as Journey;

describe("F18: partial states after the death of a process", () => {
  for (const row of ROWS) {
    it(`${row.journey}: ${row.prefix}; ${row.rule}`, async () => {
      const journey = getJourney(row.journey);
      const count = await measure(quarter, journey);
      let seen = 0;
      for (let at = 0; at <= count; at++) {
        const scene = await happen(quarter, journey, "kill", at);
        if (!(await fits(scene.app, row))) continue;
        seen++;
        await row.holds?.(scene);
        await recover(journey, scene);
      }
      expect(seen, "deaths that leave this state").toBeGreaterThan(0);
    });
  }

  it("another passkey: a credential is never stored without its index", async () => {
    const journey = getJourney("another passkey");
    const count = await measure(quarter, journey);
    for (let at = 0; at <= count; at++) {
      const { app } = await happen(quarter, journey, "kill", at);
      const credentials = await app.records("passkey");
      const index = await app.records("passkeys-of");
      expect(index.length).toBeGreaterThanOrEqual(credentials.length);
    }
  });

  it("the first sign-in: another user may get the address, and it has one owner", async () => {
    const journey = getJourney("the first sign-in");
    const count = await measure(quarter, journey);
    let lost = 0;
    for (let at = 0; at <= count; at++) {
      const { app } = await happen(quarter, journey, "kill", at);
      if ((await app.people()).length) continue;
      lost++;
      const owner = app.openBrowser(ADA);
      await signInByEmail(app, owner, EMAIL);
      await assertIn(owner);
      // The address alone does not link: the provider does not allow it.
      const answer = await signInAtIdp(app, app.browser, ADA);
      expect(answer.headers.get("location")).toContain("error=OAuthAccountNotLinked");
      expect((await app.people()).length).toBe(1);
    }
    expect(lost).toBeGreaterThan(2);
  });

  it("a deletion of a user: a sign-in in the meantime creates a new user", async () => {
    const journey = getJourney("a deletion of a user");
    const count = await measure(quarter, journey);
    for (let at = 0; at <= count; at++) {
      const { app } = await happen(quarter, journey, "kill", at);
      if ((await app.people()).length) continue;
      const other = app.openBrowser(ADA);
      await signInAtIdp(app, other, ADA);
      await assertIn(other);
      expect((await app.people()).map(({ id }) => id)).not.toEqual(app.known);
      expect((await app.people()).length).toBe(1);
    }
  });
});

describe("F23: nodes with mixed secrets during a rotation", () => {
  const NEXT = "keyhook-next-secret-0123456789abcdef";
  const PHASES = [[SECRET], [SECRET, NEXT], [NEXT, SECRET], [NEXT]];

  for (const [at, later] of PHASES.entries()) {
    const earlier = PHASES[at - 1];
    if (!earlier) continue;
    for (const [here, there] of [
      [earlier, later],
      [later, earlier],
    ] as const) {
      it(`every node accepts links and sessions of both secrets: phase ${PHASES.indexOf(here)}, then ${PHASES.indexOf(there)}`, async () => {
        const { app } = await setScene(quarter.place(), getJourney("the first sign-in"));
        app.restart(here);
        const link = await requestLink(app, app.browser, EMAIL);
        app.restart(there);
        await followLink(app, app.browser, link);
        if (!tokenIn(app.browser)) await press(app, app.browser, link);
        await assertIn(app.browser);
        app.restart(here);
        await assertIn(app.browser);
      });
    }
  }
});
