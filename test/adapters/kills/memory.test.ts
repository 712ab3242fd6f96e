import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("crash recovery: memory", () => {
  testKills(QUARTERS.memory());
});

// A failed operation, or one whose result is lost, is the same in every store.
describe("crash recovery: memory without take", () => {
  testKills(QUARTERS["memory without take"](), ["kill"]);
});
