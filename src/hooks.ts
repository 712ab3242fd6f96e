import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook, HookMap, SyncHook } from "tapable";
import { isPromise } from "./awaitable.ts";
import { PluginError } from "./errors.ts";
import type { AuthHooks, Hook, TapInfo } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";

/** How the taps' answers become the hook's. */
export type HookKind = "series" | "bail" | "waterfall" | "verdict";

const STAGES = { first: -100, early: -10, normal: 0, late: 10, last: 100 };

type Answer = unknown;

interface Tap {
  name: string;
  stage: number;
  before?: string | string[];
  type: "sync" | "async" | "promise";
  fn: (...args: unknown[]) => Answer;
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

// The parts of a tapable hook that its own types keep to themselves.
interface TapableHook {
  name: string;
  taps: Tap[];
  interceptors: Interceptor[];
  compile: (options: CompileOptions) => (...args: unknown[]) => unknown;
  intercept: (interceptor: { register: (tap: Tap) => Tap }) => void;
  isUsed: () => boolean;
  promise: (...args: unknown[]) => unknown;
}

// A tap of tapable's callback style, as a promise.
function callback(fn: Tap["fn"], args: unknown[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    fn(...args, (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer)));
  });
}

// Says on the error itself where it was thrown, for the log; the error stays what it was.
function blame(error: unknown, hook: string, tap: Tap): unknown {
  const thrown =
    error instanceof Error ? error : new Error("thrown value is no Error", { cause: error });
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
 * Stands in for tapable's `compile`, which builds functions from text: edge runtimes and strict
 * content security policies forbid that. It also awaits only what is thenable, so that a hook of
 * synchronous taps stays synchronous.
 */
function interpreter(kind: HookKind, name: string): TapableHook["compile"] {
  return ({ taps, interceptors, type }) => {
    const ask = (...args: unknown[]): unknown => {
      let outcome: unknown = kind === "waterfall" ? args[0] : undefined;
      const thrown: unknown[] = [];

      // Takes one answer; true when the walk ends with it.
      const weigh = (answer: Answer): boolean => {
        if (answer === undefined || kind === "series") return false;
        if (kind === "verdict") {
          if (answer === true) return false;
          const redirects = typeof answer === "string" && answer !== "";
          if (!redirects) outcome = false;
          else if (outcome === undefined) outcome = answer;
          return !redirects;
        }
        outcome = answer;
        if (kind === "bail") return true;
        args[0] = answer;
        return answer === null;
      };

      const finish = (): unknown => {
        if (thrown.length)
          throw new AggregateError(thrown, `${thrown.length} taps of ${name} threw`);
        for (const watcher of interceptors) {
          watcher.result?.(outcome);
          watcher.done?.();
        }
        return outcome;
      };

      const fail = (error: unknown, tap: Tap): void => {
        const blamed = blame(error, name, tap);
        for (const watcher of interceptors) watcher.error?.(blamed);
        if (kind !== "series") throw blamed;
        thrown.push(blamed);
      };

      const walk = (from: number): unknown => {
        for (let at = from; at < taps.length; at++) {
          const tap = taps[at] as Tap;
          for (const watcher of interceptors) watcher.tap?.(tap);
          let answer: Answer;
          // A series hears everybody out, so that all faults are known together.
          try {
            answer = tap.type === "async" ? callback(tap.fn, args) : tap.fn(...args);
          } catch (error) {
            fail(error, tap);
          }
          if (isPromise(answer)) {
            return answer.then(
              (settled) => (weigh(settled) ? finish() : walk(at + 1)),
              (error: unknown) => {
                fail(error, tap);
                return walk(at + 1);
              },
            );
          }
          if (weigh(answer)) break;
        }
        return finish();
      };

      for (const watcher of interceptors) watcher.call?.(...args);
      return walk(0);
    };
    if (type !== "async") return ask;
    return (...args) => {
      const done = args.pop() as (error: unknown, result?: unknown) => void;
      Promise.resolve()
        .then(() => ask(...args))
        .then((result) => done(null, result), done);
    };
  };
}

/** Who is registering now, and whether registration is over. */
export interface Registrar {
  /** Plugin whose `setup` is running; the application outside. */
  readonly plugin: string;
  readonly frozen: boolean;
}

/** The hook table with what the kernel alone may do. */
export interface HookTable {
  readonly hooks: AuthHooks;
  /** Each hook's kind and taps in order, by name. */
  list(): Map<
    string,
    { kind: HookKind; taps: readonly (TapInfo & { before: readonly string[] })[] }
  >;
}

/** Makes the hook table. */
export function createHooks(registrar: Registrar): HookTable {
  const made = new Map<string, { kind: HookKind; hook: TapableHook }>();

  const dress = (tapable: object, name: string, kind: HookKind): unknown => {
    const hook = tapable as TapableHook;
    hook.compile = interpreter(kind, name);
    hook.intercept({
      register(tap) {
        if (registrar.frozen) {
          throw new PluginError(
            `"${tap.name}" taps ${name} after the first request. Tap in a plugin's setup.`,
          );
        }
        const stage = STAGES[tap.stage as unknown as keyof typeof STAGES] ?? tap.stage ?? 0;
        return { ...tap, stage, plugin: registrar.plugin };
      },
    });
    // Our own interceptor would make every hook look used.
    hook.isUsed = () => hook.taps.length > 0 || hook.interceptors.length > 1;
    made.set(name, { kind, hook });
    return hook;
  };
  const bail = (name: string, args: string[], kind: HookKind = "bail") =>
    dress(new AsyncSeriesBailHook(args as ["value"], name), name, kind);
  const waterfall = (name: string, args: string[]) =>
    dress(new AsyncSeriesWaterfallHook(args as ["value"], name), name, "waterfall");

  const hooks = {
    ready: dress(new SyncHook(["kernel"], "ready"), "ready", "series"),
    request: bail("request", ["ctx"]),
    signIn: bail("signIn", ["params", "ctx"], "verdict"),
    redirect: bail("redirect", ["params", "ctx"]),
    jwt: waterfall("jwt", ["token", "params", "ctx"]),
    session: waterfall("session", ["session", "params", "ctx"]),
    authorized: bail("authorized", ["params", "ctx"]),
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
 * Asks a hook. Answers what its taps decided: `undefined` when nobody spoke, the first argument for
 * a waterfall. A value when all taps are synchronous, else a promise.
 */
export function ask<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  ...args: Args
): Awaitable<Decision | undefined> {
  return (hook as unknown as TapableHook).promise(...args) as Awaitable<Decision | undefined>;
}
