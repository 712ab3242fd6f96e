/** Measures one round and returns its number: a time, a size, a rate. */
export type Round = () => number | Promise<number>;

/** The sides of a case by name. `ours` is always present; ratios are relative to `@auth/core`. */
export type Sides = { ours: Round } & Record<string, Round>;

/** One row of the table. */
export interface Case {
  name: string;
  unit: "us" | "ms" | "KiB" | "req/s" | "times";
  /** Target of the ratio to @auth/core, or with `absolute` of Keyhook's own number. */
  target: number;
  absolute?: true;
  higherIsBetter?: true;
  /** Default 15. */
  rounds?: number;
  /** Creates the sides, or returns why the case cannot be measured, such as a missing server. */
  sides(after: (work: () => unknown) => void): Sides | string | Promise<Sides | string>;
}

/** The result of a case: medians over its rounds. */
export interface Outcome {
  ours: number;
  /** By side, including `ours`; computed per round. */
  ratios: Map<string, number>;
  isMet: boolean;
}

/** The work to be timed. */
export interface Work<Input, Output> {
  /** Runs before each run, outside of the timing. */
  prepare?: () => Input | Promise<Input>;
  run: (input: Input) => Output | Promise<Output>;
  /** Throws if the output is wrong. Runs once, before anything is timed. */
  check: (output: Output) => unknown;
}

const WARM_UP = 300;
const ROUND = 25;
const MOST = 2000;

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Measures the microseconds per run of a work, warmed up, in rounds of about 25 ms. */
export async function timed<Input, Output>(work: Work<Input, Output>): Promise<Round> {
  const { prepare = () => undefined as Input, run, check } = work;
  const once = async (times: number): Promise<number> => {
    const inputs: Input[] = [];
    for (let at = 0; at < times; at++) inputs.push(await prepare());
    const start = performance.now();
    for (const input of inputs) await run(input);
    return (performance.now() - start) / times;
  };
  await check(await run(await prepare()));
  let each = 1;
  for (let spent = 0, times = 1; spent < WARM_UP; times = Math.min(2 * times, MOST)) {
    each = await once(times);
    spent += each * times;
  }
  const times = Math.max(1, Math.min(MOST, Math.round(ROUND / each)));
  return async () => (await once(times)) * 1000;
}

/** Measures a case; returns the reason if it cannot be measured. */
export async function measure({ sides, ...rest }: Case): Promise<Outcome | string> {
  const works: (() => unknown)[] = [];
  try {
    const made = await sides((work) => works.push(work));
    return typeof made === "string" ? made : await compare(made, rest);
  } finally {
    for (const work of works.reverse()) await work();
  }
}

// Runs all sides in every round, each round starting with another side.
async function compare(
  sides: Sides,
  { target, absolute, higherIsBetter, rounds = 15 }: Omit<Case, "sides">,
): Promise<Outcome> {
  const all = Object.entries(sides);
  const numbers = new Map(all.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < all.length; at++) {
      const [name, side] = all[(at + round) % all.length];
      numbers.get(name).push(await side());
    }
  }
  const core = numbers.get("@auth/core");
  const ratios = new Map<string, number>();
  for (const [name, series] of core ? numbers : []) {
    ratios.set(name, median(series.map((number, round) => number / core[round])));
  }
  const ours = median(numbers.get("ours"));
  // Rounded to the precision of the targets.
  const judged = Number((absolute ? ours : (ratios.get("ours") ?? NaN)).toPrecision(2));
  return { ours, ratios, isMet: higherIsBetter ? judged >= target : judged <= target };
}
