import type { Adapter, AdapterUser } from "../../types/adapter.ts";
import type { Awaitable } from "../../types/models.ts";
import type { TestRunner } from "../runner.ts";
import { newUser } from "./rows.ts";

/** Something that an adapter may not promise, since its database was not told to. */
export type AdapterTrait =
  /** Of many who ask for one address, one gets it. */
  | "unique-email"
  /** Of many who link one account, one gets it. */
  | "unique-account"
  /** Of many who redeem one token, one may. */
  | "one-time"
  /** Whatever can be written is found again, and nothing else is. */
  | "odd-text"
  /** Who moves to another address leaves the old one. */
  | "moves"
  /** With a person goes all that was theirs. */
  | "cascade"
  /** A look-up of what was never there answers `null` and does not throw. */
  | "lenient-ids";

/** What an adapter's suite may be told. */
export interface AdapterSuiteOptions {
  /** What is not promised; its tests are left out. */
  without?: readonly AdapterTrait[];
  /** Parallel callers in a race. Default 20. */
  parallel?: number;
  /** Races of each kind. Default 5. */
  rounds?: number;
  /** Milliseconds that one test may take. Default 30000. */
  timeout?: number;
}

/** An adapter of which the test that is running needs no method that is missing. */
export type Full = Required<Adapter>;

/** What the parts of the suite share. */
export interface AdapterSuite extends Omit<TestRunner, "it"> {
  readonly parallel: number;
  readonly rounds: number;
  /** A body that needs a method or a trait that the adapter lacks proves nothing: it is left out. */
  test(
    name: string,
    needs: readonly (keyof Adapter | AdapterTrait)[],
    body: (adapter: Full) => Promise<void>,
  ): void;
  /** How many of many at once were let. */
  race(work: (at: number) => Promise<unknown>): Promise<number>;
  fails(work: () => Awaitable<unknown>): Promise<boolean>;
  /** Creates somebody, whose id is text whatever the adapter answers. */
  enroll(adapter: Full, more?: Partial<AdapterUser>): Promise<AdapterUser>;
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

/** Makes what the parts share; the adapter is made when the first test needs it. */
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
      if (without.some((trait) => needs.includes(trait))) return;
      const methods = needs.filter((need) => !TRAITS.includes(need)) as (keyof Adapter)[];
      const run = async () => {
        const adapter = await use();
        if (methods.every((method) => adapter[method])) await body(adapter as Full);
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
    async enroll(adapter, more = {}) {
      const user = await adapter.createUser(newUser(more));
      return { ...user, id: String(user.id) };
    },
  };
}
