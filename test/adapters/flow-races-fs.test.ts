import { describe } from "vitest";
import { testMany, testRaces } from "./_flow-suite.ts";

describe("flow races: fs", () => {
  testMany("fs");
  testRaces("fs");
});
