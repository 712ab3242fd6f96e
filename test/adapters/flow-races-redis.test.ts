import { describeWith } from "../stores/_servers.ts";
import { testMany, testRaces } from "./_flow-suite.ts";

await describeWith("redis", "flow races: redis", () => {
  testMany("redis");
  testRaces("redis");
});
