import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// A failed operation, or one whose result is lost, is the same in every store: the memory stores
// test each.
describe("crash recovery: sqlite", () => {
  testKills(QUARTERS.sqlite(), ["kill"]);
});
