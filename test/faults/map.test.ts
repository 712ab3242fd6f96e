import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// The faults of SECURITY.md, part 3, and the files that test each of them. This folder contains
// tests of faults that affect no single module: whole sign-ins while the storage, the e-mail, a
// clock or a delivery fails. Every title starts with its number, so that `vitest -t "F17:"` runs
// the tests of a fault in every file.
const MAP: Readonly<Record<string, readonly string[]>> = {
  F1: ["faults/storage"],
  F2: ["faults/storage"],
  F3: ["faults/storage"],
  F4: ["faults/storage"],
  F5: ["faults/storage"],
  F6: ["faults/storage"],
  F7: ["faults/storage"],
  F8: ["faults/storage"],
  F9: ["flows/oauth-faults"],
  F10: ["flows/oauth-faults"],
  F11: ["flows/oauth-faults"],
  F12: ["flows/oauth-faults"],
  F13: ["flows/oauth-faults"],
  F14: ["flows/oauth-faults"],
  F15: ["faults/mail"],
  F16: ["faults/mail"],
  F17: ["faults/clocks"],
  F18: ["adapters/kills/partial-states", "adapters/kills/sigkill", "adapters/races"],
  F19: ["adapters/races"],
  F20: ["stores/races"],
  F21: ["adapters/races"],
  F22: ["faults/storage"],
  F23: ["faults/deploys", "adapters/kills/partial-states"],
  F24: ["faults/deploys"],
  F25: ["faults/deploys"],
  F31: ["flows/oauth-faults"],
  F32: ["faults/delivery", "flows/oauth-faults"],
  F33: ["faults/delivery"],
  F34: ["faults/delivery"],
  F35: ["faults/indexes"],
};

const root = fileURLToPath(new URL("..", import.meta.url));

/** Collects the numbers at the start of titles in a file. */
function listNumbers(file: string): Set<string> {
  const text = readFileSync(root + file, "utf8");
  return new Set([...text.matchAll(/["'`](F\d+)[: ]/g)].map(([, number = ""]) => number));
}

describe("map of the faults in SECURITY.md", () => {
  it("every fault is tested in the files that the map names", () => {
    const missing = Object.entries(MAP).flatMap(([number, files]) =>
      files
        .filter((file) => !listNumbers(`${file}.test.ts`).has(number))
        .map((file) => `${number}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it("every fault that is tested in this folder is on the map", () => {
    const files = globSync("faults/*.test.ts", { cwd: root }).filter(
      (file) => !/map\.test/.test(file),
    );
    for (const file of files) {
      for (const number of listNumbers(file)) {
        expect(MAP[number], number).toContain(file.replaceAll("\\", "/").replace(".test.ts", ""));
      }
    }
  });

  it("the faults that a deployment must survive are complete", () => {
    const numbers = Array.from({ length: 25 }, (_, at) => at + 1).concat([31, 32, 33, 34, 35]);
    expect(Object.keys(MAP)).toEqual(numbers.map((number) => `F${number}`));
  });
});
