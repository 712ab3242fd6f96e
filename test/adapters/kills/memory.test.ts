import { describe } from "vitest";
import { SCALE } from "../../_scale.ts";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

describe("crash recovery: memory", () => {
  testKills(QUARTERS.memory());
});

describe("crash recovery: memory without take", () => {
  testKills(QUARTERS["memory without take"](), SCALE < 1 ? ["kill"] : undefined);
});
