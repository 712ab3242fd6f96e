import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// A failed operation, or one whose result is lost, is the same in every store: the memory stores
// test each. This file tests every second moment: sigkill.test.ts tests every moment of four
// journeys.
describe("crash recovery: fs", () => {
  testKills(QUARTERS.fs(), ["kill"], 0.5);
});
