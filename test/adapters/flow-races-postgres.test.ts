import { describeWith } from "../stores/_servers.ts";
import { testMany, testRaces } from "./_flow-suite.ts";

await describeWith("postgres", "flow races: postgres", () => {
  testMany("postgres");
  testRaces("postgres");
});
