import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Measures one round and returns its number: a time, a size, a rate. */
export type Round = () => number | Promise<number>;

/** Whether each contender does its work once, as a check. No measurement counts then. */
export const isOnce = process.argv.includes("--once");

/** Registers work for the end of the process, such as closing a server. */
export type After = (work: () => unknown) => void;

/**
 * Prepares a side of a case, in a separate process, and returns its rounds.
 * @throws Missing when it cannot be measured here.
 */
export type Side = (after: After) => Round | Promise<Round>;

/**
 * The sides of a case by name. `ours` is always present. `floor` does the same against a handler
 * that returns fixed responses: its time is that of the platform and of the bench.
 */
export type Sides = { ours: Side } & Record<string, Side>;

/** One row of the table. */
export interface Case {
  name: string;
  unit: "us" | "ms" | "KiB" | "req/s" | "times";
  /** Target of the ratio to `against`, or with `absolute` of Keyhook's own number. */
  target: number;
  /** The side that the ratios are relative to. Default `@auth/core`. */
  against?: string;
  absolute?: true;
  higherIsBetter?: true;
  /** Default 25. */
  rounds?: number;
  sides: Sides;
}

/** Reports that something a side needs is missing, such as a server. */
export class Missing extends Error {}

/** A median with its quartiles. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** The result of a case over its rounds. */
export interface Outcome {
  ours: number;
  /** By side, including `ours`: computed per round. */
  ratios: Map<string, Spread>;
  isMet: boolean;
}

/** The work to be timed. */
export interface Work<Input, Output> {
  /** Runs before each run, outside of the timing. */
  prepare?: () => Input | Promise<Input>;
  run: (input: Input) => Output | Promise<Output>;
  /** Throws if the output is wrong. Runs once, before any timing. */
  check: (output: Output) => unknown;
}

/**
 * Runs after which the engine has compiled the functions that a work calls. A whole sign-in still
 * takes twice as long after a second, and half as long again after two thousand runs. Works that
 * take too long for so many runs have a time instead.
 */
const WARM_UP_RUNS = 10_000;
const MIN_WARM_UP_MS = 1000;
const MAX_WARM_UP_MS = 6000;
const ROUND_MS = 25;
const MAX_RUNS = 2000;

function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return below + (above - below) * (at - Math.floor(at));
}

function toSpread(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((one, other) => one - other);
  return {
    low: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.75),
  };
}

function isWarm(runs: number, spent: number): boolean {
  return spent >= (runs < WARM_UP_RUNS ? MAX_WARM_UP_MS : MIN_WARM_UP_MS);
}

/**
 * Measures the microseconds per run of a work, warmed up, in rounds of about 25 ms. The engine
 * decides when to collect garbage: a collection before each round costs every side its caches, and
 * makes a session read half as long again.
 */
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
  let times = 1;
  let spent = 0;
  let runs = 0;
  while (!isOnce && !isWarm(runs, spent)) {
    const each = await once(times);
    runs += times;
    spent += each * times;
    times = Math.max(1, Math.min(2 * times, MAX_RUNS, Math.round(ROUND_MS / each)));
  }
  return async () => (await once(times)) * 1000;
}

/** What a contender's process sends: that it is ready, a number, or why it cannot be measured. */
export type Message = { ready: true } | { number: number } | { missing: string };

interface Contender {
  readonly name: string;
  readonly numbers: number[];
  run(): Promise<void>;
  end(): void;
}

/** Starts the process of a side, which imports nothing of the others' runs. */
async function start(group: string, { name: row }: Case, name: string): Promise<Contender> {
  const file = fileURLToPath(new URL("contender.ts", import.meta.url));
  const child = fork(file, [group, row, name, ...(isOnce ? ["--once"] : [])]);
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`${row}: the process of ${name} ended with ${code}`);
  });
  const receive = async (): Promise<Message> => {
    const [message] = await Promise.race([once(child, "message"), failed]);
    return message as Message;
  };
  failed.catch(() => {});
  const first = await receive();
  if ("missing" in first) {
    child.send("end");
    throw new Missing(first.missing);
  }
  const numbers: number[] = [];
  return {
    name,
    numbers,
    async run() {
      child.send("round");
      numbers.push(((await receive()) as { number: number }).number);
    },
    end: () => child.send("end"),
  };
}

/**
 * Measures a case; returns the reason if it cannot be measured. Each side has a process of its own, since in one they
 * would spoil each other's caches; the processes take turns, and each round begins with another one.
 * @param onRound Called before each round with its number.
 */
export async function measure(
  group: string,
  row: Case,
  onRound: (round: number, rounds: number) => void = () => {},
): Promise<Outcome | string> {
  const { sides } = row;
  const rounds = isOnce ? 1 : (row.rounds ?? 25);
  const contenders: Contender[] = [];
  try {
    onRound(0, rounds);
    for (const name of Object.keys(sides)) contenders.push(await start(group, row, name));
    for (let round = 0; round < rounds; round++) {
      onRound(round + 1, rounds);
      for (let at = 0; at < contenders.length; at++)
        await contenders[(at + round) % contenders.length]?.run();
    }
    return judge(contenders, row);
  } catch (error) {
    if (error instanceof Missing) return error.message;
    throw error;
  } finally {
    for (const { end } of contenders) end();
  }
}

function judge(
  contenders: readonly Contender[],
  { target, against = "@auth/core", absolute, higherIsBetter }: Case,
): Outcome {
  const numbers = new Map(contenders.map((one) => [one.name, one.numbers]));
  const base = numbers.get(against) ?? [];
  const ratios = new Map<string, Spread>();
  for (const [name, series] of base.length ? numbers : [])
    ratios.set(name, toSpread(series.map((number, round) => number / base[round])));
  const ours = toSpread(numbers.get("ours") ?? []).median;
  // Rounded to the precision of the targets.
  const judged = Number((absolute ? ours : (ratios.get("ours")?.median ?? NaN)).toPrecision(2));
  return { ours, ratios, isMet: higherIsBetter ? judged >= target : judged <= target };
}
