import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// The answer of a file is not lost on the way.
describe("fs", () => {
  testKills(QUARTERS.fs(), ["error", "kill"]);
});
