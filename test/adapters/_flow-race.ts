import { expect } from "vitest";
import type { Visited } from "./_flow-app.ts";
import type { Records, Round } from "./_flow-rounds.ts";

/** Several people at one thing: what they do in a round, and what must lie there after all rounds. */
export interface Race {
  round(round: Round): Promise<void>;
  after(records: Records, rounds: number): void;
  /** What must have been seen, or the rounds were no race. */
  sees(count: number): string[];
}

/** A visit that did not happen. */
export const NOTHING: Visited = {
  began: "0",
  ended: "0",
  jar: [],
  text: null,
  errors: [],
  extended: 0,
};

/** So many, each made. */
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** An address of one key alone. */
export const addressOf = (key: string) => `${key}@example.com`;

/** All errors of visits. */
export const errorsOf = (visited: readonly Visited[]) => visited.flatMap(({ errors }) => errors);

/** How many different ones there are. */
export const unique = (values: readonly unknown[]) => new Set(values).size;

/** Everybody whose address it says has it, and nobody else is said to. */
export function expectWholeIndex({ users, emails }: Records): void {
  const addresses = users.flatMap(({ email }) => email ?? []);
  expect(unique(addresses), "holders of one address").toBe(addresses.length);
  const claims = emails.map(({ userId }) => userId).sort();
  const holders = users.flatMap(({ id, email }) => (email ? id : [])).sort();
  expect(claims, "claims of addresses").toEqual(holders);
}

/** People who are there already; their browsers are signed in. */
export async function enroll({ meet }: Round, emails: readonly string[]) {
  const enrolled = await meet(emails.map((email) => ({ do: "enroll", email })));
  expect(errorsOf(enrolled), "before the race").toEqual([]);
  return enrolled.map(({ text, jar }) => ({ userId: text ?? "", jar }));
}
