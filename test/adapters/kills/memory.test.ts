import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("crash recovery: memory", () => {
  testKills(QUARTERS.memory());
});

describe("crash recovery: memory without take", () => {
  testKills(QUARTERS["memory without take"]());
});
