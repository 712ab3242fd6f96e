import { describe, expect, it } from "vitest";
import { ACCEPTED } from "./_accepted.ts";
import { createComparison } from "./_comparison.ts";
import { isInstalled, loadLibraries } from "./_libraries.ts";
import type { Scenario } from "./_run.ts";
import { inOrder, scenarios } from "./_scenarios.ts";
import { createWalk } from "./_walk.ts";

if (!isInstalled) {
  if (process.env.KEYHOOK_PUBLISHED) throw new Error("Auth.js is not installed.");
  console.warn("Auth.js is not installed: skipped (npm run test:published)");
}

const walks = Array.from({ length: 30 }, (_, seed) => createWalk(seed + 1));
// Scenarios of routes and targets have no state that a migration could lose.
const moves = ({ name }: Scenario) => !/^(?:routes|targets)/.test(name);

describe.skipIf(!isInstalled)("the same application on Auth.js and on Keyhook", async () => {
  const comparison = isInstalled ? createComparison(await loadLibraries()) : undefined;

  for (const scenario of inOrder([...scenarios, ...walks])) {
    const { name, steps } = scenario;
    it(`${name}: responses, callbacks, events and adapter calls differ only as accepted`, async () => {
      expect(await comparison?.compareAll(scenario)).toEqual([]);
    });

    it.runIf(moves(scenario))(`${name}: continues when Keyhook replaces Auth.js`, async () => {
      for (const step of new Set([1, Math.ceil(steps.length / 2)])) {
        expect(await comparison?.compareMove(scenario, step)).toEqual([]);
      }
    });
  }

  it("every accepted difference still exists", () => {
    expect(ACCEPTED.filter((row) => !comparison?.used.has(row))).toEqual([]);
  });
});
