import { describe } from "vitest";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// A file system does not lose results.
describe("crash recovery: fs", () => {
  testKills(QUARTERS.fs(), ["error", "kill"]);
});
