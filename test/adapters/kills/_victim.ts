import fs, { writeSync } from "node:fs";
import { createAccident, type Fault } from "./_accident.ts";
import { JOURNEYS } from "./_journeys.ts";
import { openBackend, type Setting } from "./_places.ts";
import { createWorld, type Weather } from "./_world.ts";

// A process that makes a journey and is killed on the way: by SIGKILL, of which no code of it hears.

/** What it is told. */
export interface Order {
  setting: Setting;
  journey: string;
  /** Where it dies: by operations, or before and after calls of the file system. */
  at: number;
  fault: Fault | "file";
  cookies: [name: string, value: string][];
  outbox: string[];
  weather: Weather;
}

/** What it tells, a line each. */
export type Line = { secret: string } | { log: string } | { count: number };

const CALLS = ["linkSync", "renameSync", "rmSync"] as const;
const PROMISED = ["writeFile", "mkdir"] as const;

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const tell = (line: Line) => writeSync(1, `${JSON.stringify(line)}\n`);
const die = () => process.kill(process.pid, "SIGKILL");
let points = 0;

function pass(): void {
  if (points++ === order.at) die();
}

// Every change that the file system sees, with the moment before and the moment after it.
function watchFiles(): void {
  for (const name of CALLS) {
    const call = fs[name] as (...args: unknown[]) => void;
    const watched = (...args: unknown[]) => {
      pass();
      call(...args);
      pass();
    };
    Object.assign(fs, { [name]: watched });
  }
  for (const name of PROMISED) {
    const call = fs.promises[name] as (...args: unknown[]) => Promise<unknown>;
    const watched = async (...args: unknown[]) => {
      pass();
      const answer = await call(...args);
      pass();
      return answer;
    };
    Object.assign(fs.promises, { [name]: watched });
  }
}

const { backend, close } = openBackend(order.setting);
const accident = createAccident(die);
const world = createWorld({
  open: () => backend,
  witness: { secret: (secret) => tell({ secret }), log: (log) => tell({ log }) },
  accident,
});
for (const [name, value] of order.cookies) world.browser.cookies.set(name, value);
world.outbox.push(...order.outbox);
Object.assign(world.weather, order.weather);

if (order.fault === "file") watchFiles();
else accident.arm(order.at, order.fault);
await JOURNEYS[order.journey]?.act(world);
tell({ count: order.fault === "file" ? points : accident.count() });
await close();
