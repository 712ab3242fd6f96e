import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("sqlite", () => {
  testKills(QUARTERS.sqlite());
});
