// What a process loads with its first passkey takes long on a busy machine, and is no operation.
import "@simplewebauthn/server";
import "../../../plugins/flows/webauthn/finish.ts";
import "../../../plugins/flows/webauthn/options.ts";
import assert from "node:assert/strict";
import { afterAll, describe, expect, it } from "vitest";
import type { Fault } from "./_accident.ts";
import { assertInvariants, type Told } from "./_invariants.ts";
import type { Journey } from "./_journey.ts";
import { JOURNEYS } from "./_journeys.ts";
import type { Place, Quarter } from "./_places.ts";
import { createWorld, type World } from "./_world.ts";

const TITLES = {
  error: "F2: each operation is refused once",
  lost: "F2: each operation's answer is lost once",
  kill: "F18: the process is killed before the first operation and after each",
} as const;

/** Worlds that are under way at once: so few that none starves on a busy machine. */
const BESIDE = 8;

/** A world with what it told. */
export interface Scene {
  world: World;
  place: Place;
  told: Told;
  isKilled: boolean;
}

/** Makes the world in which a journey begins. */
export async function setScene(place: Place, journey: Journey): Promise<Scene> {
  const told: Told = { secrets: new Set(), logs: [] };
  const witness = {
    secret: (text: string) => void told.secrets.add(text),
    log: (text: string) => void told.logs.push(text),
  };
  const world = createWorld({ open: () => place.open(), witness });
  world.browsers.set(world.browser, journey.person);
  await journey.before?.(world);
  world.known = (await world.people()).map(({ id }) => id);
  return { world, place, told, isKilled: false };
}

/** What must hold after an accident, and that the journey can be made then. */
export async function recover(journey: Journey, scene: Scene): Promise<void> {
  const { world } = scene;
  await assertInvariants(world, journey, scene);
  // I4: at once, and at the first try.
  await journey.again(world);
  await assertInvariants(world, journey, scene);
  assert.equal((await world.people()).length, journey.people, "people in the end");
}

/** The operations of a journey that nothing cuts short. */
export async function measure(quarter: Quarter, journey: Journey): Promise<number> {
  const place = quarter.place();
  const scene = await setScene(place, journey);
  const { accident } = scene.world;
  accident.arm(Infinity, "error");
  await journey.act(scene.world);
  const count = accident.count();
  await recover(journey, scene);
  await place.remove();
  return count;
}

/** The world as an accident leaves it. */
export async function happen(
  quarter: Quarter,
  journey: Journey,
  fault: Fault,
  at: number,
): Promise<Scene> {
  const scene = await setScene(quarter.place(), journey);
  const { accident } = scene.world;
  accident.arm(at, fault);
  const act = journey.act(scene.world).catch(() => {});
  await (fault === "kill" ? Promise.race([act, accident.died]) : act);
  assert.ok(accident.happened(), "nothing was cut short");
  accident.disarm();
  if (fault === "kill") scene.world.restart();
  return { ...scene, isKilled: fault === "kill" };
}

async function cut(quarter: Quarter, journey: Journey, fault: Fault, at: number): Promise<void> {
  const scene = await happen(quarter, journey, fault, at);
  await recover(journey, scene);
  await scene.place.remove();
}

/** Does something with all numbers of a range, some of them side by side. */
export async function each(
  from: number,
  to: number,
  work: (at: number) => Promise<void>,
  beside = BESIDE,
): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next <= to) {
      const at = next++;
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
 * Cuts every journey short at every operation: of n, n are refused, n lose their answer, and the
 * process is killed n + 1 times.
 */
export function testKills(
  quarter: Quarter,
  faults: readonly (keyof typeof TITLES)[] = ["error", "lost", "kill"],
): void {
  afterAll(() => quarter.close());

  for (const [name, journey] of Object.entries(JOURNEYS)) {
    describe(name, () => {
      let count: Promise<number> | undefined;
      const counted = () => (count ??= measure(quarter, journey));

      it("comes through when nothing happens", async () => {
        expect(await counted()).toBeGreaterThan(0);
      });

      for (const fault of faults) {
        it(TITLES[fault], async () => {
          const first = fault === "kill" ? 0 : 1;
          await each(first, await counted(), (at) => cut(quarter, journey, fault, at));
        });
      }
    });
  }
}
