import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createHouse } from "../kernel/_house.ts";
import type { Setting } from "../stores/_history.ts";
import { openBackend } from "../stores/_open.ts";
import { withRacers } from "../stores/_racers.ts";
import { describeWith } from "../stores/_servers.ts";
import type { Visit, Visited } from "./_flow-app.ts";
import {
  emailChange,
  firstSignIn,
  linkRedemption,
  type Race,
  sessionRefresh,
  signOut,
} from "./_flow-races.ts";
import { readRecords, runRounds } from "./_flow-rounds.ts";

const SEED = Number(process.env.SEED ?? 20261121);
const ROUNDS = Number(process.env.ROUNDS ?? 1000);
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

// A place that nobody has used.
function newPlace(backend: Setting["backend"]): string {
  const name = `flows_${process.pid}_${places++}`;
  return (
    { fs: join(folder, name), sqlite: join(folder, `${name}.sqlite`), redis: `${name}:` }[
      backend as string
    ] ?? name
  );
}

function testRaces(backend: Setting["backend"], count: number): void {
  describe(`${count} processes`, () => {
    for (const [name, race] of Object.entries(RACES)) {
      it(`${name}: ${ROUNDS} rounds without a violation`, { timeout: 240_000 }, async () => {
        const setting: Setting = { backend, place: newPlace(backend) };
        const opened = openBackend(setting);
        try {
          await withRacers<Visit, Visited>(RACER, setting, count, async (racers) => {
            const plan = { name: name.replace(/\W/g, "-"), rounds: ROUNDS, seed: SEED };
            const { violations, seen } = await runRounds(racers, plan, race.round);
            if (process.env.SEEN) console.log(backend, count, name, seen);
            expect(violations).toEqual([]);
            // So few rounds may not have seen everything.
            if (ROUNDS >= 500)
              for (const what of race.sees(count)) expect(seen).toHaveProperty([what]);
            if (ROUNDS >= 500) expect(seen.overlap).toBeGreaterThan(ROUNDS / 2);
          });
          race.after(await readRecords(opened.backend), ROUNDS);
        } finally {
          await opened.wipe();
          await opened.close();
        }
      });
    }
  });
}

describe("fs", () => {
  for (const count of [2, 4]) testRaces("fs", count);
});

for (const backend of ["redis", "postgres"] as const) {
  await describeWith(backend, backend, () => {
    for (const count of [2, 4]) testRaces(backend, count);
  });
}

describe("who comes in two tabs", () => {
  const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };

  it("gets in with both, though one is done between the other's look-ups", async () => {
    const house = createHouse();
    const slow = house.newBrowser();
    await house.start(slow);
    house.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      house.gate = () => {};
      await house.come(ADA);
    };
    await house.finish(ADA, slow);
    expect(house.errors).toEqual([]);
    expect(await house.who(slow)).toBe(await house.who());
  });

  it("gets in with both by password, though one is done between the other's look-ups", async () => {
    const provider = {
      ...{ id: "credentials", name: "Password", type: "credentials" as const, credentials: {} },
      authorize: () => ({ id: "7", email: "ada@example.com" }),
    };
    const house = createHouse({ config: { providers: [provider] } });
    const slow = house.newBrowser();
    house.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      house.gate = () => {};
      await house.browser.signInWith("credentials", {});
    };
    await slow.signInWith("credentials", {});
    expect(house.errors).toEqual([]);
    expect(await house.who(slow)).toBe(await house.who());
  });
});
