import { describe } from "vitest";
import { rounds } from "../_scale.ts";
import { testMany, testRaces } from "./_flow-suite.ts";

describe("flow races: fs", () => {
  testMany("fs");
  // Of one host: its lock per record is raced by itself, in test/stores/races.test.ts.
  testRaces("fs", rounds(100));
});
