import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// An operation that does not happen, or whose result is lost, is the same in every store: those of memory fail at each.
// Every second moment: sigkill.test.ts has every one of four journeys.
describe("crash recovery: fs", () => {
  testKills(QUARTERS.fs(), ["kill"], 0.5);
});
