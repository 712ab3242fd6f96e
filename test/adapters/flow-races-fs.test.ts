import { describe } from "vitest";
import { rounds } from "../_scale.ts";
import { testMany, testRaces } from "./_flow-suite.ts";

describe("flow races: fs", () => {
  testMany("fs");
  // For one host: test/stores/races.test.ts races its lock per record separately.
  testRaces("fs", rounds(100));
});
