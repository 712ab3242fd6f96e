import type { Adapter, AdapterUser } from "../../types/adapter.ts";
import type { Awaitable } from "../../types/models.ts";
import type { TestRunner } from "../runner.ts";
import { newUser } from "./rows.ts";

/** A property that an adapter may lack because its database does not enforce it. */
export type AdapterTrait =
  /** Of N concurrent users with the same address, only one is created. */
  | "unique-email"
  /** Of N concurrent links of the same account, only one is stored. */
  | "unique-account"
  /** Of N concurrent uses of the same token, only one succeeds. */
  | "one-time"
  /** Any text that can be written is found again, and no other text matches it. */
  | "odd-text"
  /** A user whose address changes is no longer found by the old address. */
  | "moves"
  /** Deleting a user deletes the user's accounts, sessions and passkeys. */
  | "cascade"
  /** A look-up of an id that never existed returns `null` instead of throwing. */
  | "lenient-ids";

/** Options of `testAdapter`. */
export interface AdapterSuiteOptions {
  /** Traits that the adapter does not have. Their tests are left out. */
  without?: readonly AdapterTrait[];
  /** Number of concurrent callers in a race. Default 20. */
  parallel?: number;
  /** Repetitions of each race. Default 5. */
  rounds?: number;
  /** Timeout of a test in milliseconds. Default 30000. */
  timeout?: number;
}

/** An adapter with the methods that a test needs. Every test may create users. */
export type AdapterWith<Need extends keyof Adapter | AdapterTrait = never> = Pick<
  Required<Adapter>,
  Extract<Need, keyof Adapter> | "createUser"
>;

/** The helpers that the parts of the suite share. */
export interface AdapterSuite extends Omit<TestRunner, "it"> {
  readonly parallel: number;
  readonly rounds: number;
  /**
   * Registers a test. It is left out if the adapter lacks a trait in `needs`, and passes without checking anything if
   * the adapter lacks a method in `needs`.
   */
  test<Need extends keyof Adapter | AdapterTrait>(
    name: string,
    needs: readonly Need[],
    body: (adapter: AdapterWith<Need>) => Promise<void>,
  ): void;
  /** Runs `work` `parallel` times concurrently and counts the callers that succeed. */
  race(work: (at: number) => Promise<unknown>): Promise<number>;
  fails(work: () => Awaitable<unknown>): Promise<boolean>;
  /** Runs `work` for one value after another. An error's message names the value. */
  each<T>(values: Iterable<T>, work: (value: T) => Promise<unknown>): Promise<void>;
  /** Creates a user and returns it with its id as text, whatever type the adapter returned. */
  enroll(adapter: AdapterWith, more?: Partial<AdapterUser>): Promise<AdapterUser>;
}

const TRAITS: readonly string[] = [
  "unique-email",
  "unique-account",
  "one-time",
  "odd-text",
  "moves",
  "cascade",
  "lenient-ids",
] satisfies AdapterTrait[];

const MAX_SHOWN = 60;

// Only the error's message is changed, because a runner may show what was expected.
function name(error: unknown, value: unknown): Error {
  const named = error instanceof Error ? error : new Error(String(error));
  const json = JSON.stringify(value);
  const shown = json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}...` : json;
  named.message = `With ${shown}: ${named.message}`;
  return named;
}

/** Creates the shared helpers. The adapter is created when the first test needs it. */
export function createAdapterSuite(
  make: () => Awaitable<Adapter>,
  { describe, it, expect }: TestRunner,
  { without = [], parallel = 20, rounds = 5, timeout = 30_000 }: AdapterSuiteOptions,
): AdapterSuite {
  let made: Promise<Adapter> | undefined;
  const use = () => (made ??= (async () => make())());

  return {
    ...{ describe, expect, parallel, rounds },
    test(name, needs, body) {
      const listed: readonly string[] = needs;
      if (without.some((trait) => listed.includes(trait))) return;
      const methods = needs.filter((need) => !TRAITS.includes(need)) as (keyof Adapter)[];
      const run = async () => {
        const adapter = await use();
        if (methods.every((method) => adapter[method])) await body(adapter as Required<Adapter>);
      };
      it(name, run, timeout);
    },
    async race(work) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: parallel }, async (_, at) => work(at)),
      );
      return outcomes.filter(
        (outcome) =>
          outcome.status === "fulfilled" && outcome.value !== null && outcome.value !== false,
      ).length;
    },
    async fails(work) {
      try {
        await work();
        return false;
      } catch {
        return true;
      }
    },
    async each(values, work) {
      for (const value of values) {
        try {
          await work(value);
        } catch (error) {
          throw name(error, value);
        }
      }
    },
    async enroll(adapter, more = {}) {
      const user = await adapter.createUser(newUser(more));
      return { ...user, id: String(user.id) };
    },
  };
}
