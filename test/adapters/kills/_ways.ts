import assert from "node:assert/strict";
import type { Browser } from "../../../src/testing.ts";
import { IDP, type Person } from "./_idp.ts";
import { COOKIE, ORIGIN, PASSWORD, type World } from "./_world.ts";

/** Signs in, or links an account, as who the identity provider says it is. */
export async function come(
  world: World,
  browser: Browser,
  person: Person,
  { provider = "idp", link = false } = {},
): Promise<Response> {
  world.proofs++;
  const started = await browser.signIn(provider, link ? { link: "true" } : {});
  const location = started.headers.get("location") ?? "";
  if (!location.startsWith(IDP)) return started;
  return browser.get(world.idp.authorize(location, person));
}

/** Asks for a link, and answers where it leads, if it came. */
export async function ask(
  world: World,
  browser: Browser,
  email: string,
): Promise<string | undefined> {
  const { length } = world.outbox;
  await browser.signIn("mail", { email });
  return world.outbox[length];
}

/** Follows a link in the browser that asked for it. */
export function follow(world: World, browser: Browser, link = ""): Promise<Response> {
  world.proofs++;
  return browser.get(link);
}

/** Follows a link elsewhere, and presses the button. */
export async function press(world: World, browser: Browser, link = ""): Promise<Response> {
  world.proofs++;
  await browser.get(link);
  const { searchParams } = new URL(link, ORIGIN);
  const [email = "", token = ""] = [searchParams.get("email"), searchParams.get("token")].map(
    (value) => value ?? "",
  );
  return browser.signInWith("mail", { email, token });
}

/** Asks for a link and follows it. */
export async function letter(world: World, browser: Browser, email: string): Promise<void> {
  await follow(world, browser, await ask(world, browser, email));
}

/** Signs in with the password. */
export function enter(world: World, browser: Browser): Promise<Response> {
  world.proofs++;
  return browser.signInWith("password", { password: PASSWORD });
}

type Options = Parameters<World["authenticator"]["create"]>[0] &
  Parameters<World["authenticator"]["get"]>[0];

// What the browser is asked, and where its answer goes.
async function asked(browser: Browser, query: Record<string, string>): Promise<Options> {
  const response = await browser.get(
    `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`,
  );
  assert.equal(response.status, 200, "options for a passkey");
  return ((await response.json()) as { options: Options }).options;
}

const answer = (browser: Browser, action: string, data: unknown) =>
  browser.signInWith("passkey", { action, data: JSON.stringify(data) });

/** Registers with a passkey. */
export async function register(world: World, browser: Browser, email: string): Promise<Response> {
  world.proofs++;
  const options = await asked(browser, { action: "register", email });
  return answer(browser, "register", await world.authenticator.create(options));
}

/** Adds a passkey to what whoever is signed in has. */
export async function addPasskey(world: World, browser: Browser): Promise<Response> {
  world.proofs++;
  const options = await asked(browser, { action: "register" });
  return answer(browser, "register", await world.authenticator.create(options));
}

/** Signs in with a passkey: the one of a stored id, or the last one made. */
export async function unlock(world: World, browser: Browser, id?: string): Promise<Response> {
  world.proofs++;
  const options = await asked(browser, { action: "authenticate" });
  const { held } = world.authenticator;
  const key = id === undefined ? held.at(-1) : held.find((one) => storedId(one) === id);
  return answer(browser, "authenticate", await world.authenticator.get(options, {}, key));
}

/** The id of a key as it is stored. */
export const storedId = ({ id }: { id: Uint8Array }) => Buffer.from(id).toString("base64");

export const hasSession = async (browser: Browser) => (await browser.session()) !== null;

export const tokenIn = (browser: Browser) => browser.cookies.get(COOKIE);

/** Fails unless somebody is signed in. */
export async function assertIn(browser: Browser, who = "the person"): Promise<void> {
  assert.ok(await hasSession(browser), `${who} is not signed in`);
}

/** Fails if somebody is signed in. */
export async function assertOut(browser: Browser, who = "the person"): Promise<void> {
  assert.ok(!(await hasSession(browser)), `${who} is signed in`);
}

/** The one user there is. */
export async function theOne(world: World) {
  const people = await world.people();
  assert.equal(people.length, 1, "one person");
  return people[0] as (typeof people)[number];
}
