import fs, { writeSync } from "node:fs";
import { createAccident, type Fault } from "./_accident.ts";
import { createKillsApp, type Weather } from "./_app.ts";
import { JOURNEYS } from "./_journeys.ts";
import { openBackend, type Setting } from "./_places.ts";

// A process that runs a journey and is killed during it by SIGKILL, which its own code cannot
// observe.

/** The instructions for the process. */
export interface Order {
  setting: Setting;
  journey: string;
  /** When the process dies: by the number of operations, or before and after calls of the file system. */
  at: number;
  fault: Fault | "file";
  cookies: [name: string, value: string][];
  links: string[];
  weather: Weather;
}

/** One line of the process's output. */
export type Line = { secret: string } | { log: string } | { count: number };

const CALLS = ["linkSync", "renameSync", "rmSync"] as const;
const PROMISED = ["writeFile", "mkdir"] as const;

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const emit = (line: Line) => writeSync(1, `${JSON.stringify(line)}\n`);
const die = () => process.kill(process.pid, "SIGKILL");
let points = 0;

function pass(): void {
  if (points++ === order.at) die();
}

// Every change of the file system, with the moments before and after it.
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
const app = createKillsApp({
  open: () => backend,
  witness: { secret: (secret) => emit({ secret }), log: (log) => emit({ log }) },
  accident,
});
for (const [name, value] of order.cookies) app.browser.cookies.set(name, value);
app.links.push(...order.links);
Object.assign(app.weather, order.weather);

if (order.fault === "file") watchFiles();
else accident.arm(order.at, order.fault);
await JOURNEYS[order.journey]?.act(app);
emit({ count: order.fault === "file" ? points : accident.count() });
await close();
