import { afterAll, beforeAll, expect, it } from "vitest";
import type { Idp } from "../_idp.ts";
import { rounds } from "../_scale.ts";
import { createRandom, type Setting } from "../stores/_history.ts";
import { openBackend } from "../stores/_open.ts";
import { type Racer, withRacers } from "../stores/_racers.ts";
import { describeWith } from "../stores/_servers.ts";
import {
  type Answer,
  type Call,
  createRefreshApp,
  isAccepted,
  type RefreshSetting,
  startRotating,
} from "./_refresh-app.ts";

const SEED = Number(process.env.SEED ?? 20261121);
const ROUNDS = rounds(500);
const RACER = new URL("_refresh-racer.ts", import.meta.url);
const PROCESSES = 4;
/** Calls of each round, of one user: about as many in each process. */
const CALLS = 50;
/**
 * Users whose rounds run concurrently. With more, a busy machine delays the database longer than an
 * application would.
 */
const BESIDE = Math.min(3, ROUNDS);
/** Milliseconds by which calls start after others: almost at the same time, or staggered. */
const JITTERS = [2, 20];

interface Person {
  cookie: string;
  userId: string;
  token?: string;
}

let idp: Idp;
let refreshes = 0;
let refusals = 0;
beforeAll(async () => {
  idp = await startRotating();
  idp.provider.on("grant.success", ({ oidc }) => {
    if (oidc.params?.grant_type === "refresh_token") refreshes++;
  });
  idp.provider.on("grant.error", () => void refusals++);
});
afterAll(() => idp.close());

// One round for each user: returns the results of the calls, and the process of each.
async function run(
  racers: readonly Racer<Call, Answer>[],
  people: readonly Person[],
  random: () => number,
): Promise<(Answer & { racer: number })[][]> {
  const lists = racers.map((): Call[] => []);
  const places = people.map(({ cookie }) => {
    const jitter = JITTERS[Math.floor(random() * JITTERS.length)] ?? 0;
    const first = Math.floor(random() * racers.length);
    return Array.from({ length: CALLS }, (_, at) => {
      const racer = (first + at) % racers.length;
      const count = lists[racer]?.push({ cookie, delay: Math.floor(random() * jitter) }) ?? 0;
      return [racer, count - 1] as const;
    });
  });
  const answers = await Promise.all(racers.map((racer, at) => racer.run(lists[at] ?? [])));
  return places.map((calls) =>
    calls.map(([racer, at]) => ({ ...(answers[racer]?.[at] as Answer), racer })),
  );
}

async function race(setting: Setting): Promise<void> {
  const { backend, wipe, close } = await openBackend(setting);
  try {
    const { signIn, expire } = createRefreshApp(backend, idp.issuer);
    const people: Person[] = await Promise.all(
      Array.from({ length: BESIDE }, (_, at) => signIn(idp, `${setting.backend}-${at}`)),
    );
    const random = createRandom(SEED);
    const winners = new Set<number>();
    const place: RefreshSetting = { ...setting, issuer: idp.issuer };
    await withRacers<Call, Answer>(RACER, place, PROCESSES, async (racers) => {
      // Each process connects to the store and compiles before the first round.
      const cookie = people[0]?.cookie ?? "";
      await Promise.all(racers.map((racer) => racer.run([{ cookie }])));
      for (let done = 0; done < ROUNDS; done += BESIDE) {
        const present = people.slice(0, ROUNDS - done);
        await Promise.all(present.map(({ userId }) => expire(userId)));
        refreshes = 0;
        const answers = await run(racers, present, random);
        expect(refreshes, "refreshes at the provider").toBe(present.length);
        for (const [at, calls] of answers.entries()) {
          const person = present[at] as Person;
          expect(calls.flatMap(({ reason }) => reason ?? [])).toEqual([]);
          const [token, ...others] = new Set(calls.map((one) => one.token));
          expect(others).toEqual([]);
          expect(token).not.toBe(person.token);
          person.token = token as string;
          expect(calls.flatMap(({ events }) => events)).toEqual(["tokensRefreshed"]);
          winners.add(calls.find(({ events }) => events.length)?.racer ?? -1);
        }
      }
    });
    expect(refusals, "refusals of the provider").toBe(0);
    // The provider's reuse detection has ended no grant.
    for (const { token } of people) expect(await isAccepted(idp, token)).toBe(true);
    // With few rounds, some processes may not win any.
    if (ROUNDS >= 100) expect(winners.size, "processes that have refreshed").toBe(PROCESSES);
  } finally {
    await wipe();
    await close();
  }
}

const title = `of ${CALLS} parallel calls in ${PROCESSES} processes one refreshes, in each of ${ROUNDS} rounds`;
for (const backend of ["redis", "postgres"] as const) {
  await describeWith(backend, `access tokens in several processes: ${backend}`, () => {
    it(title, { timeout: 240_000 }, async () => {
      const name = `tokens_${process.pid}`;
      await race({ backend, place: backend === "redis" ? `${name}:` : name });
    });
  });
}
