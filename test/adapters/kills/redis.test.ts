import { describeWith } from "../../stores/_servers.ts";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

// An operation that does not happen, or whose result is lost, is the same in every store: those of memory fail at each.
await describeWith("redis", "crash recovery: redis", () => testKills(QUARTERS.redis(), ["kill"]));
