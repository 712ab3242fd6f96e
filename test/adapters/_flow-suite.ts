import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROCESSES, rounds } from "../_scale.ts";
import type { Setting } from "../stores/_history.ts";
import { openBackend } from "../stores/_open.ts";
import { withRacers } from "../stores/_racers.ts";
import { createFlowApp, type Visit, type Visited } from "./_flow-app.ts";
import { emailChange } from "./_flow-moves.ts";
import type { Race } from "./_flow-race.ts";
import {
  firstSignIn,
  linkRedemption,
  manyRedemptions,
  sessionRefresh,
  signOut,
} from "./_flow-races.ts";
import { type Plan, type Racers, readRecords, runRounds } from "./_flow-rounds.ts";

const SEED = Number(process.env.SEED ?? 20261121);
// Over two and four processes, on two servers and on files: 1,000 rounds in total (SECURITY.md F20).
const ROUNDS = rounds(200);
const REDEMPTIONS = rounds(600);
const RACER = new URL("_flow-racer.ts", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "keyhook-flow-races-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RACES: Record<string, Race> = {
  "first sign-in": firstSignIn,
  "link redemption": linkRedemption,
  "session refresh": sessionRefresh,
  "sign-out against refresh": signOut,
  "e-mail change": emailChange,
};

let places = 0;

// Returns the settings of a new place.
function newSetting(backend: Setting["backend"]): Setting {
  const name = `flows_${backend}_${process.pid}_${places++}`;
  if (backend === "redis") return { backend, place: `${name}:` };
  return { backend, place: backend === "fs" || backend === "sqlite" ? join(folder, name) : name };
}

async function expectNoViolation(
  racers: Racers,
  race: Race,
  plan: Plan,
  { backend }: Setting,
): Promise<void> {
  const { violations, seen } = await runRounds(racers, plan, race.round);
  if (process.env.SEEN) console.log(backend, racers.length, plan.name, seen);
  expect(violations).toEqual([]);
  // Few rounds may miss some observations.
  if (plan.rounds >= 100) expect(seen.overlap).toBeGreaterThan(plan.rounds / 3);
  if (plan.rounds < 200) return;
  for (const what of race.sees) expect(seen).toHaveProperty([what]);
}

/** Races of whole flows over two and four processes. */
export function testRaces(backend: Setting["backend"], count = ROUNDS): void {
  describe.each(PROCESSES)("flow races over %i processes", (processes) => {
    for (const [name, race] of Object.entries(RACES)) {
      it(`${name}: ${count} rounds without a violation`, { timeout: 240_000 }, async () => {
        const setting = newSetting(backend);
        const { backend: records, wipe, close } = await openBackend(setting);
        try {
          await withRacers<Visit, Visited>(RACER, setting, processes, (racers) => {
            const plan = { name: name.replace(/\W/g, "-"), rounds: count, seed: SEED };
            return expectNoViolation(racers, race, plan, setting);
          });
          race.after(await readRecords(records), count);
        } finally {
          await wipe();
          await close();
        }
      });
    }
  });
}

/** Registers the race of fifty concurrent redemptions of one e-mail link. */
export function testMany(backend: Setting["backend"]): void {
  const count = Math.ceil(REDEMPTIONS / 50);
  const title = `of 50 concurrent redemptions of a mailed link exactly one signs in, in each of ${count} rounds`;
  it(title, { timeout: 240_000 }, async () => {
    const setting = newSetting(backend);
    const { backend: records, wipe, close } = await openBackend(setting);
    try {
      const { visit } = createFlowApp(records);
      const racer = { run: (visits: Visit[]) => Promise.all(visits.map(visit)) };
      const plan = { name: "many", rounds: count, seed: SEED, beside: 1 };
      await expectNoViolation([racer], manyRedemptions, plan, setting);
      manyRedemptions.after(await readRecords(records), count);
    } finally {
      await wipe();
      await close();
    }
  });
}
