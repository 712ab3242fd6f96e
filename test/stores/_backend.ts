import { describe } from "vitest";
import {
  type StoreSuiteOptions,
  testAdapter,
  type TestRunner,
  testStore,
} from "../../src/testing/testing.ts";
import type { StoreBackend } from "../../src/types.ts";
import { IS_QUICK, rounds } from "../_scale.ts";
import { adapterOn } from "../adapters/_namespace.ts";

export interface BackendSuiteOptions extends StoreSuiteOptions {
  /** Whether a quick run omits the adapter, which is slow on this backend. */
  isAdapterLate?: boolean;
}

/** Registers the conformance suites of a backend, and of Keyhook's adapter on it. */
export function testBackend(
  make: () => StoreBackend | Promise<StoreBackend>,
  runner: TestRunner,
  { isAdapterLate = false, ...options }: BackendSuiteOptions = {},
): void {
  testStore(make, runner, {
    ...{ parallel: IS_QUICK ? 10 : 50 },
    ...options,
    rounds: rounds(options.rounds ?? 20),
  });
  if (isAdapterLate && IS_QUICK) return;
  describe("storeAdapter on the backend", () => {
    testAdapter(async () => adapterOn(await make()), runner, { rounds: 3 });
  });
}
