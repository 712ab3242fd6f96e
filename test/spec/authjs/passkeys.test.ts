import { describe, expect, it } from "vitest";
import { PASSKEYS } from "./_accepted-passkeys.ts";
import { ACCEPTED } from "./_accepted.ts";
import { createComparison } from "./_comparison.ts";
import { isInstalled, loadLibraries, passkeyRoom } from "./_libraries.ts";
import { passkeyMoves, passkeys } from "./_passkeys.ts";

describe.skipIf(!isInstalled)("passkeys on Auth.js and on Keyhook", async () => {
  const comparison = isInstalled
    ? createComparison(await loadLibraries(passkeyRoom), [...PASSKEYS, ...ACCEPTED])
    : undefined;

  it.each(passkeys.map((one) => [one.name, one] as const))(
    "%s: responses, callbacks, events and rows differ only as accepted",
    async (_, scenario) => {
      expect(await comparison?.compareAll(scenario)).toEqual([]);
    },
  );

  for (const [scenario, step] of passkeyMoves) {
    it(`${scenario.name}: a passkey of Auth.js signs in with Keyhook`, async () => {
      expect(await comparison?.compareMove(scenario, step)).toEqual([]);
    });

    it(`${scenario.name}: a passkey of Keyhook signs in with Auth.js`, async () => {
      expect(await comparison?.compareMove(scenario, step, true)).toEqual([]);
    });
  }

  it("every accepted difference of passkeys still exists", () => {
    expect(PASSKEYS.filter((row) => !comparison?.used.has(row))).toEqual([]);
  });
});
