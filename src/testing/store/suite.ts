import { randomHex } from "../../crypto.ts";
import type { Awaitable } from "../../types/models.ts";
import type { StoreBackend } from "../../types/store.ts";
import type { TestRunner } from "../runner.ts";

/** What a backend's suite may be told. */
export interface StoreSuiteOptions {
  /** Parallel callers in a race. Default 50. */
  parallel?: number;
  /** Races of each kind. Default 20. */
  rounds?: number;
  /** Bytes of the largest value that is tried. Default 200000. */
  largest?: number;
  /** Milliseconds that one test may take. Default 30000. */
  timeout?: number;
  /** Makes the backend with its server out of reach: every operation must fail. */
  broken?: () => Awaitable<StoreBackend>;
}

/** What the parts of the suite share. */
export interface StoreSuite
  extends
    TestRunner,
    Required<Omit<StoreSuiteOptions, "broken">>,
    Pick<StoreSuiteOptions, "broken"> {
  /** First part of every key, so that runs over the same records do not meet. */
  readonly suite: string;
  make(): Awaitable<StoreBackend>;
  test(name: string, body: (backend: StoreBackend) => Promise<void>): unknown;
  /** A test in so many rounds, each with a key of its own. */
  race(name: string, body: (backend: StoreBackend, key: string) => Promise<void>): unknown;
  /** A key that nobody has used. */
  fresh(group?: string): string;
  /** In an hour, in milliseconds since the epoch. */
  soon(): number;
  /** So many callers at once. */
  many<T>(work: (at: number) => Promise<T>): Promise<T[]>;
  /** How many of them were told `true`. */
  wins(answers: readonly unknown[]): number;
  /** All keys of a prefix, read page by page. */
  keysOf(backend: StoreBackend, prefix: string, limit?: number): Promise<string[]>;
}

/** Milliseconds. */
export const HOUR = 3_600_000;

/** Runs with the clock moved. The suite does that by itself: it must run under any test runner. */
export async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now.call(Date) + milliseconds;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** Makes what the parts share; the backend is made when the first test needs it. */
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
    soon: () => Date.now() + HOUR,
    many: (work) => Promise.all(Array.from({ length: parallel }, (_, at) => work(at))),
    wins: (answers) => answers.filter((answer) => answer === true).length,
    async keysOf(backend, prefix, limit = 100) {
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
