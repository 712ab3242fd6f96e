/** Answers the number of one round: a time, a size, a rate. */
export type Round = () => number | Promise<number>;

/** The sides of a case by name. `ours` is always there; ratios are taken to `@auth/core`. */
export type Sides = { ours: Round } & Record<string, Round>;

/** One row of the table. */
export interface Case {
  name: string;
  unit: "us" | "ms" | "KiB" | "req/s" | "times";
  /** Of the ratio to @auth/core, or with `absolute` of our own number. */
  target: number;
  absolute?: true;
  higherIsBetter?: true;
  /** Default 15. */
  rounds?: number;
  /** Or why there is nothing to measure, such as a server that is not there. */
  sides(after: (work: () => unknown) => void): Sides | string | Promise<Sides | string>;
}

/** What a case came to: medians over its rounds. */
export interface Outcome {
  ours: number;
  /** By side, `ours` among them; taken round by round. */
  ratios: Map<string, number>;
  isMet: boolean;
}

/** Something to be timed. */
export interface Work<Input, Output> {
  /** Outside the timing, before each run. */
  prepare?: () => Input | Promise<Input>;
  run: (input: Input) => Output | Promise<Output>;
  /** Throws unless the answer is right. Asked once, before anything is timed. */
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

/** Microseconds per run of a work, warmed up, some 25 ms a round. */
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

/** Measures a case; answers the reason where that cannot be done. */
export async function measure({ sides, ...rest }: Case): Promise<Outcome | string> {
  const works: (() => unknown)[] = [];
  try {
    const made = await sides((work) => works.push(work));
    return typeof made === "string" ? made : await compare(made, rest);
  } finally {
    for (const work of works.reverse()) await work();
  }
}

// All sides in every round, each round another one first.
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
  // As exact as the targets are.
  const judged = Number((absolute ? ours : (ratios.get("ours") ?? NaN)).toPrecision(2));
  return { ours, ratios, isMet: higherIsBetter ? judged >= target : judged <= target };
}
