import assert from "node:assert/strict";
import { SECRET } from "../../_app.ts";
import { FAULT } from "./_accident.ts";
import { COOKIE, PASSWORD, type KillsApp } from "./_app.ts";
import { CLIENT_SECRET } from "./_idp.ts";
import type { Journey } from "./_journey.ts";
import type { Place } from "./_places.ts";

/** The secrets and log lines that an application emitted. */
export interface Observed {
  secrets: Set<string>;
  logs: string[];
}

/**
 * Milliseconds. Requests to other services may take their full timeout, other requests two store
 * calls.
 */
const BUDGET = { others: 10_000, store: 4_000 };
const ALWAYS = [SECRET, CLIENT_SECRET, PASSWORD];

/** Asserts the invariants of SECURITY.md, part 3, which hold after any interruption. */
export async function assertInvariants(
  app: KillsApp,
  journey: Journey,
  { place, observed, isKilled }: { place: Place; observed: Observed; isKilled: boolean },
): Promise<void> {
  const adapter = app.untouched;
  const people = await app.people();

  // I1: a session belongs to the user who authenticated, and no browser has one without a proof.
  for (const [browser, person] of app.browsers) {
    const token = browser.cookies.get(COOKIE);
    const found = token === undefined ? null : await adapter.getSessionAndUser(token);
    if (!found) continue;
    assert.ok(person, "I1: a session of a rejected user");
    const { email, name } = found.user;
    const isThem = person.email === undefined ? name === person.name : email === person.email;
    assert.ok(isThem || app.known.includes(found.user.id), "I1: a session of another user");
  }
  for (const { location, status, entered, path } of app.answers) {
    const isRefusal = status >= 400 || location.includes("error=");
    assert.ok(!isRefusal || !entered, `I1: ${path} rejects, and sets a session`);
  }
  const sessions = await app.sessions();
  assert.ok(sessions.length <= app.proofs, "I1: more sessions than proofs");

  // I3: each address and account has one user, whom look-ups by it find.
  const emails = people.flatMap(({ email }) => email ?? []);
  assert.equal(new Set(emails).size, emails.length, "I3: one user of an address");
  for (const { id, email } of people) {
    if (email) assert.equal((await adapter.getUserByEmail(email))?.id, id, "I3: found by address");
  }
  assert.ok(people.length <= journey.people, "I3: no extra user");

  // I5: responses come in time, with an id that is in the log, and without details of the failure.
  const log = observed.logs.join("\n");
  for (const { path, status, location, body, took } of app.answers) {
    const budget = /\/(callback|signin)\//.test(path) ? BUDGET.others : BUDGET.store;
    assert.ok(took < budget, `I5: ${path} took ${took} ms`);
    assert.ok(!`${location}${body}`.includes("ECONNREFUSED"), `I5: ${path} reveals the failure`);
    if (status < 500) continue;
    const id = /"id":"([0-9a-f]{12})"/.exec(body)?.[1];
    assert.ok(
      id && log.includes(id),
      `I5: ${path} responds with ${status}, and no log line has its id`,
    );
  }
  const isError = app.answers.some(({ location }) => location.includes("error=Configuration"));
  if (isError) assert.ok(log.includes(FAULT), "I5: an error page without a line in the log");

  // I6: the cookie is kept, and a browser with a cookie gets an error instead of an empty session.
  if (journey.stays) {
    const token = app.browser.cookies.get(COOKIE) ?? "";
    const isThere = (await adapter.getSessionAndUser(token)) !== null;
    const mayGo = journey.stays === "while answered" && isKilled;
    assert.ok(isThere || (mayGo && sessions.length > 0), "I6: the session went");
    for (const { browser, path, status, body, cookie } of app.answers) {
      if (mayGo || browser !== app.browser || path !== "/auth/session" || !cookie) continue;
      assert.ok(status === 503 || (status === 200 && body !== "null"), `I6: ${status} ${body}`);
    }
  }

  // I7: no secret is in the store or the log, and no user's whole address is in the log.
  const stored = await place.dump();
  for (const secret of [...observed.secrets, ...ALWAYS]) {
    assert.ok(!stored.includes(secret), `I7: a secret in the store`);
    assert.ok(!log.includes(secret), `I7: a secret in the log:\n${log}`);
  }
  assert.ok(!log.includes("ada@example.com"), "I7: an address in the log");
}
