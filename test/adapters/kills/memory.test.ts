import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("memory", () => {
  testKills(QUARTERS.memory());
});

describe("memory without take", () => {
  testKills(QUARTERS["memory without take"]());
});
