import { describeWith } from "../../stores/_servers.ts";
import { testKills } from "./_matrix.ts";
import { QUARTERS } from "./_places.ts";

await describeWith("redis", "crash recovery: redis", () => testKills(QUARTERS.redis()));
