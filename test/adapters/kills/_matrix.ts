// Modules that a process imports for its first passkey load slowly on a busy machine, which is not
// an operation.
import "@simplewebauthn/server";
import "../../../plugins/flows/webauthn/finish.ts";
import "../../../plugins/flows/webauthn/options.ts";
import assert from "node:assert/strict";
import { afterAll, describe, expect, it } from "vitest";
import { pointsOf } from "../../_scale.ts";
import type { Fault } from "./_accident.ts";
import { createKillsApp, type KillsApp } from "./_app.ts";
import { assertInvariants, type Observed } from "./_invariants.ts";
import type { Journey } from "./_journey.ts";
import { JOURNEYS } from "./_journeys.ts";
import type { Place, Quarter } from "./_places.ts";

const TITLES = {
  error: "F2: recovers when each storage operation fails once",
  lost: "F2: recovers when the result of each storage operation is lost once",
  kill: "F18: recovers when the process is killed before the first storage operation and after each",
} as const;

/** Applications that run concurrently: few enough that none is starved on a busy machine. */
const BESIDE = 8;

/** An application and its output. */
export interface Scene {
  app: KillsApp;
  place: Place;
  observed: Observed;
  isKilled: boolean;
}

/** Creates the application in which a journey begins. */
export async function setScene(place: Place, journey: Journey): Promise<Scene> {
  const observed: Observed = { secrets: new Set(), logs: [] };
  const witness = {
    secret: (text: string) => void observed.secrets.add(text),
    log: (text: string) => void observed.logs.push(text),
  };
  const app = createKillsApp({ open: () => place.open(), witness });
  app.browsers.set(app.browser, journey.person);
  await journey.before?.(app);
  app.known = (await app.people()).map(({ id }) => id);
  return { app, place, observed, isKilled: false };
}

/** Asserts the invariants after an accident, and that the journey then succeeds. */
export async function recover(journey: Journey, scene: Scene): Promise<void> {
  const { app } = scene;
  await assertInvariants(app, journey, scene);
  // I4: immediately, and at the first attempt.
  await journey.again(app);
  await assertInvariants(app, journey, scene);
  assert.equal((await app.people()).length, journey.people, "users in the end");
}

/** Counts the operations of a complete journey. */
export async function measure(quarter: Quarter, journey: Journey): Promise<number> {
  const place = quarter.place();
  const scene = await setScene(place, journey);
  const { accident } = scene.app;
  accident.arm(Infinity, "error");
  await journey.act(scene.app);
  const count = accident.count();
  await recover(journey, scene);
  await place.remove();
  return count;
}

/** Creates an application and runs the journey into the accident. */
export async function happen(
  quarter: Quarter,
  journey: Journey,
  fault: Fault,
  at: number,
): Promise<Scene> {
  const scene = await setScene(quarter.place(), journey);
  const { accident } = scene.app;
  accident.arm(at, fault);
  const act = journey.act(scene.app).catch(() => {});
  await (fault === "kill" ? Promise.race([act, accident.died]) : act);
  assert.ok(accident.happened(), "nothing was cut short");
  accident.disarm();
  if (fault === "kill") scene.app.restart();
  return { ...scene, isKilled: fault === "kill" };
}

async function cut(quarter: Quarter, journey: Journey, fault: Fault, at: number): Promise<void> {
  const scene = await happen(quarter, journey, fault, at);
  await recover(journey, scene);
  await scene.place.remove();
}

/** Runs `work` for all numbers of a range, or a share of them, some concurrently. */
export async function each(
  from: number,
  to: number,
  work: (at: number) => Promise<void>,
  { beside = BESIDE, share = 1 } = {},
): Promise<void> {
  const points = pointsOf(from, to, share);
  const worker = async () => {
    for (let at = points.shift(); at !== undefined; at = points.shift()) {
      try {
        await work(at);
      } catch (error) {
        (error as Error).message = `at operation ${at}: ${(error as Error).message}`;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: beside }, worker));
}

/**
 * Interrupts every journey at every operation: of n operations, each fails once, each loses its
 * result once, and the process is killed n + 1 times. Or a share of these.
 */
export function testKills(
  quarter: Quarter,
  faults: readonly (keyof typeof TITLES)[] = ["error", "lost", "kill"],
  share = 1,
): void {
  afterAll(() => quarter.close());

  for (const [name, journey] of Object.entries(JOURNEYS)) {
    describe(name, () => {
      let count: Promise<number> | undefined;
      const counted = () => (count ??= measure(quarter, journey));

      it("completes without a failure", async () => {
        expect(await counted()).toBeGreaterThan(0);
      });

      for (const fault of faults) {
        it(share < 1 ? `${TITLES[fault]}, at a share of these` : TITLES[fault], async () => {
          const first = fault === "kill" ? 0 : 1;
          await each(first, await counted(), (at) => cut(quarter, journey, fault, at), { share });
        });
      }
    });
  }
}
