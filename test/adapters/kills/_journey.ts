import type { Browser } from "../../../src/testing/testing.ts";
import type { KillsApp } from "./_app.ts";
import type { Person } from "./_idp.ts";
import { assertIn, signInAtIdp, theOne } from "./_ways.ts";

/** A flow of a user, and the result expected after an interruption at any point. */
export interface Journey {
  /** The user of the browser, or `null` for a user who is never signed in. */
  person: Person | null;
  /** Sets up the records that exist before the flow. */
  before?(app: KillsApp): Promise<unknown>;
  /**
   * The part that is interrupted. It may run in a child process, which only has cookies and
   * e-mails.
   */
  act(app: KillsApp): Promise<unknown>;
  /** Repeats the flow after the failure, or finds it complete, at the first attempt. */
  again(app: KillsApp): Promise<unknown>;
  /** Number of users at the end. */
  people: number;
  /**
   * Whether the user is signed in before, and stays signed in whatever happens (I6). If the user
   * gets a new session, the old one ends before the response is sent (SECURITY.md R13). If a
   * process dies in between, the browser has to sign in again.
   */
  stays?: "always" | "while answered";
}

export const ADA: Person = {
  sub: "ada",
  name: "Ada",
  email: "ada@example.com",
  email_verified: true,
};
/** Ada's other account, which has no address. */
export const GRACE: Person = { sub: "grace", name: "Grace" };
/** Claims Ada's address without verification. */
export const MALLORY: Person = { ...ADA, sub: "mallory", name: "Mallory", email_verified: false };
export const EMAIL = "ada@example.com";

/** Signs Ada in, in the browser that is interrupted. */
export const signIn = (app: KillsApp) => signInAtIdp(app, app.browser, ADA);
/** Signs Ada in and expects success. */
export async function signInAndKnow(app: KillsApp): Promise<void> {
  await signIn(app);
  await assertIn(app.browser);
}

/** Creates a browser with the same cookies. */
export function copyBrowser(app: KillsApp, browser: Browser): Browser {
  const copy = app.openBrowser(ADA);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

/** Returns the id of the only user. */
export const getUserId = async (app: KillsApp) => (await theOne(app)).id;
