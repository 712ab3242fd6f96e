import { ACCEPTED, type Accepted } from "./_accepted.ts";
import { compare, type Difference } from "./_difference.ts";
import type { loadLibraries } from "./_libraries.ts";
import { run, type Scenario, type Seen } from "./_run.ts";

const ANY = /^/;

/** Finds the row that accepts a difference. */
export const findAccepted = (
  one: Difference,
  rows: readonly Accepted[] = ACCEPTED,
): Accepted | undefined =>
  rows.find(
    ({ at = ANY, path, authjs = ANY, keyhook = ANY }) =>
      at.test(one.at) &&
      path.test(one.path) &&
      authjs.test(one.authjs ?? "") &&
      keyhook.test(one.keyhook ?? ""),
  );

/** Compares transcripts of both libraries with a table of accepted differences. */
export interface Judge {
  /** Returns the differences that no row accepts. */
  judge(name: string, labels: readonly string[], authjs: object[], keyhook: object[]): Difference[];
  /** Returns the rows that have accepted no difference. */
  listUnused(): Accepted[];
}

/** Creates the judge of a table. */
export function createJudge(rows: readonly Accepted[]): Judge {
  const used = new Set<Accepted>();
  return {
    judge(name, labels, authjs, keyhook) {
      const found = compare(name, labels, authjs as Seen[], keyhook as Seen[]);
      return found.filter((one) => {
        const row = findAccepted(one, rows);
        if (row) used.add(row);
        return !row;
      });
    },
    listUnused: () => rows.filter((row) => !used.has(row)),
  };
}

/** Compares both libraries. */
export interface Comparison {
  /** The rows that accepted a difference so far. */
  readonly used: ReadonlySet<Accepted>;
  /** Runs a scenario on both, and returns the differences that no row accepts. */
  compareAll(scenario: Scenario): Promise<Difference[]>;
  /**
   * Runs a scenario on Auth.js, and again with Keyhook from a step on, as in a migration. With `back`, Keyhook runs
   * until that step. Returns where outcomes or bodies differ.
   */
  compareMove(scenario: Scenario, step: number, back?: boolean): Promise<Difference[]>;
}

/** Creates a comparison. Each scenario runs only once on Auth.js. */
export function createComparison(
  libraries: Awaited<ReturnType<typeof loadLibraries>>,
  rows: readonly Accepted[] = ACCEPTED,
): Comparison {
  const used = new Set<Accepted>();
  const known = new Map<Scenario, Promise<Seen[]>>();
  const runAuthjs = (scenario: Scenario) => {
    const seen = known.get(scenario) ?? run(scenario, libraries, () => "authjs");
    known.set(scenario, seen);
    return seen;
  };
  const judge = async (scenario: Scenario, other: Promise<Seen[]>, isSeen: RegExp) => {
    const labels = scenario.steps.map((step) => step.map((one) => toLabel(one)).join(" "));
    const found = compare(scenario.name, labels, await runAuthjs(scenario), await other);
    let isOther = false;
    return found.filter((one) => {
      const row = findAccepted(one, rows);
      if (row) used.add(row);
      // After an accepted outcome, later differences of the move follow from it.
      isOther ||= row !== undefined && one.path === "outcome";
      return !row && isSeen.test(one.path) && !(isOther && isSeen !== ANY);
    });
  };
  return {
    used,
    async compareAll(scenario) {
      await runAuthjs(scenario);
      return judge(
        scenario,
        run(scenario, libraries, () => "keyhook"),
        ANY,
      );
    },
    async compareMove(scenario, step, back = false) {
      await runAuthjs(scenario);
      const moved = run(scenario, libraries, (index) =>
        index < step === back ? "keyhook" : "authjs",
      );
      return judge(scenario, moved, /^(?:outcome|body)/);
    },
  };
}

const toLabel = (part: unknown): string => {
  if (typeof part === "string") return part;
  return typeof part === "function" ? "changed" : JSON.stringify(part);
};
