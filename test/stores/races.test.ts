import { spawnSync } from "node:child_process";
import fs, { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fsBackend } from "../../plugins/stores/fs.ts";
import { PROCESSES, rounds } from "../_scale.ts";
import {
  type Answer,
  type Command,
  createRandom,
  isLinearizable,
  type Setting,
} from "./_history.ts";
import { openBackend } from "./_open.ts";
import { type Racer, startRacer, startRacers, withRacers } from "./_racers.ts";
import { describeWith } from "./_servers.ts";

const SEED = Number(process.env.SEED ?? 20261121);
const ROUNDS = rounds(100);
const RACER = new URL("_racer.ts", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "keyhook-races-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wins = (answers: readonly Answer[]) => answers.filter(({ result }) => result === true).length;

/**
 * A race over fresh records: the commands before it, those of each process, and the check of the
 * results.
 */
interface Race {
  before?: (key: string) => Command[];
  each: (key: string, racer: number, at: number) => Command;
  check: (answers: Answer[]) => boolean;
}

const RACES: Record<string, Race> = {
  putIfAbsent: {
    each: (key, racer, at) => ({ operation: "putIfAbsent", key, value: `${racer}.${at}` }),
    check: (answers) => wins(answers) === 1,
  },
  take: {
    before: (key) => [{ operation: "put", key, value: "one" }],
    each: (key) => ({ operation: "take", key }),
    check: (answers) => answers.filter(({ result }) => result === "one").length === 1,
  },
  compareAndSet: {
    before: (key) => [{ operation: "put", key, value: "old" }],
    each: (key, racer, at) => ({
      ...{ operation: "compareAndSet", key, expected: "old" },
      value: `${racer}.${at}`,
    }),
    check: (answers) => wins(answers) === 1,
  },
  increment: {
    each: (key) => ({ operation: "increment", key }),
    check: (answers) => new Set(answers.map(({ result }) => result)).size === answers.length,
  },
};

/** Draws a random command on one record, with a random delay. */
function anything(random: () => number, key: string): Command {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const operation = pick([
    ...(["get", "take", "take", "putIfAbsent", "putIfAbsent", "compareAndSet"] as const),
    ...(["compareAndSet", "put", "delete"] as const),
  ]);
  const values = ["a", "b", "c"];
  const delay = random() < 0.5 ? 0 : random() * 4;
  return { operation, key, value: pick(values), expected: pick(values), delay };
}

function testRaces(setting: Setting, count: number): void {
  describe(`F20: ${count} processes`, () => {
    let racers: Racer<Command, Answer>[] = [];
    beforeAll(async () => {
      racers = await startRacers(RACER, setting, count);
    });
    afterAll(() => Promise.all(racers.map((racer) => racer.end())));

    for (const [name, { before, each, check }] of Object.entries(RACES)) {
      it(
        `${count} processes: ${name} has one winner in each of ${ROUNDS} rounds`,
        { timeout: 240_000 },
        async () => {
          for (let round = 0; round < ROUNDS; round++) {
            const key = `race.${name}.${SEED}-${count}-${round}`;
            if (before) await racers[0]?.run(before(key));
            const answers = await Promise.all(
              racers.map((racer, at) =>
                racer.run(Array.from({ length: 4 }, (_, step) => each(key, at, step))),
              ),
            );
            const all = answers.flat();
            expect(all.filter(({ error }) => error)).toEqual([]);
            expect(check(all), JSON.stringify({ key, all }, null, 1)).toBe(true);
          }
        },
      );
    }

    it(
      `${count} processes: random commands leave a linearizable history in ${ROUNDS} seeded rounds`,
      { timeout: 240_000 },
      async () => {
        const random = createRandom(SEED + count);
        for (let round = 0; round < ROUNDS; round++) {
          const key = `race.history.${SEED}-${count}-${round}`;
          const answers = await Promise.all(
            racers.map((racer) =>
              racer.run(Array.from({ length: Math.ceil(12 / count) }, () => anything(random, key))),
            ),
          );
          const all = answers.flat();
          expect(all.filter(({ error }) => error)).toEqual([]);
          expect(isLinearizable(all), JSON.stringify({ key, all }, null, 1)).toBe(true);
        }
      },
    );
  });
}

describe("isLinearizable", () => {
  const at = (began: number, ended: number, answer: Command & { result: unknown }): Answer => ({
    ...answer,
    began: String(began),
    ended: String(ended),
  });
  const key = "k";

  it("isLinearizable accepts a history with a valid order", () => {
    expect(
      isLinearizable([
        at(0, 9, { operation: "take", key, result: "a" }),
        at(1, 2, { operation: "put", key, value: "a", result: null }),
        at(3, 8, { operation: "get", key, result: null }),
        at(4, 5, { operation: "increment", key, result: 1 }),
        at(6, 7, { operation: "delete", key, result: true }),
      ]),
    ).toBe(true);
  });

  it("isLinearizable rejects a value taken twice, and a value that reappeared", () => {
    const put = at(0, 1, { operation: "put", key, value: "a", result: null });
    const take = at(2, 9, { operation: "take", key, result: "a" });
    expect(isLinearizable([put, take, { ...take }])).toBe(false);
    expect(isLinearizable([put, take, at(10, 11, { operation: "get", key, result: "a" })])).toBe(
      false,
    );
    expect(isLinearizable([put, at(2, 3, { operation: "get", key, result: null })])).toBe(false);
  });
});

describe("fsBackend", () => {
  it("concurrent writes succeed while another process creates the folder", async () => {
    const mkdir = fs.promises.mkdir.bind(fs.promises);
    const slow = vi.spyOn(fs.promises, "mkdir").mockImplementation(async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return mkdir(...args);
    });
    try {
      const puts = Array.from({ length: 50 }, async (_, at) => {
        await new Promise((resolve) => setTimeout(resolve, 2 * at));
        return fsBackend(join(folder, "new")).putIfAbsent(`race.new.${at}`, "made");
      });
      expect(await Promise.all(puts)).toEqual(puts.map(() => true));
    } finally {
      slow.mockRestore();
    }
  });

  for (const count of PROCESSES) testRaces({ backend: "fs", place: join(folder, "fs") }, count);

  it(
    "four processes take over the locks of a dead process one at a time, but no live lock",
    { timeout: 240_000 },
    async () => {
      const place = join(folder, "heirs");
      const keys = Array.from({ length: ROUNDS }, (_, round) => `race.heirs.${round}`);
      await fsBackend(place).put("race.heirs", "made");
      const script = `
        import { writeFileSync } from "node:fs";
        import { createLocks } from ${JSON.stringify(new URL("../../plugins/stores/fs/lock.ts", import.meta.url))};
        let at = 0;
        const { acquire } = createLocks(${JSON.stringify(join(place, ".locks"))}, async (text) => {
          const file = ${JSON.stringify(join(place, ".tmp/"))} + "dead" + at++;
          writeFileSync(file, text);
          return file;
        });
        for (const key of ${JSON.stringify(keys)}) await acquire(key);
      `;
      const made = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
      expect(made.stderr.toString()).toBe("");
      expect(readdirSync(join(place, ".locks")).length).toBe(ROUNDS);
      await withRacers<Command, Answer>(RACER, { backend: "fs", place }, 4, async (racers) => {
        for (const key of keys) {
          const answers = await Promise.all(
            racers.map((racer) =>
              racer.run([
                { operation: "increment", key },
                { operation: "increment", key },
              ]),
            ),
          );
          const sums = answers.flat().map(({ result }) => Number(result));
          expect(sums.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
        }
      });
      expect(readdirSync(join(place, ".locks"))).toEqual([]);
    },
  );

  it(
    "a killed process leaves only whole records and no lock that blocks others",
    { timeout: 240_000 },
    async () => {
      const place = join(folder, "killed");
      const random = createRandom(SEED);
      const backend = fsBackend(place);
      const keys = Array.from({ length: 4 }, (_, at) => `race.killed.${at}`);
      let slowest = 0;
      for (let round = 0; round < Math.min(ROUNDS, 40); round++) {
        const racer = await startRacer<Command, Answer>(RACER, { backend: "fs", place });
        const commands = Array.from({ length: 400 }, (_, at): Command => {
          const key = keys[at % keys.length] as string;
          return { ...anything(random, key), delay: random() * 60 };
        });
        racer.run(commands).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 5 + random() * 50));
        const gone = new Promise((resolve) => racer.child.once("exit", resolve));
        racer.child.kill("SIGKILL");
        await gone;
        for (const key of keys) {
          const began = performance.now();
          expect([null, "a", "b", "c"]).toContain(await backend.get(key));
          await backend.put(key, "a");
          expect(await backend.compareAndSet(key, "a", "b")).toBe(true);
          slowest = Math.max(slowest, performance.now() - began);
        }
      }
      expect(slowest).toBeLessThan(1000);
    },
  );
});

describe("sqliteBackend", () => {
  for (const count of PROCESSES) {
    testRaces({ backend: "sqlite", place: join(folder, "races.sqlite") }, count);
  }
});

const REMOTE = { redis: `races-${process.pid}:`, postgres: `races_${process.pid}` };

for (const [backend, place] of Object.entries(REMOTE) as [keyof typeof REMOTE, string][]) {
  await describeWith(backend, `${backend}Backend`, () => {
    for (const count of PROCESSES) testRaces({ backend, place }, count);

    afterAll(async () => {
      const { wipe, close } = await openBackend({ backend, place });
      await wipe();
      await close();
    });
  });
}
