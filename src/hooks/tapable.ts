// Not the package itself: it also has the engine that builds functions from text, which edge runtimes forbid.
// @ts-expect-error -- the package has types for its root alone
import TapableHookClass from "tapable/lib/Hook.js";
import { PluginError } from "../errors/errors.ts";
import type { HookInterceptor } from "../types/hook.ts";
import type { Registered } from "./order.ts";
import type { HookPlan, RunnableTap } from "./run.ts";

const Hook = TapableHookClass as typeof import("tapable").Hook;

/** A tap as tapable keeps it. It has no `before`: tapable would insert the tap ahead of other stages. */
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
  /** What `tap` and its like call. */
  _tap: (type: TapInput["type"], options: string | object, fn: unknown) => void;
  promise: (...args: unknown[]) => unknown;
  /** What the hook runs. */
  readonly plan: HookPlan;
}

/** What a hook does in place of tapable. */
export interface HookBehaviour {
  readonly plan: HookPlan;
  /** Called with the first argument of `tap`, before `register`. */
  check(options: unknown): void;
  register(tap: TapInput): Tap;
  intercept(interceptor: HookInterceptor): void;
  isUsed(): boolean;
  run(...args: unknown[]): unknown;
}

/** Creates a hook of tapable: `ready` as its `SyncHook`, since boot does not wait, the others as its asynchronous ones. */
export function createTapableHook(name: string): TapableHook {
  const isSync = name === "ready";
  const hook = new Hook(["value"], name);
  const refuse = () => {
    throw new PluginError(`The hook "${name}" takes synchronous taps alone. Use \`tap\`.`);
  };
  return Object.assign(
    hook,
    isSync ? { tapAsync: refuse, tapPromise: refuse } : { call: undefined, _call: undefined },
  ) as never;
}

/**
 * Creates a map whose hooks are made by a function when they are first asked for. `refuse` is called with the name of a
 * method that only its hooks have. Not tapable's own: of that, most are names which it no longer wants to be used.
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

/** Returns the function of a tap, which in tapable's style `async` takes a callback. */
export function toTapFunction({ fn, type }: TapInput): Tap["fn"] {
  if (type !== "async") return fn;
  return (...args) =>
    new Promise((resolve, reject) => {
      fn(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    });
}

// tapable's callback style of calling a hook.
function toCallbackStyle(run: (...args: unknown[]) => unknown): (...args: unknown[]) => void {
  return (...args) => {
    const done = args.pop() as (error: unknown, result?: unknown) => void;
    Promise.resolve()
      .then(() => run(...args))
      .then((result) => done(null, result), done);
  };
}

/**
 * Lets tapable keep the taps of a hook, and nothing else: its `compile` builds functions from text, which edge
 * runtimes and strict content security policies forbid, and its interceptors do not tell runs apart.
 */
export function instrument(hook: TapableHook, behaviour: HookBehaviour): void {
  const { plan, check, register, intercept, isUsed, run } = behaviour;
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
