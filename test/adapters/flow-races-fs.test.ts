import { describe } from "vitest";
import { testMany, testRaces } from "./_flow-suite.ts";

describe("fs", () => {
  testMany("fs");
  testRaces("fs");
});
