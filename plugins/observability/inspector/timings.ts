import type { TapInfo } from "../../../src/kernel.ts";

/** How long a tap took, in milliseconds. */
export interface Timing {
  readonly runs: number;
  readonly last: number;
  readonly mean: number;
}

/** How long the taps of each hook took since boot. */
export interface Timings {
  add(hook: string, tap: TapInfo, ms: number): void;
  get(hook: string, tap: TapInfo): Timing | undefined;
}

export function createTimings(): Timings {
  const sums = new Map<string, { runs: number; last: number; total: number }>();
  const toKey = (hook: string, { name, stage }: TapInfo) => JSON.stringify([hook, name, stage]);
  return {
    add(hook, tap, ms) {
      const key = toKey(hook, tap);
      const { runs, total } = sums.get(key) ?? { runs: 0, total: 0 };
      sums.set(key, { runs: runs + 1, last: ms, total: total + ms });
    },
    get(hook, tap) {
      const sum = sums.get(toKey(hook, tap));
      return sum && { runs: sum.runs, last: sum.last, mean: sum.total / sum.runs };
    },
  };
}
