import type { Browser } from "../../../src/testing.ts";
import type { Person } from "./_idp.ts";
import { assertIn, come, theOne } from "./_ways.ts";
import type { World } from "./_world.ts";

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
export const MALLORY: Person = { ...ADA, sub: "mallory", name: "Mallory", email_verified: false };
export const EMAIL = "ada@example.com";

/** Signs Ada in, in the browser that is cut short. */
export const signIn = (world: World) => come(world, world.browser, ADA);
/** The same, which must go well. */
export async function signInAndKnow(world: World): Promise<void> {
  await signIn(world);
  await assertIn(world.browser);
}

/** A browser with the same cookies. */
export function copyOf(world: World, browser: Browser): Browser {
  const copy = world.visit(ADA);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

/** The id of the one person there is. */
export const idOf = async (world: World) => (await theOne(world)).id;
