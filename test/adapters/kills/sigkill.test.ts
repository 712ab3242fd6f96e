import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { describeWith } from "../../stores/_servers.ts";
import type { Journey } from "./_journey.ts";
import { JOURNEYS } from "./_journeys.ts";
import { each, recover, type Scene, setScene } from "./_matrix.ts";
import { type Quarter, QUARTERS } from "./_places.ts";
import type { Line, Order } from "./_victim.ts";

const VICTIM = fileURLToPath(new URL("_victim.ts", import.meta.url));
/** The number of concurrent processes, which start and die. */
const BESIDE = 4;
// The matrix of each storage interrupts every journey, but ends no real process.
const FLOWS = ["the first sign-in by mail", "a sign-out"];
const MORE_FLOWS = [...FLOWS, "the first sign-in", "a deletion of a user"];

type Point = Pick<Order, "at" | "fault">;

// Runs the journey in a child process. Returns its counts, unless it was killed.
async function send({ app, observed, place }: Scene, name: string, point: Point) {
  const { setting } = place;
  assert.ok(setting, "another process can find the records");
  const { links, weather } = app;
  const cookies = [...app.browser.cookies];
  const order: Order = { setting, journey: name, cookies, links, weather, ...point };
  const child = spawn(process.execPath, [VICTIM, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
  });
  const [how, said, complaints] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  assert.equal(complaints, "");
  // The process may die while it writes a line.
  const lines = said.split("\n").slice(0, -1);
  let count: number | undefined;
  for (const line of lines.map((one) => JSON.parse(one) as Line)) {
    if ("secret" in line) observed.secrets.add(line.secret);
    else if ("log" in line) observed.logs.push(line.log);
    else count = line.count;
  }
  app.proofs++;
  return { how, count };
}

async function kill(quarter: Quarter, name: string, point: Point): Promise<void> {
  const journey = JOURNEYS[name] as Journey;
  const place = quarter.place();
  const scene = await setScene(place, journey);
  const { how } = await send(scene, name, point);
  assert.equal(how, "SIGKILL");
  await recover(journey, { ...scene, isKilled: true });
  await place.remove();
}

async function count(quarter: Quarter, name: string, fault: Order["fault"]): Promise<number> {
  const journey = JOURNEYS[name] as Journey;
  const place = quarter.place();
  const scene = await setScene(place, journey);
  // Far beyond the last operation.
  const { how, count: found = 0 } = await send(scene, name, { at: 1e6, fault });
  assert.equal(how, 0);
  await place.remove();
  return found;
}

function testVictims(quarter: Quarter, fault: Order["fault"], what: string, flows = FLOWS): void {
  for (const name of flows) {
    it(`F18: ${name}: ${what}`, { timeout: 240_000 }, async () => {
      const points = await count(quarter, name, fault);
      expect(points).toBeGreaterThan(1);
      // The file system's last moment has no number of its own: it is the moment after the last
      // call.
      const [first, last] = fault === "kill" ? [0, points] : [fault === "midway" ? 1 : 0, points];
      const end = fault === "file" ? last - 1 : last;
      await each(first, end, (at) => kill(quarter, name, { at, fault }), { beside: BESIDE });
    });
  }
}

describe("SIGKILL of a process: fs", () => {
  const quarter = QUARTERS.fs();
  afterAll(() => quarter.close());
  testVictims(quarter, "kill", "recovers when killed between any two operations", MORE_FLOWS);
  testVictims(quarter, "file", "recovers when killed before and after every change of a file");
});

describe("SIGKILL of a process: sqlite", () => {
  const quarter = QUARTERS.sqlite();
  afterAll(() => quarter.close());
  testVictims(quarter, "kill", "recovers when killed between any two operations");
});

await describeWith("redis", "SIGKILL of a process: redis", () => {
  const quarter = QUARTERS.redis();
  afterAll(() => quarter.close());
  testVictims(quarter, "kill", "recovers when killed between any two operations");
  testVictims(quarter, "midway", "recovers when killed during a command");
});
