/** The backend, and the place that racing processes share. */
export interface Setting {
  backend: "memory" | "fs" | "redis" | "postgres" | "sqlite" | "mysql";
  place: string;
}

/** One operation that a process runs on one record. */
export interface Command {
  operation: "get" | "put" | "putIfAbsent" | "take" | "compareAndSet" | "increment" | "delete";
  key: string;
  value?: string;
  expected?: string;
  /** Milliseconds to wait first. */
  delay?: number;
}

/** The outcome of a command; times are nanoseconds of one clock. */
export interface Answer extends Command {
  began: string;
  ended: string;
  result?: unknown;
  error?: string;
}

type State = string | null;

/**
 * Returns the state after an operation, or `undefined` if the state does not explain the result.
 */
function step(
  state: State,
  { operation, value = "", expected, result }: Answer,
): State | undefined {
  if (operation === "get") return result === state ? state : undefined;
  if (operation === "put") return value;
  if (operation === "take") return result === state ? null : undefined;
  if (operation === "putIfAbsent") {
    if (result !== (state === null)) return undefined;
    return state ?? value;
  }
  if (operation === "compareAndSet") {
    if (result !== (state === expected)) return undefined;
    return state === expected ? value : state;
  }
  if (operation === "delete") return result === (state !== null) ? null : undefined;
  const sum = Number(state ?? 0) + 1;
  return result === sum ? String(sum) : undefined;
}

/**
 * Returns whether a record's history is linearizable: whether the operations could have happened one after another,
 * each at some moment between its start and its end (Wing and Gong). The record is absent at first.
 */
export function isLinearizable(history: readonly Answer[]): boolean {
  const all = history.map((answer) => ({
    answer,
    began: BigInt(answer.began),
    ended: BigInt(answer.ended),
  }));
  const failed = new Set<string>();
  const search = (left: typeof all, state: State): boolean => {
    if (!left.length) return true;
    const mark = `${left.map((one) => all.indexOf(one)).join()} ${state}`;
    if (failed.has(mark)) return false;
    // An operation that began after another one had ended cannot be ordered before it.
    const limit = left.reduce(
      (least, { ended }) => (ended < least ? ended : least),
      left[0]!.ended,
    );
    for (const one of left) {
      if (one.began > limit) continue;
      const next = step(state, one.answer);
      if (
        next !== undefined &&
        search(
          left.filter((other) => other !== one),
          next,
        )
      )
        return true;
    }
    failed.add(mark);
    return false;
  };
  return search(all, null);
}

/** Creates a seeded random number generator (mulberry32), so that a failed race can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
