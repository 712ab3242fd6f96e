import { beforeAll, describe, expect, it } from "vitest";
import { SCRIPT } from "../../plugins/flows/webauthn/browser/script.ts";
import { BUDGETS } from "./_budgets.ts";
import { type DoorSize, measureDoors, toKib } from "./_size.ts";

/** The number of parts that are printed for each entry point. */
const MOST_PARTS = 5;

/** The maximum difference between a budget and the size, so that the next change does not use it unnoticed. */
const getSlack = (kib: number): number => 0.02 * kib + 0.1;

const toText = (kib: number): string => kib.toFixed(1).padStart(6);

function describeSize(door: string, { path, kib, parts }: DoorSize): string {
  const listed = parts.slice(0, MOST_PARTS).map(([part, size]) => `${part} ${size.toFixed(1)}`);
  const name = path === door ? door : `${door}: ${path}`;
  return `${toText(kib)} of ${toText(BUDGETS[door] ?? 0)} KiB ${name} (minified: ${listed.join(", ")})`;
}

describe("the size of an entry point of the build, in one file with everything that it imports", () => {
  let sizes: Map<string, DoorSize>;
  beforeAll(async () => {
    sizes = await measureDoors();
    console.log([...sizes].map(([door, size]) => describeSize(door, size)).join("\n"));
  });

  it("every entry point of the exports map has a budget", () => {
    expect([...sizes.keys()].sort()).toEqual(Object.keys(BUDGETS).sort());
  });

  it("every entry point stays within its budget", () => {
    const exceeding = [...sizes].filter(([door, { kib }]) => kib > (BUDGETS[door] ?? 0));
    expect(exceeding.map(([door, size]) => describeSize(door, size))).toEqual([]);
  });

  it("no budget is more than two percent and a tenth of a KiB above the size", () => {
    const loose = [...sizes].filter(
      ([door, { kib }]) => (BUDGETS[door] ?? 0) > kib + getSlack(kib),
    );
    expect(loose.map(([door, size]) => describeSize(door, size))).toEqual([]);
  });

  it("the script of a page with passkeys stays within its budget", () => {
    const size = toKib(Buffer.from(SCRIPT));
    const budget = 2.1;
    console.log(`${toText(size)} of ${toText(budget)} KiB the script of a page with passkeys`);
    expect(size).toBeLessThan(budget);
  });
});
