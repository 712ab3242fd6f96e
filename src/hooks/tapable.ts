// Only this file: the package also contains the engine that builds functions from text, which edge runtimes forbid.
// @ts-expect-error -- the package has types for its root alone
import TapableHookClass from "tapable/lib/Hook.js";
import { PluginError } from "../errors/errors.ts";
import type { HookInterceptor } from "../types/hook.ts";
import type { Registered } from "./order.ts";
import type { HookPlan, RunnableTap } from "./run.ts";

const Hook = TapableHookClass as typeof import("tapable").Hook;

/** A tap as tapable stores it. It has no `before`, because tapable would insert the tap ahead of other stages. */
export type Tap = RunnableTap & Registered & { readonly stage: number };

/** A tap as a plugin registers it. */
export type TapInput = Pick<Tap, "fn"> &
  Registered["asked"] & {
    readonly name: string;
    /** The style of the tap's function. */
    readonly type: "sync" | "async" | "promise";
  };

/** The members of a tapable hook that its own types do not declare. */
export interface TapableHook {
  readonly taps: Tap[];
  compile: (options: Pick<TapInput, "type">) => (...args: unknown[]) => unknown;
  intercept: (interceptor: { register: (tap: TapInput) => Tap }) => void;
  isUsed: () => boolean;
  /** Called by `tap` and its variants. */
  _tap: (type: TapInput["type"], options: string | object, fn: unknown) => void;
  promise: (...args: unknown[]) => unknown;
  /** The plan that the hook runs. */
  readonly plan: HookPlan;
}

/** The behavior that replaces tapable's. */
export interface HookBehavior {
  readonly plan: HookPlan;
  /** Called with the first argument of `tap`, before `register`. */
  check(options: unknown): void;
  register(tap: TapInput): Tap;
  intercept(interceptor: HookInterceptor): void;
  isUsed(): boolean;
  run(...args: unknown[]): unknown;
}

/**
 * Creates a tapable hook: `ready` like a `SyncHook`, since boot does not wait, and the others like tapable's
 * asynchronous hooks.
 */
export function createTapableHook(name: string): TapableHook {
  const isSync = name === "ready";
  const hook = new Hook(["value"], name);
  const refuse = () => {
    throw new PluginError(`The hook "${name}" accepts only synchronous taps. Use \`tap\`.`);
  };
  return Object.assign(
    hook,
    isSync ? { tapAsync: refuse, tapPromise: refuse } : { call: undefined, _call: undefined },
  ) as never;
}

/**
 * Creates a map that makes each hook on first use. `refuse` is called with the name of a method that only the map's
 * hooks have. tapable's own class is not used, because most of its methods are deprecated.
 */
export function createHookMap<T>(
  make: (key: string) => T,
  refuse: (method: string) => never,
): object {
  const hooks = new Map<string, T>();
  const methods = ["tap", "tapAsync", "tapPromise", "intercept", "isUsed"];
  return {
    for(key: string) {
      const hook = hooks.get(key) ?? make(key);
      hooks.set(key, hook);
      return hook;
    },
    ...Object.fromEntries(methods.map((method) => [method, () => refuse(method)])),
  };
}

/** Returns the function of a tap. In tapable's style `async`, it accepts a callback. */
export function toTapFunction({ fn, type }: TapInput): Tap["fn"] {
  if (type !== "async") return fn;
  return (...args) =>
    new Promise((resolve, reject) => {
      fn(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    });
}

// Supports tapable's callback style of calling a hook.
function toCallbackStyle(run: (...args: unknown[]) => unknown): (...args: unknown[]) => void {
  return (...args) => {
    const done = args.pop() as (error: unknown, result?: unknown) => void;
    Promise.resolve()
      .then(() => run(...args))
      .then((result) => done(null, result), done);
  };
}

/**
 * Limits tapable to storing the taps of a hook. Its `compile` builds functions from text, which edge runtimes and
 * strict content security policies forbid, and its interceptors do not distinguish runs.
 */
export function instrument(hook: TapableHook, behavior: HookBehavior): void {
  const { plan, check, register, intercept, isUsed, run } = behavior;
  const insert = hook._tap;
  hook._tap = (type, options, fn) => {
    check(options);
    // tapable writes to the options, which may be frozen.
    insert.call(hook, type, typeof options === "string" ? options : { ...options }, fn);
  };
  hook.compile = ({ type }) => (type === "async" ? toCallbackStyle(run) : run);
  hook.intercept({ register });
  Object.assign(hook, { plan, intercept, isUsed });
}
