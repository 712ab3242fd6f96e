import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Hook, HookResult, HookInterceptor, HookKind, TapInfo } from "../types/hook.ts";
import type { AuthHooks, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import { runAround } from "./around.ts";
import { checkTapOptions } from "./check-tap.ts";
import { expectFunction, expectOpen } from "./expect.ts";
import { KERNEL_HOOKS } from "./kernel-hooks.ts";
import { nameTap } from "./name-tap.ts";
import { createObserver, type Observer } from "./observers.ts";
import { sortTaps, toStage } from "./order.ts";
import { type HookPlan, runHook } from "./run.ts";
import {
  createHookMap,
  createTapableHook,
  instrument,
  type Tap,
  type TapableHook,
  type TapInput,
  toTapFunction,
} from "./tapable.ts";

/** The state of the registration. */
export interface Registrar {
  /** Name of the plugin whose `setup` is running; `application` outside of plugins. */
  readonly plugin: string;
  /** Whether the registration is closed. */
  readonly frozen: boolean;
}

/** A hook as `inspect()` shows it. */
export interface HookListing {
  readonly kind: HookKind | "around";
  readonly plugin?: string;
  readonly taps: TapInfo[];
  readonly interceptors: readonly string[];
}

/** The hooks with the operations that only the kernel has. */
export interface HookTable extends Pick<Kernel, "interceptHooks"> {
  readonly hooks: AuthHooks;
  addHook(name: string, kind: HookKind, result?: HookResult): void;
  /** Sorts the taps of every hook, reports orders that cannot hold, and closes the hooks. */
  freeze(report: Report): void;
  /** Returns the hooks by name. */
  list(): Map<string, HookListing>;
}

// A plugin's function that returns the interceptor of a hook.
interface Intercept {
  readonly plugin: string;
  readonly find: Parameters<Kernel["interceptHooks"]>[0];
}

const KINDS: readonly string[] = ["series", "bail", "waterfall", "verdict"];
const HOOK_NAME = /^[a-z][a-z0-9]*$/i;

function toTap(hook: string, tap: TapInput, plugin: string): Tap {
  const { name, stage: asked, before, after } = tap;
  expectFunction(tap.fn, nameTap({ name, plugin }, hook));
  const stage = toStage(asked);
  const info = Object.freeze({ name, stage, plugin });
  return { stage, fn: toTapFunction(tap), info, asked: { stage: asked, before, after } };
}

function checkAddition(plugin: string, name: string, kind: string): void {
  if (!HOOK_NAME.test(name)) {
    throw new PluginError(
      `The plugin "${plugin}" adds a hook with the invalid name "${name}". Use letters and digits only.`,
    );
  }
  if (!KINDS.includes(kind)) {
    throw new PluginError(
      `The plugin "${plugin}" adds the hook "${name}" with the unknown kind "${kind}". Use one of ` +
        `${KINDS.join(", ")}.`,
    );
  }
}

function toListing({ kind, plugin, taps, observers }: HookPlan): HookListing {
  return {
    kind,
    ...(plugin !== undefined && { plugin }),
    taps: taps.map(({ info }) => info),
    interceptors: [...new Set(observers.map((observer) => observer.plugin))],
  };
}

/** Creates the hooks of a kernel. */
export function createHooks(registrar: Registrar, logger: Required<Logger>): HookTable {
  const plans = new Map<string, HookPlan<Tap>>();
  const intercepts: Intercept[] = [];
  let closed = false;

  const open = (what: string): void => expectOpen(closed, `${what} after setup`);

  const observe = (hook: string, interceptor: HookInterceptor, plugin: string): void => {
    const plan = plans.get(hook);
    if (plan?.kind === "around") {
      throw new PluginError(
        `The plugin "${plugin}" intercepts the hook around, which has no interceptors. Tap it instead.`,
      );
    }
    plan?.observers.push(createObserver(interceptor, { hook, plugin }, logger));
  };

  const observeBy = ({ plugin, find }: Intercept, hook: string): void => {
    if (plans.get(hook)?.kind === "around") return;
    try {
      const interceptor = find(hook);
      if (interceptor) observe(hook, interceptor, plugin);
    } catch (error) {
      if (!closed) throw error;
      // A page's hook is created on the first request for the page, which a failing interceptor must not stop.
      logger.error(error as Error);
    }
  };

  const add = (
    name: string,
    kind: HookPlan["kind"],
    result?: HookResult,
    plugin?: string,
  ): unknown => {
    const hook = createTapableHook(name);
    const { taps } = hook;
    const observers: Observer[] = [];
    const plan = { name, kind, plugin, taps, observers, result };
    plans.set(name, plan);
    instrument(hook, {
      plan,
      isUsed: () => taps.length > 0 || observers.length > 0,
      check: (options) => checkTapOptions(options, name, registrar.plugin),
      register(tap) {
        const { name: tapName } = tap;
        open(`"${tapName}" taps the hook ${name}`);
        return toTap(name, tap, registrar.plugin);
      },
      intercept(interceptor) {
        open(`The hook ${name} was intercepted`);
        observe(name, interceptor, registrar.plugin);
      },
      run: kind === "around" ? runAround(taps, logger) : runHook(plan),
    });
    for (const one of intercepts) observeBy(one, name);
    return hook;
  };

  const refusePage = (method: string): never => {
    throw new PluginError(
      `The plugin "${registrar.plugin}" calls hooks.page.${method}: each page has a hook of its own. Call ` +
        `hooks.page.for("signin").${method}, or hooks.page.for("*").${method} for every page.`,
    );
  };

  const hooks: Record<string, unknown> = {};
  for (const [name, { kind, result }] of Object.entries(KERNEL_HOOKS)) {
    hooks[name] =
      name === "page"
        ? createHookMap((key) => add(`page:${key}`, kind, result), refusePage)
        : add(name, kind, result);
  }

  return {
    hooks: hooks as unknown as AuthHooks,
    addHook(name, kind, result) {
      const { plugin } = registrar;
      open(`The hook "${name}" was added`);
      checkAddition(plugin, name, kind);
      if (Object.hasOwn(hooks, name)) {
        const owner = plans.get(name)?.plugin;
        throw new PluginError(
          `The plugin "${plugin}" adds the hook "${name}", which ` +
            `${owner === undefined ? "the kernel has" : `"${owner}" adds too`}. Choose another name.`,
        );
      }
      hooks[name] = add(name, kind, result, plugin);
    },
    interceptHooks(find) {
      open("All hooks were intercepted");
      const { plugin } = registrar;
      if (typeof find !== "function") {
        throw new PluginError(
          `The plugin "${plugin}" calls interceptHooks without a function. Pass one that returns the interceptor ` +
            "of a hook: interceptHooks((hook) => ({ run() {} })).",
        );
      }
      const one = { plugin, find };
      intercepts.push(one);
      for (const name of plans.keys()) observeBy(one, name);
    },
    freeze(report) {
      for (const [name, { taps }] of plans) {
        taps.splice(0, taps.length, ...sortTaps(name, taps, report));
      }
      closed = true;
    },
    list: () => new Map([...plans].map(([name, plan]) => [name, toListing(plan)])),
  };
}

/**
 * Calls the taps of a hook and returns their decision. If no tap returns a value, that is `undefined`, or the first
 * argument of a waterfall. The result is a promise only if a tap returned one.
 * @throws PluginError when a tap returns a value that the hook does not accept.
 */
export function callHook<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  ...args: Args
): Awaitable<Decision | undefined> {
  return (hook as unknown as TapableHook).promise(...args) as Awaitable<Decision | undefined>;
}

/** Calls each tap of `ready` through `perform`, with the name of the tap's plugin. */
export function callReady(
  kernel: Kernel,
  perform: (plugin: string, call: () => unknown) => void,
): void {
  const { plan } = kernel.hooks.ready as unknown as TapableHook;
  const taps = plan.taps.map((tap) => ({
    ...tap,
    fn: (...args: unknown[]) => perform(tap.info.plugin, () => tap.fn(...args)),
  }));
  runHook({ ...plan, taps })(kernel);
}

/**
 * Calls the taps of a bail hook that follow the named tap, or all if there is no such tap. Resolves to the first value
 * and the name of its tap.
 */
export async function callHookAfter<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  after: string | undefined,
  ...args: Args
): Promise<{ value: Decision; tap: string } | undefined> {
  const { plan } = hook as unknown as TapableHook;
  const from = plan.taps.findIndex(({ info }) => info.name === after) + 1;
  let tap = "";
  const interceptor: HookInterceptor = { run: () => ({ tap: ({ name }) => void (tap = name) }) };
  const observer: Observer = { plugin: "kernel", interceptor, report() {} };
  const rest = { ...plan, taps: plan.taps.slice(from), observers: [...plan.observers, observer] };
  const value = (await runHook(rest)(...args)) as Decision | undefined;
  return value === undefined ? undefined : { value, tap };
}
