import { describeWith } from "../../stores/_servers.ts";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// A failed operation, or one whose result is lost, is the same in every store: the memory stores
// test each.
await describeWith("redis", "crash recovery: redis", () => testKills(QUARTERS.redis(), ["kill"]));
