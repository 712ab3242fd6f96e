import { PluginError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import type { HookInterceptor, HookRun, TapInfo } from "../types/hook.ts";
import type { Logger } from "../types/options.ts";

/** An interceptor of a hook. */
export interface Observer {
  readonly plugin: string;
  readonly interceptor: HookInterceptor;
  /** Logs what the interceptor threw. */
  report(error: unknown): void;
}

/** The interceptors that observe one run of a hook. */
export interface Watch {
  /** Returns the function to call when the tap has settled, if an interceptor returned one. */
  tap(info: TapInfo): (() => void) | undefined;
  error(error: Error, info: TapInfo): void;
  done(outcome: unknown, error?: Error): void;
}

/**
 * Creates the observer of an interceptor.
 * @throws PluginError when it has no `run`.
 */
export function createObserver(
  interceptor: HookInterceptor,
  { hook, plugin }: { hook: string; plugin: string },
  logger: Required<Logger>,
): Observer {
  const what = `interceptor of the hook ${hook} (plugin ${plugin})`;
  if (typeof (interceptor as Partial<HookInterceptor> | null)?.run !== "function") {
    throw new PluginError(`The ${what} has no function \`run\`. Add it.`);
  }
  const report = (error: unknown) => {
    const text = `The ${what} failed. The hook itself is not affected.`;
    logger.error(new PluginError(text, { cause: { err: error as Error, hook, plugin } }));
  };
  return { plugin, interceptor, report };
}

// An interceptor cannot change the outcome, so its errors are only logged.
function guard<T>({ report }: Observer, call: () => T): T | undefined {
  try {
    const result = call();
    if (!isPromise(result)) return result;
    result.then(undefined, report);
    report(new Error("It returned a promise. An interceptor must be synchronous."));
  } catch (error) {
    report(error);
  }
  return undefined;
}

/** Notifies the interceptors of a hook that a run begins. Returns `undefined` if none observes the run. */
export function watchRun(observers: readonly Observer[], args: unknown[]): Watch | undefined {
  const runs: [Observer, HookRun][] = [];
  for (const observer of observers) {
    const run = guard(observer, () => observer.interceptor.run(...args));
    if (run) runs.push([observer, run]);
  }
  if (!runs.length) return undefined;
  return {
    tap(info) {
      const ends: [Observer, () => void][] = [];
      for (const [observer, run] of runs) {
        const end = guard(observer, () => run.tap?.(info));
        if (typeof end === "function") ends.push([observer, end]);
      }
      if (!ends.length) return undefined;
      return () => {
        for (const [observer, end] of ends) guard(observer, end);
      };
    },
    error(error, info) {
      for (const [observer, run] of runs) guard(observer, () => run.error?.(error, info));
    },
    done(outcome, error) {
      for (const [observer, run] of runs) guard(observer, () => run.done?.(outcome, error));
    },
  };
}
