import type { Awaitable } from "../../types/models.ts";
import type { StoreBackend } from "../../types/store.ts";
import type { TestRunner } from "../runner.ts";
import { testAtomic } from "./atomic.ts";
import { testBroken } from "./broken.ts";
import { testExpiry } from "./expiry.ts";
import { testGuarantees } from "./guarantees.ts";
import { testLists } from "./lists.ts";
import { testNamespaces } from "./namespace.ts";
import { testRecords } from "./records.ts";
import { testShared } from "./shared.ts";
import { createStoreSuite, type StoreSuiteOptions } from "./suite.ts";

const PARTS = [
  ...[testGuarantees, testRecords, testExpiry, testLists],
  ...[testAtomic, testShared, testNamespaces, testBroken],
];

/**
 * Registers the conformance suite for a store backend. `make` is called again for another backend with the same
 * records. It may return the same backend if the records exist only in this process.
 * @example
 * import { describe, expect, it } from "vitest";
 * testStore(() => myBackend(client), { describe, expect, it });
 */
export function testStore(
  make: () => Awaitable<StoreBackend>,
  runner: TestRunner,
  options: StoreSuiteOptions = {},
): void {
  const suite = createStoreSuite(make, runner, options);
  for (const part of PARTS) part(suite);
}
