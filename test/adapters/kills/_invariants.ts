import assert from "node:assert/strict";
import { FAULT } from "./_accident.ts";
import { CLIENT_SECRET } from "./_idp.ts";
import type { Journey } from "./_journey.ts";
import { COOKIE, PASSWORD, SECRET, type World } from "./_world.ts";
import type { Place } from "./_places.ts";

/** What came out of a world. */
export interface Told {
  secrets: Set<string>;
  logs: string[];
}

/** Milliseconds: what talks to others may take as long as they may, the rest two calls of a store. */
const BUDGET = { others: 10_000, store: 4_000 };
const ALWAYS = [SECRET, CLIENT_SECRET, PASSWORD];

/** SECURITY.md, part 3: what holds whenever something was cut short. */
export async function assertInvariants(
  world: World,
  journey: Journey,
  { place, told, isKilled }: { place: Place; told: Told; isKilled: boolean },
): Promise<void> {
  const adapter = world.untouched;
  const people = await world.people();

  // I1: whoever is in is who they proved to be, and nobody is in without a proof.
  for (const [browser, person] of world.browsers) {
    const token = browser.cookies.get(COOKIE);
    const found = token === undefined ? null : await adapter.getSessionAndUser(token);
    if (!found) continue;
    assert.ok(person, "I1: a session of somebody who was refused");
    const { email, name } = found.user;
    const isThem = person.email === undefined ? name === person.name : email === person.email;
    assert.ok(isThem || world.known.includes(found.user.id), "I1: a session of somebody else");
  }
  for (const { location, status, entered, path } of world.answers) {
    const isRefusal = status >= 400 || location.includes("error=");
    assert.ok(!isRefusal || !entered, `I1: ${path} refuses, and gives a session`);
  }
  const sessions = await world.sessions();
  assert.ok(sessions.length <= world.proofs, "I1: more sessions than proofs");

  // I3: one person of each address and account, who is found by it.
  const emails = people.flatMap(({ email }) => email ?? []);
  assert.equal(new Set(emails).size, emails.length, "I3: one user of an address");
  for (const { id, email } of people) {
    if (email) assert.equal((await adapter.getUserByEmail(email))?.id, id, "I3: found by address");
  }
  assert.ok(people.length <= journey.people, "I3: no user too many");

  // I5: in time, with an id that stands in the log, and no word of what happened.
  const log = told.logs.join("\n");
  for (const { path, status, location, body, took } of world.answers) {
    const budget = /\/(callback|signin)\//.test(path) ? BUDGET.others : BUDGET.store;
    assert.ok(took < budget, `I5: ${path} took ${took} ms`);
    assert.ok(!`${location}${body}`.includes("ECONNREFUSED"), `I5: ${path} tells what happened`);
    if (status < 500) continue;
    const id = /"id":"([0-9a-f]{12})"/.exec(body)?.[1];
    assert.ok(id && log.includes(id), `I5: ${path} answers ${status}, and no log line has its id`);
  }
  const isError = world.answers.some(({ location }) => location.includes("error=Configuration"));
  if (isError) assert.ok(log.includes(FAULT), "I5: an error page without a line in the log");

  // I6: the cookie is kept, and whoever has one is told of the fault.
  if (journey.stays) {
    const token = world.browser.cookies.get(COOKIE) ?? "";
    const isThere = (await adapter.getSessionAndUser(token)) !== null;
    const mayGo = journey.stays === "while answered" && isKilled;
    assert.ok(isThere || (mayGo && sessions.length > 0), "I6: the session went");
    for (const { browser, path, status, body, cookie } of world.answers) {
      if (mayGo || browser !== world.browser || path !== "/auth/session" || !cookie) continue;
      assert.ok(status === 503 || (status === 200 && body !== "null"), `I6: ${status} ${body}`);
    }
  }

  // I7: nothing secret, here or there; nobody's whole address in the log.
  const stored = await place.dump();
  for (const secret of [...told.secrets, ...ALWAYS]) {
    assert.ok(!stored.includes(secret), `I7: a secret in the store`);
    assert.ok(!log.includes(secret), `I7: a secret in the log:\n${log}`);
  }
  assert.ok(!log.includes("ada@example.com"), "I7: an address in the log");
}
