import { describe } from "vitest";
import {
  type StoreSuiteOptions,
  testAdapter,
  type TestRunner,
  testStore,
} from "../../src/testing.ts";
import type { StoreBackend } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";

/** A backend's contract, and that of our adapter on it. */
export function testBackend(
  make: () => StoreBackend | Promise<StoreBackend>,
  runner: TestRunner,
  options: StoreSuiteOptions = {},
): void {
  testStore(make, runner, options);
  describe("carries our adapter, which", () => {
    testAdapter(async () => adapterOn(await make()), runner, { rounds: 3 });
  });
}
