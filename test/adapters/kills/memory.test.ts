import { describe } from "vitest";
import { SCALE } from "../../_scale.ts";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("crash recovery: memory", () => {
  testKills(QUARTERS.memory());
});

// Two operations stand in place of `take`: one that does not happen is the same as above.
describe("crash recovery: memory without take", () => {
  testKills(QUARTERS["memory without take"](), SCALE < 1 ? ["kill"] : ["lost", "kill"]);
});
