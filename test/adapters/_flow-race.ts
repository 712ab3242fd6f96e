import { expect } from "vitest";
import type { Visited } from "./_flow-app.ts";
import type { Records, Round } from "./_flow-rounds.ts";

/** A race of several users: the steps of a round, and the records expected after all rounds. */
export interface Race {
  round(round: Round): Promise<void>;
  after(records: Records, rounds: number): void;
  /** Observations that must occur. Without them, the rounds did not race. */
  sees: readonly string[];
}

/** The outcome of a visit that did not happen. */
export const NOTHING: Visited = {
  began: "0",
  ended: "0",
  jar: [],
  text: null,
  errors: [],
  extended: 0,
};

/** Makes `count` items. */
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Builds an address that belongs to one key. */
export const buildAddress = (key: string) => `${key}@example.com`;

/** Lists the errors of visits. */
export const listErrors = (visited: readonly Visited[]) => visited.flatMap(({ errors }) => errors);

/** Counts distinct values. */
export const unique = (values: readonly unknown[]) => new Set(values).size;

/** Expects exactly one address claim for each user with an address. */
export function expectWholeIndex({ users, emails }: Records): void {
  const addresses = users.flatMap(({ email }) => email ?? []);
  expect(unique(addresses), "holders of one address").toBe(addresses.length);
  const claims = emails.map(({ userId }) => userId).sort();
  const holders = users.flatMap(({ id, email }) => (email ? id : [])).sort();
  expect(claims, "claims of addresses").toEqual(holders);
}

/** Creates users whose browsers are signed in. */
export async function enroll({ meet }: Round, emails: readonly string[]) {
  const enrolled = await meet(emails.map((email) => ({ do: "enroll", email })));
  expect(listErrors(enrolled), "before the race").toEqual([]);
  return enrolled.map(({ text, jar }) => ({ userId: text ?? "", jar }));
}
