import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { rounds } from "../_scale.ts";
import type { Holding } from "./_traffic.ts";

const REQUESTS = rounds(10_000);
/** Bytes that a request may leave behind: a used value stays marked for 40 minutes. */
const PER_REQUEST = 30;
const NOISE = 2_000_000;

it("after much traffic of all kinds, the heap has its previous size, and no timer or listener is left", () => {
  const script = fileURLToPath(new URL("_traffic.ts", import.meta.url));
  const out = execFileSync(process.execPath, ["--expose-gc", script, String(REQUESTS)], {
    encoding: "utf8",
  });
  const { before, after } = JSON.parse(out) as { before: Holding; after: Holding };
  expect(after.heap - before.heap).toBeLessThan(NOISE + PER_REQUEST * REQUESTS);
  expect(after.resources).toBeLessThanOrEqual(before.resources);
  expect(after.listeners).toBe(0);
});
