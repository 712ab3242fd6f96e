import type { Awaitable } from "../../types/models.ts";
import type { StoreBackend } from "../../types/store.ts";
import type { TestRunner } from "../runner.ts";
import { testAtomic } from "./atomic.ts";
import { testBroken } from "./broken.ts";
import { testEnds } from "./ends.ts";
import { testLists } from "./lists.ts";
import { testPromises } from "./promises.ts";
import { testRecords } from "./records.ts";
import { testShared } from "./shared.ts";
import { testShelf } from "./shelf.ts";
import { createStoreSuite, type StoreSuiteOptions } from "./suite.ts";

const PARTS = [
  ...[testPromises, testRecords, testEnds, testLists],
  ...[testAtomic, testShared, testShelf, testBroken],
];

/**
 * The contract of a store's backend as a test suite: for whoever writes one. `make` is called again for
 * another one over the same records; where they belong to the process alone, that may be the same.
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
