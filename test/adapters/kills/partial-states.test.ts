import { afterAll, describe, expect, it } from "vitest";
import type { UserRecord } from "../../../plugins/adapters/store/records.ts";
import { ADA, EMAIL, GRACE, type Journey } from "./_journey.ts";
import { JOURNEYS } from "./_journeys.ts";
import { happen, measure, recover, type Scene, setScene } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";
import {
  ask,
  assertIn,
  assertOut,
  come,
  follow,
  letter,
  press,
  storedId,
  tokenIn,
  unlock,
} from "./_ways.ts";
import { SECRET, type World } from "./_world.ts";

// SECURITY.md, part 3, "Partial states and what recovery means": what a process that dies leaves of each
// flow, and what becomes of it.

const quarter = QUARTERS.memory();
afterAll(() => quarter.close());

/** A row of the table. */
interface Row {
  journey: string;
  /** The prefix of writes that is left. */
  prefix: string;
  /** How many records of each kind that is. */
  left: Partial<Record<"user" | "email" | "token" | "account" | "passkey" | "session", number>> & {
    "accounts-of"?: number;
    "passkeys-of"?: number;
  };
  /** What else tells it from others. */
  is?(world: World): Promise<boolean>;
  rule: string;
  /** What holds at once, before anybody does it again. */
  holds?(scene: Scene): Promise<void>;
}

const userNow = async (world: World) => (await world.records<UserRecord>("user"))[0];
const emailNow = async (world: World) => (await userNow(world))?.user?.data.email;
const idNow = async ({ untouched }: World, email: string) =>
  (await untouched.getUserByEmail(email))?.id;

const isLeaving = async (world: World) => (await userNow(world))?.leaving !== undefined;

async function assertListed({ untouched, known }: World, count: number): Promise<void> {
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
    rule: "the next one is a return",
  },
  {
    journey: "the first sign-in by mail",
    prefix: "token taken",
    left: { token: 0, user: 0, session: 0 },
    rule: "the page says so, and another link is asked for",
  },
  {
    journey: "the first sign-in by mail",
    prefix: "token taken, user there and proved",
    left: { token: 0, user: 1, session: 0 },
    rule: "another link is asked for, and is a return",
    async holds({ world }) {
      expect((await userNow(world))?.user?.data.emailVerified).toEqual(expect.any(String));
    },
  },
  {
    journey: "another passkey",
    prefix: "account without credential",
    left: { account: 2, passkey: 1, "passkeys-of": 1 },
    rule: "nobody can sign in with it, and another can be registered",
    holds: ({ world }) => assertListed(world, 1),
  },
  {
    journey: "another passkey",
    prefix: "account, and index without credential",
    left: { account: 2, passkey: 1, "passkeys-of": 2 },
    rule: "nobody can sign in with it, and another can be registered",
    holds: ({ world }) => assertListed(world, 1),
  },
  {
    journey: "another passkey",
    prefix: "credential and index",
    left: { passkey: 2, "passkeys-of": 2 },
    rule: "it is registered",
    holds: ({ world }) => assertListed(world, 2),
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
    prefix: "said to go, nothing gone",
    left: { account: 2, passkey: 2 },
    is: isLeaving,
    rule: "it still lets in, and the next removal goes on",
  },
  {
    journey: "the removal of a passkey",
    prefix: "account gone, credential left",
    left: { account: 1, passkey: 2 },
    is: isLeaving,
    rule: "it opens nothing, and the next removal goes on",
    async holds({ world }) {
      const stranger = world.visit(null);
      await unlock(world, stranger, storedId(world.authenticator.held[0]!));
      await assertOut(stranger);
    },
  },
  {
    journey: "the removal of a passkey",
    prefix: "gone, and still said to go",
    left: { account: 1, passkey: 1 },
    is: isLeaving,
    rule: "the next removal forgets it",
    holds: ({ world }) => assertListed(world, 1),
  },
  {
    journey: "a sign-out",
    prefix: "row gone, cookie left",
    left: { session: 0 },
    is: async ({ browser }) => tokenIn(browser) !== undefined,
    rule: "the next read clears the cookie",
    async holds({ world: { browser } }) {
      expect(await browser.session()).toBeNull();
      expect(tokenIn(browser)).toBeUndefined();
    },
  },
  {
    journey: "a sign-in while signed in",
    prefix: "both live",
    left: { session: 2 },
    rule: "nobody has the new one, which expires; the old one serves until the next sign-in",
    holds: ({ world }) => assertIn(world.browser),
  },
  {
    journey: "a deletion",
    prefix: "tombstone and leftovers",
    left: { user: 1, email: 1, token: 1, account: 3, passkey: 1, session: 1 },
    is: async (world) => (await userNow(world))?.gone === true,
    rule: "no way in, until it is repeated",
    async holds({ world: { untouched, browser, authenticator } }) {
      const account = { provider: "idp", providerAccountId: "ada" };
      expect(await untouched.getUserByAccount(account)).toBeNull();
      expect(await untouched.getAuthenticator(storedId(authenticator.held[0]!))).toBeNull();
      expect(await browser.session()).toBeNull();
    },
  },
  {
    journey: "a deletion",
    prefix: "tombstone alone",
    left: { user: 1, email: 0, token: 0, account: 0, passkey: 0, session: 0 },
    is: async (world) => (await userNow(world))?.gone === true,
    rule: "it is removed when the deletion is repeated",
  },
  {
    journey: "the link of an account",
    prefix: "index without claim",
    left: { account: 1, "accounts-of": 2 },
    rule: "it is not linked, and can be",
  },
  {
    journey: "the link of an account",
    prefix: "claim only",
    left: { account: 2, session: 1 },
    rule: "it counts as linked",
    async holds({ world }) {
      const other = world.visit(ADA);
      await come(world, other, GRACE);
      await assertIn(other);
    },
  },
  {
    journey: "the end of a link of an account",
    prefix: "claim gone, index left",
    left: { account: 1, "accounts-of": 2 },
    rule: "it is not linked",
    async holds({ world: { untouched } }) {
      const account = { provider: "idp", providerAccountId: "grace" };
      expect(await untouched.getUserByAccount(account)).toBeNull();
    },
  },
  {
    journey: "a change of address",
    prefix: "both indexes, before the swap",
    left: { email: 2 },
    is: async (world) => (await emailNow(world)) === EMAIL,
    rule: "the old one wins",
    async holds({ world }) {
      expect(await idNow(world, EMAIL)).toBe(world.known[0]);
      expect(await idNow(world, "countess@example.com")).toBeUndefined();
    },
  },
  {
    journey: "a change of address",
    prefix: "both indexes, after the swap",
    left: { email: 2 },
    is: async (world) => (await emailNow(world)) === "countess@example.com",
    rule: "the new one wins, and the old one is free",
    async holds({ world }) {
      expect(await idNow(world, EMAIL)).toBeUndefined();
      expect(await idNow(world, "countess@example.com")).toBe(world.known[0]);
    },
  },
];

async function fits(world: World, { left, is }: Row): Promise<boolean> {
  for (const [shelf, count] of Object.entries(left)) {
    if ((await world.records(shelf)).length !== count) return false;
  }
  return (await is?.(world)) ?? true;
}

const journeyOf = (name: string) => JOURNEYS[name] as Journey;

describe("F18: what a process that dies leaves", () => {
  for (const row of ROWS) {
    it(`${row.journey}: ${row.prefix}; ${row.rule}`, async () => {
      const journey = journeyOf(row.journey);
      const count = await measure(quarter, journey);
      let seen = 0;
      for (let at = 0; at <= count; at++) {
        const scene = await happen(quarter, journey, "kill", at);
        if (!(await fits(scene.world, row))) continue;
        seen++;
        await row.holds?.(scene);
        await recover(journey, scene);
      }
      expect(seen, "deaths that leave this").toBeGreaterThan(0);
    });
  }

  it("another passkey: never a credential without index", async () => {
    const journey = journeyOf("another passkey");
    const count = await measure(quarter, journey);
    for (let at = 0; at <= count; at++) {
      const { world } = await happen(quarter, journey, "kill", at);
      const credentials = await world.records("passkey");
      const index = await world.records("passkeys-of");
      expect(index.length).toBeGreaterThanOrEqual(credentials.length);
    }
  });

  it("the first sign-in: the address is lost to another, and there is no second owner", async () => {
    const journey = journeyOf("the first sign-in");
    const count = await measure(quarter, journey);
    let lost = 0;
    for (let at = 0; at <= count; at++) {
      const { world } = await happen(quarter, journey, "kill", at);
      if ((await world.people()).length) continue;
      lost++;
      const owner = world.visit(ADA);
      await letter(world, owner, EMAIL);
      await assertIn(owner);
      // The address alone links nothing: the provider may not do that.
      const answer = await come(world, world.browser, ADA);
      expect(answer.headers.get("location")).toContain("error=OAuthAccountNotLinked");
      expect((await world.people()).length).toBe(1);
    }
    expect(lost).toBeGreaterThan(2);
  });

  it("a deletion: whoever comes meanwhile is somebody new", async () => {
    const journey = journeyOf("a deletion");
    const count = await measure(quarter, journey);
    for (let at = 0; at <= count; at++) {
      const { world } = await happen(quarter, journey, "kill", at);
      if ((await world.people()).length) continue;
      const other = world.visit(ADA);
      await come(world, other, ADA);
      await assertIn(other);
      expect((await world.people()).map(({ id }) => id)).not.toEqual(world.known);
      expect((await world.people()).length).toBe(1);
    }
  });
});

describe("F23: mixed nodes of a secret's rotation", () => {
  const NEXT = "keyhook-next-secret-0123456789abcdef";
  const PHASES = [[SECRET], [SECRET, NEXT], [NEXT, SECRET], [NEXT]];

  for (const [at, later] of PHASES.entries()) {
    const earlier = PHASES[at - 1];
    if (!earlier) continue;
    for (const [here, there] of [
      [earlier, later],
      [later, earlier],
    ] as const) {
      it(`every node reads both: ${PHASES.indexOf(here)} then ${PHASES.indexOf(there)}`, async () => {
        const { world } = await setScene(quarter.place(), journeyOf("the first sign-in"));
        world.restart(here);
        const link = await ask(world, world.browser, EMAIL);
        world.restart(there);
        await follow(world, world.browser, link);
        if (!tokenIn(world.browser)) await press(world, world.browser, link);
        await assertIn(world.browser);
        world.restart(here);
        await assertIn(world.browser);
      });
    }
  }
});
