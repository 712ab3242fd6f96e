import { randomHex } from "../../crypto/crypto.ts";
import type { Awaitable } from "../../types/models.ts";
import type { StoreBackend } from "../../types/store.ts";
import type { TestRunner } from "../runner.ts";

/** Options of `testStore`. */
export interface StoreSuiteOptions {
  /** Number of concurrent callers in a race. Default 50. */
  parallel?: number;
  /** Repetitions of each race. Default 20. */
  rounds?: number;
  /** Size in bytes of the largest value that is written. Default 200000. */
  largest?: number;
  /** Timeout of a test in milliseconds. Default 30000. */
  timeout?: number;
  /** Creates the backend with its server unreachable: every operation must reject. */
  broken?: () => Awaitable<StoreBackend>;
}

/** The helpers that the parts of the suite share. */
export interface StoreSuite
  extends
    TestRunner,
    Required<Omit<StoreSuiteOptions, "broken">>,
    Pick<StoreSuiteOptions, "broken"> {
  /** First part of every key, so that runs with the same records do not collide. */
  readonly suite: string;
  make(): Awaitable<StoreBackend>;
  test(name: string, body: (backend: StoreBackend) => Promise<void>): unknown;
  /** Registers a test that runs `rounds` times, each time with a new key. */
  race(name: string, body: (backend: StoreBackend, key: string) => Promise<void>): unknown;
  /** Returns an unused key. */
  fresh(group?: string): string;
  /** Returns the time in one hour, in milliseconds since the epoch. */
  soon(): number;
  /** Runs `work` `parallel` times concurrently. */
  many<T>(work: (at: number) => Awaitable<T>): Promise<T[]>;
  /** Counts the results that are `true`. */
  wins(results: readonly unknown[]): number;
  /** Lists all keys with a prefix, page by page. */
  listKeys(backend: StoreBackend, prefix: string, limit?: number): Promise<string[]>;
}

/** One hour in milliseconds. */
export const HOUR_MS = 3_600_000;

/** Runs `work` with the clock moved. Needs no fake timers, so that it works with any test runner. */
export async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now.call(Date) + milliseconds;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** Creates the shared helpers. The backend is created when the first test needs it. */
export function createStoreSuite(
  make: () => Awaitable<StoreBackend>,
  { describe, it, expect }: TestRunner,
  options: StoreSuiteOptions,
): StoreSuite {
  const { parallel = 50, rounds = 20, largest = 200_000, timeout = 30_000, broken } = options;
  const suite = `suite-${randomHex(4)}`;
  let made: Promise<StoreBackend> | undefined;
  const use = () => (made ??= (async () => make())());
  const fresh = (group = "key") => `${suite}.${group}.${randomHex(8)}`;
  const test: StoreSuite["test"] = (name, body) => it(name, async () => body(await use()), timeout);

  return {
    ...{ describe, it, expect, make, test, fresh, suite },
    ...{ parallel, rounds, largest, timeout, ...(broken && { broken }) },
    race: (name, body) =>
      test(name, async (backend) => {
        for (let round = 0; round < rounds; round++) await body(backend, fresh("race"));
      }),
    soon: () => Date.now() + HOUR_MS,
    many: (work) => Promise.all(Array.from({ length: parallel }, (_, at) => work(at))),
    wins: (results) => results.filter((result) => result === true).length,
    async listKeys(backend, prefix, limit = 100) {
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await backend.scan(prefix, { limit, ...(cursor !== undefined && { cursor }) });
        keys.push(...page.keys);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return [...new Set(keys)].sort();
    },
  };
}
