import type { Adapter } from "../../types/adapter.ts";
import type { Awaitable } from "../../types/models.ts";
import type { TestRunner } from "../runner.ts";
import { testAccounts } from "./accounts.ts";
import { testPasskeys } from "./passkeys.ts";
import { testRemovals } from "./removals.ts";
import { testSessions } from "./sessions.ts";
import { type AdapterSuiteOptions, createAdapterSuite } from "./suite.ts";
import { testTokens } from "./tokens.ts";
import { testUsers } from "./users.ts";

const PARTS = [testUsers, testAccounts, testSessions, testTokens, testPasskeys, testRemovals];

/**
 * Registers the conformance suite for a database adapter. Tests of methods that the adapter lacks pass without checking
 * anything.
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
