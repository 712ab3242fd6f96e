import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("crash recovery: sqlite", () => {
  testKills(QUARTERS.sqlite());
});
