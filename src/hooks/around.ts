import { PluginError } from "../errors/errors.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { AroundHook } from "../types/hook.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Logger } from "../types/options.ts";
import { nameTap } from "./name-tap.ts";
import { annotate, type RunnableTap } from "./run.ts";

/** Time limit of a tap in milliseconds: before it calls `next`, and again after the operation has ended. */
export const AROUND_TIMEOUT_MS = 5000;

/** An operation that the taps of `around` surround. */
export interface Surrounded<T> {
  readonly run: () => Promise<T>;
  /** Returns the outcome if a tap prevented the operation. */
  readonly recover: (fault: Error) => Promise<T>;
}

// The passage through one tap: whether and how it called `next`.
interface Passage<T> {
  readonly next: () => Promise<T>;
  readonly entered: Promise<void>;
  /** The outcome of the operation; `undefined` before `next` is called. */
  outcome: Promise<T> | undefined;
  fault: Error | undefined;
  isOver: boolean;
}

function misuse({ info }: RunnableTap, what: string): PluginError {
  const text = `${nameTap(info, "around")} ${what}. Call \`next\` exactly once and await it.`;
  return new PluginError(text);
}

function openPassage<T>(
  tap: RunnableTap,
  run: () => Promise<T>,
  logger: Required<Logger>,
): Passage<T> {
  let enter = () => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const refuse = (): Promise<T> => {
    const error = misuse(tap, `called \`next\` ${passage.outcome ? "twice" : "too late"}`);
    if (passage.isOver) logger.error(error);
    else passage.fault ??= error;
    const refused = Promise.reject<T>(error);
    // Reported above. A tap that does not await the rejection must not end the process.
    refused.catch(() => {});
    return refused;
  };
  const passage: Passage<T> = {
    entered,
    outcome: undefined,
    fault: undefined,
    isOver: false,
    next() {
      if (passage.outcome || passage.isOver) return refuse();
      passage.outcome = run();
      enter();
      return passage.outcome;
    },
  };
  return passage;
}

// Resolves to the error with which the promise rejects.
async function getFailure(promise: Promise<unknown>): Promise<{ error: unknown } | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function surround<T>(
  tap: RunnableTap,
  ctx: AuthContext,
  { run, recover }: Surrounded<T>,
  logger: Required<Logger>,
): Promise<T> {
  const passage = openPassage(tap, run, logger);
  const tapping = (async () => tap.fn(ctx, passage.next))();
  // The result is checked below, perhaps long after the tap has ended.
  tapping.catch(() => {});
  const begin = () =>
    withTimeout(Promise.race([tapping, passage.entered]), AROUND_TIMEOUT_MS, () =>
      misuse(tap, `has not called \`next\` within ${AROUND_TIMEOUT_MS / 1000} seconds`),
    );
  // Most taps call `next` synchronously.
  const prevented = passage.outcome ? undefined : await getFailure(begin());
  const { outcome } = passage;
  if (!outcome) {
    passage.isOver = true;
    const error = prevented ? prevented.error : misuse(tap, "did not call `next`");
    return recover(annotate(error, "around", tap.info));
  }
  const failure = await getFailure(outcome);
  // Waiting for the tap keeps the nesting order: its work after `next` ends before that of the outer taps.
  const late = await getFailure(withTimeout(tapping, AROUND_TIMEOUT_MS));
  passage.isOver = true;
  if (late && late.error !== failure?.error && late.error !== passage.fault) {
    const text =
      `${nameTap(tap.info, "around")} failed after it had called \`next\`. The operation itself is not ` +
      "affected.";
    logger.error(new PluginError(text, { cause: { err: late.error as Error } }));
  }
  return passage.fault ? recover(passage.fault) : outcome;
}

/** Returns the function that runs an operation inside the taps, the first tap outermost. */
export function runAround(
  taps: readonly RunnableTap[],
  logger: Required<Logger>,
): (...args: unknown[]) => unknown {
  const start = <T>(ctx: AuthContext, operation: Surrounded<T>): Promise<T> => {
    const enter = (at: number): Promise<T> => {
      const tap = taps[at];
      const inner = { run: () => enter(at + 1), recover: operation.recover };
      return tap ? surround(tap, ctx, inner, logger) : operation.run();
    };
    return enter(0);
  };
  return (ctx, operation) => start(ctx as AuthContext, operation as Surrounded<unknown>);
}

/**
 * Runs an operation inside the taps of `around`, and settles as the operation does. A tap is at fault if it throws
 * before it calls `next`, does not call it, or calls it twice. `recover` then provides the outcome.
 */
export function callAround<T>(
  hook: AroundHook<[ctx: AuthContext]>,
  ctx: AuthContext,
  operation: Surrounded<T>,
): Promise<T> {
  const tapable = hook as unknown as { promise(...args: unknown[]): Promise<T> };
  return tapable.promise(ctx, operation);
}
