import { PluginError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import { withTimeout } from "../platform/timeout.ts";
import { toError } from "../platform/to-error.ts";
import { nameType } from "../platform/type-name.ts";
import type { HookResult, HookKind, TapInfo } from "../types/hook.ts";
import { nameTap } from "./name-tap.ts";
import { type Observer, type Watch, watchRun } from "./observers.ts";

/** A tap as a hook runs it. */
export interface RunnableTap {
  readonly fn: (...args: unknown[]) => unknown;
  readonly info: TapInfo;
}

/** What a run of a hook needs: the taps in order, and how their values are combined. */
export interface HookPlan<Tap extends RunnableTap = RunnableTap> {
  readonly name: string;
  readonly kind: HookKind | "around";
  /** Name of the plugin that added the hook. */
  readonly plugin?: string | undefined;
  readonly taps: Tap[];
  readonly observers: Observer[];
  /** Default: the taps may return anything. */
  readonly result?: HookResult | undefined;
}

/** Time limit in milliseconds for all asynchronous taps of a run together. */
export const HOOK_TIMEOUT_MS = 10_000;

// The state of one run.
interface Run {
  readonly plan: HookPlan;
  readonly args: unknown[];
  readonly watch: Watch | undefined;
  /** Index of the next tap. */
  at: number;
  outcome: unknown;
  /** Ends the observation of the current tap. */
  end: (() => void) | undefined;
  thrown: Error[] | undefined;
  /** Whether the time limit has passed. Later results of taps are ignored. */
  isOver: boolean;
}

/** Records on an error, for the log, which tap threw it. The error's class and message are unchanged. */
export function annotate(error: unknown, hook: string, info: TapInfo): Error {
  const thrown = toError(error);
  if (!("tap" in thrown) && Object.isExtensible(thrown)) {
    Object.defineProperty(thrown, "tap", { value: { hook, ...info } });
  }
  return thrown;
}

// Names only the type, since the value may be secret.
function wrongResult({ name, result }: HookPlan, tap: TapInfo, value: unknown): PluginError {
  return new PluginError(
    `${nameTap(tap, name)} returned ${nameType(value)}. ` +
      `Return ${result?.expected}, or nothing to leave the decision to other taps.`,
  );
}

function fail(run: Run, tap: TapInfo, error: unknown): void {
  const { plan, watch } = run;
  const annotated = annotate(error, plan.name, tap);
  watch?.error(annotated, tap);
  run.end?.();
  // A series runs every tap, so that all faults are reported together.
  if (plan.kind === "series") {
    (run.thrown ??= []).push(annotated);
    return;
  }
  watch?.done(undefined, annotated);
  throw annotated;
}

// Applies the value that a tap returned.
function settle(run: Run, tap: TapInfo, value: unknown): void {
  const { plan } = run;
  const { kind, result } = plan;
  if (value !== undefined && kind !== "series") {
    if (result && !result.accepts(value)) return fail(run, tap, wrongResult(plan, tap, value));
    if (kind === "verdict") {
      const redirects = typeof value === "string" && value !== "";
      if (redirects) run.outcome ??= value;
      else if (value !== true) {
        run.outcome = false;
        run.at = plan.taps.length;
      }
    } else {
      run.outcome = value;
      if (kind === "waterfall") run.args[0] = value;
      if (kind === "bail" || value === null) run.at = plan.taps.length;
    }
  }
  run.end?.();
}

// Calls taps until one returns a promise, and returns that promise; `undefined` after the last tap. Most taps return
// nothing, so index and arguments are kept in variables to make such taps cost little more than their call.
function advance(run: Run): PromiseLike<unknown> | undefined {
  const { plan, args, watch } = run;
  const { taps } = plan;
  const { length } = args;
  const two = args[1];
  const three = args[2];
  let one = args[0];
  let { at } = run;
  while (at < taps.length) {
    const tap = taps[at++] as RunnableTap;
    const { fn } = tap;
    if (watch) run.end = watch.tap(tap.info);
    let result: unknown;
    try {
      if (length === 3) result = fn(one, two, three);
      else if (length === 2) result = fn(one, two);
      else if (length === 1) result = fn(one);
      else result = fn(...args);
    } catch (error) {
      fail(run, tap.info, error);
      continue;
    }
    if (result === undefined && !watch) continue;
    run.at = at;
    if (isPromise(result)) return result;
    settle(run, tap.info, result);
    at = run.at;
    one = args[0];
  }
  return undefined;
}

function finish({ plan, watch, outcome, thrown }: Run): unknown {
  if (!thrown) {
    watch?.done(outcome);
    return outcome;
  }
  const error = new AggregateError(thrown, `${thrown.length} taps of ${plan.name} threw`);
  watch?.done(undefined, error);
  throw error;
}

async function proceed(run: Run, first: PromiseLike<unknown>): Promise<unknown> {
  const { taps } = run.plan;
  let pending: PromiseLike<unknown> | undefined = first;
  while (pending) {
    const { info } = taps[run.at - 1] as RunnableTap;
    let apply: typeof settle = settle;
    let value: unknown;
    try {
      value = await pending;
    } catch (error) {
      apply = fail;
      value = error;
    }
    if (run.isOver) return undefined;
    if (value !== undefined || apply === fail || run.watch) apply(run, info, value);
    pending = advance(run);
  }
  return finish(run);
}

// Ends a run whose current tap does not settle.
function expire(run: Run): Error {
  const { plan, watch } = run;
  const { info } = plan.taps[run.at - 1] as RunnableTap;
  const text =
    `The taps of the hook ${plan.name} took more than ${HOOK_TIMEOUT_MS / 1000} seconds: "${info.name}" (plugin ` +
    `${info.plugin}) has not settled. Set a time limit for what it awaits.`;
  const error = annotate(new PluginError(text), plan.name, info);
  run.isOver = true;
  watch?.error(error, info);
  run.end?.();
  watch?.done(undefined, error);
  return error;
}

/**
 * Returns the function that runs the taps of a hook and returns their combined value. The value is a promise only if a
 * tap returned one: a hook with synchronous taps stays synchronous.
 * @throws whatever a tap throws, with the tap recorded on it; PluginError when a tap returns a value that the hook does
 * not accept, or the run takes more than 10 seconds.
 */
export function runHook(plan: HookPlan): (...args: unknown[]) => unknown {
  const { kind, taps, observers } = plan;
  return (...args) => {
    const outcome = kind === "waterfall" ? args[0] : undefined;
    if (!taps.length && !observers.length) return outcome;
    const watch = observers.length ? watchRun(observers, args) : undefined;
    const run: Run = {
      plan,
      args,
      watch,
      at: 0,
      outcome,
      end: undefined,
      thrown: undefined,
      isOver: false,
    };
    const pending = advance(run);
    if (!pending) return finish(run);
    return withTimeout(proceed(run, pending), HOOK_TIMEOUT_MS, () => expire(run));
  };
}
