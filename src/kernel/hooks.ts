import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook, HookMap, SyncHook } from "tapable";
import { PluginError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import type { Hook, TapInfo } from "../types/hook.ts";
import type { AuthHooks } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

/**
 * How the values of the taps are combined: `series` ignores them; `bail` returns the first one; `waterfall`
 * passes each on to the next tap and ends with `null`; `verdict` returns `false` if a tap refuses, else the
 * first redirect.
 */
export type HookKind = "series" | "bail" | "waterfall" | "verdict";

const STAGES = { first: -100, early: -10, normal: 0, late: 10, last: 100 };

interface Tap {
  name: string;
  stage: number;
  before?: string | string[];
  type: "sync" | "async" | "promise";
  fn: (...args: unknown[]) => unknown;
  plugin: string;
}

interface Interceptor {
  call?: (...args: unknown[]) => void;
  tap?: (tap: Tap) => void;
  error?: (error: unknown) => void;
  result?: (result: unknown) => void;
  done?: () => void;
}

interface CompileOptions {
  taps: Tap[];
  interceptors: Interceptor[];
  type: "sync" | "async" | "promise";
}

// The members of a tapable hook that its own types do not declare.
interface TapableHook {
  name: string;
  taps: Tap[];
  interceptors: Interceptor[];
  compile: (options: CompileOptions) => (...args: unknown[]) => unknown;
  intercept: (interceptor: { register: (tap: Tap) => Tap }) => void;
  isUsed: () => boolean;
  promise: (...args: unknown[]) => unknown;
}

// Calls a tap of tapable's callback style.
function callback(fn: Tap["fn"], args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    fn(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
  });
}

// Notes on the error itself which tap threw it, for the log; its class and message stay as they are.
function annotate(error: unknown, hook: string, tap: Tap): unknown {
  const thrown =
    error instanceof Error
      ? error
      : new Error("The thrown value is not an Error.", { cause: error });
  if (!("tap" in thrown) && Object.isExtensible(thrown)) {
    const where: TapInfo & { hook: string } = {
      hook,
      name: tap.name,
      plugin: tap.plugin,
      stage: tap.stage,
    };
    Object.defineProperty(thrown, "tap", { value: where });
  }
  return thrown;
}

/**
 * Replaces tapable's `compile`, which builds functions from text: edge runtimes and strict content security
 * policies forbid that. It also awaits only thenables, so that a hook with synchronous taps stays
 * synchronous.
 */
function interpreter(kind: HookKind, name: string): TapableHook["compile"] {
  return ({ taps, interceptors, type }) => {
    const callHook = (...args: unknown[]): unknown => {
      let outcome: unknown = kind === "waterfall" ? args[0] : undefined;
      const thrown: unknown[] = [];

      // Applies the value of one tap; returns true when no further tap is to run.
      const applyResult = (result: unknown): boolean => {
        if (result === undefined || kind === "series") return false;
        if (kind === "verdict") {
          if (result === true) return false;
          const redirects = typeof result === "string" && result !== "";
          if (!redirects) outcome = false;
          else if (outcome === undefined) outcome = result;
          return !redirects;
        }
        outcome = result;
        if (kind === "bail") return true;
        args[0] = result;
        return result === null;
      };

      const finish = (): unknown => {
        if (thrown.length)
          throw new AggregateError(thrown, `${thrown.length} taps of ${name} threw`);
        for (const interceptor of interceptors) {
          interceptor.result?.(outcome);
          interceptor.done?.();
        }
        return outcome;
      };

      const fail = (error: unknown, tap: Tap): void => {
        const annotated = annotate(error, name, tap);
        for (const interceptor of interceptors) interceptor.error?.(annotated);
        if (kind !== "series") throw annotated;
        thrown.push(annotated);
      };

      const walk = (from: number): unknown => {
        for (let at = from; at < taps.length; at++) {
          const tap = taps[at] as Tap;
          for (const interceptor of interceptors) interceptor.tap?.(tap);
          let result: unknown;
          // A series runs every tap, so that all faults are reported together.
          try {
            result = tap.type === "async" ? callback(tap.fn, args) : tap.fn(...args);
          } catch (error) {
            fail(error, tap);
          }
          if (isPromise(result)) {
            return result.then(
              (value) => (applyResult(value) ? finish() : walk(at + 1)),
              (error: unknown) => {
                fail(error, tap);
                return walk(at + 1);
              },
            );
          }
          if (applyResult(result)) break;
        }
        return finish();
      };

      for (const interceptor of interceptors) interceptor.call?.(...args);
      return walk(0);
    };
    if (type !== "async") return callHook;
    return (...args) => {
      const done = args.pop() as (error: unknown, result?: unknown) => void;
      Promise.resolve()
        .then(() => callHook(...args))
        .then((result) => done(null, result), done);
    };
  };
}

/** The state of the registration. */
export interface Registrar {
  /** Name of the plugin whose `setup` is running; `application` outside of plugins. */
  readonly plugin: string;
  /** Whether the registration is closed. */
  readonly frozen: boolean;
}

/** The hooks with the operations that only the kernel has. */
export interface HookTable {
  readonly hooks: AuthHooks;
  /** Returns each hook's kind and its taps in order, by the hook's name. */
  list(): Map<
    string,
    { kind: HookKind; taps: readonly (TapInfo & { before: readonly string[] })[] }
  >;
}

/** Creates the hooks of a kernel. */
export function createHooks(registrar: Registrar): HookTable {
  const made = new Map<string, { kind: HookKind; hook: TapableHook }>();

  const instrument = (tapable: object, name: string, kind: HookKind): unknown => {
    const hook = tapable as TapableHook;
    hook.compile = interpreter(kind, name);
    hook.intercept({
      register(tap) {
        if (registrar.frozen) {
          throw new PluginError(
            `"${tap.name}" taps the hook ${name} after the first request. Tap it in a plugin's \`setup\`.`,
          );
        }
        const stage = STAGES[tap.stage as unknown as keyof typeof STAGES] ?? tap.stage ?? 0;
        return { ...tap, stage, plugin: registrar.plugin };
      },
    });
    // The interceptor above would make every hook look used.
    hook.isUsed = () => hook.taps.length > 0 || hook.interceptors.length > 1;
    made.set(name, { kind, hook });
    return hook;
  };
  const bail = (name: string, args: string[], kind: HookKind = "bail") =>
    instrument(new AsyncSeriesBailHook(args as ["value"], name), name, kind);
  const waterfall = (name: string, args: string[]) =>
    instrument(new AsyncSeriesWaterfallHook(args as ["value"], name), name, "waterfall");

  const hooks = {
    ready: instrument(new SyncHook(["kernel"], "ready"), "ready", "series"),
    request: bail("request", ["ctx"]),
    signIn: bail("signIn", ["params", "ctx"], "verdict"),
    redirect: bail("redirect", ["params", "ctx"]),
    jwt: waterfall("jwt", ["token", "params", "ctx"]),
    session: waterfall("session", ["session", "params", "ctx"]),
    authorized: bail("authorized", ["params", "ctx"]),
    login: bail("login", ["login", "ctx"]),
    locale: bail("locale", ["ctx"]),
    page: new HookMap((key: string) => waterfall(`page:${key}`, ["page", "ctx"]) as never),
    response: waterfall("response", ["response", "ctx"]),
    error: bail("error", ["error", "ctx"]),
  } as unknown as AuthHooks;

  return {
    hooks,
    list: () =>
      new Map(
        [...made].map(([name, { kind, hook }]) => [
          name,
          {
            kind,
            taps: hook.taps.map((tap) => ({
              name: tap.name,
              stage: tap.stage,
              plugin: tap.plugin,
              before: [tap.before ?? []].flat(),
            })),
          },
        ]),
      ),
  };
}

/**
 * Calls the taps of a hook and returns their decision; if no tap returns a value, `undefined`, or the first
 * argument of a waterfall. The result is a promise only if a tap returned one.
 */
export function callHook<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  ...args: Args
): Awaitable<Decision | undefined> {
  return (hook as unknown as TapableHook).promise(...args) as Awaitable<Decision | undefined>;
}

/**
 * Calls the taps of a bail hook that follow the named one, or all if there is no such tap. Resolves to the
 * first value and the name of its tap.
 */
export async function callHookAfter<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  after: string | undefined,
  ...args: Args
): Promise<{ value: Decision; tap: string } | undefined> {
  const { name, taps } = hook as unknown as TapableHook;
  const start = taps.findIndex((tap) => tap.name === after) + 1;
  for (const tap of taps.slice(start)) {
    try {
      const value = await (tap.type === "async" ? callback(tap.fn, args) : tap.fn(...args));
      if (value !== undefined) return { value: value as Decision, tap: tap.name };
    } catch (error) {
      throw annotate(error, name, tap);
    }
  }
  return undefined;
}
