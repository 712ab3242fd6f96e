import type { Adapter } from "../../types/adapter.ts";
import type { Awaitable } from "../../types/models.ts";
import type { TestRunner } from "../runner.ts";
import { testAccounts } from "./accounts.ts";
import { testDepartures } from "./departures.ts";
import { testPasskeys } from "./passkeys.ts";
import { testPeople } from "./people.ts";
import { testSessions } from "./sessions.ts";
import { type AdapterSuiteOptions, createAdapterSuite } from "./suite.ts";
import { testTokens } from "./tokens.ts";

const PARTS = [testPeople, testAccounts, testSessions, testTokens, testPasskeys, testDepartures];

/**
 * The contract of an adapter as a test suite: for whoever writes one. Methods it lacks are left out.
 * @example
 * import { describe, expect, it } from "vitest";
 * testAdapter(() => myAdapter(client), { describe, expect, it });
 */
export function testAdapter(
  make: () => Awaitable<Adapter>,
  runner: TestRunner,
  options: AdapterSuiteOptions = {},
): void {
  const suite = createAdapterSuite(make, runner, options);
  for (const part of PARTS) part(suite);
}
