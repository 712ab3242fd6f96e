import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// A database in the process loses no results, and an operation that does not happen is the same in every store: those
// of memory fail at each.
describe("crash recovery: sqlite", () => {
  testKills(QUARTERS.sqlite(), ["kill"]);
});
