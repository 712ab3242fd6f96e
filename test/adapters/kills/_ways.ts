import assert from "node:assert/strict";
import type { Browser } from "../../../src/testing/testing.ts";
import { ORIGIN } from "../../_app.ts";
import { COOKIE, PASSWORD, type KillsApp } from "./_app.ts";
import { IDP, type Person } from "./_idp.ts";

/** Signs in, or links an account, as the user whom the identity provider authenticates. */
export async function signInAtIdp(
  app: KillsApp,
  browser: Browser,
  person: Person,
  { provider = "idp", link = false } = {},
): Promise<Response> {
  app.proofs++;
  const started = await browser.signIn(provider, link ? { link: "true" } : {});
  const location = started.headers.get("location") ?? "";
  if (!location.startsWith(IDP)) return started;
  return browser.get(app.idp.authorize(location, person));
}

/** Requests a link, and returns its path if it was sent. */
export async function requestLink(
  app: KillsApp,
  browser: Browser,
  email: string,
): Promise<string | undefined> {
  const { length } = app.links;
  await browser.signIn("mail", { email });
  return app.links[length];
}

/** Follows a link in the browser that requested it. */
export function followLink(app: KillsApp, browser: Browser, link = ""): Promise<Response> {
  app.proofs++;
  return browser.get(link);
}

/** Follows a link in another browser, and presses the button. */
export async function press(app: KillsApp, browser: Browser, link = ""): Promise<Response> {
  app.proofs++;
  await browser.get(link);
  const { searchParams } = new URL(link, ORIGIN);
  const [email = "", token = ""] = [searchParams.get("email"), searchParams.get("token")].map(
    (value) => value ?? "",
  );
  return browser.signInWith("mail", { email, token });
}

/** Requests a link and follows it. */
export async function signInByEmail(app: KillsApp, browser: Browser, email: string): Promise<void> {
  await followLink(app, browser, await requestLink(app, browser, email));
}

/** Signs in with the password. */
export function signInWithPassword(app: KillsApp, browser: Browser): Promise<Response> {
  app.proofs++;
  return browser.signInWith("password", { password: PASSWORD });
}

type Options = Parameters<KillsApp["authenticator"]["create"]>[0] &
  Parameters<KillsApp["authenticator"]["get"]>[0];

// Fetches the options of a passkey ceremony.
async function fetchOptions(browser: Browser, query: Record<string, string>): Promise<Options> {
  const response = await browser.get(
    `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`,
  );
  assert.equal(response.status, 200, "options for a passkey");
  return ((await response.json()) as { options: Options }).options;
}

const respond = (browser: Browser, action: string, data: unknown) =>
  browser.signInWith("passkey", { action, data: JSON.stringify(data) });

/** Registers with a passkey. */
export async function register(app: KillsApp, browser: Browser, email: string): Promise<Response> {
  app.proofs++;
  const options = await fetchOptions(browser, { action: "register", email });
  return respond(browser, "register", await app.authenticator.create(options));
}

/** Adds a passkey to the account of the signed-in user. */
export async function addPasskey(app: KillsApp, browser: Browser): Promise<Response> {
  app.proofs++;
  const options = await fetchOptions(browser, { action: "register" });
  return respond(browser, "register", await app.authenticator.create(options));
}

/** Signs in with a passkey: the one with a stored id, or the last one created. */
export async function signInWithPasskey(
  app: KillsApp,
  browser: Browser,
  id?: string,
): Promise<Response> {
  app.proofs++;
  const options = await fetchOptions(browser, { action: "authenticate" });
  const { held } = app.authenticator;
  const key = id === undefined ? held.at(-1) : held.find((one) => storedId(one) === id);
  return respond(browser, "authenticate", await app.authenticator.get(options, {}, key));
}

/** Returns the id of a key as it is stored. */
export const storedId = ({ id }: { id: Uint8Array }) => Buffer.from(id).toString("base64");

export const hasSession = async (browser: Browser) => (await browser.session()) !== null;

export const tokenIn = (browser: Browser) => browser.cookies.get(COOKIE);

/** Asserts that the browser has a session. */
export async function assertIn(browser: Browser, who = "the user"): Promise<void> {
  assert.ok(await hasSession(browser), `${who} is not signed in`);
}

/** Asserts that the browser has no session. */
export async function assertOut(browser: Browser, who = "the user"): Promise<void> {
  assert.ok(!(await hasSession(browser)), `${who} is signed in`);
}

/** Returns the only user. */
export async function theOne(app: KillsApp) {
  const people = await app.people();
  assert.equal(people.length, 1, "one user");
  return people[0] as (typeof people)[number];
}
