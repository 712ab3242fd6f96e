import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook, HookMap, SyncHook } from "tapable";
import { PluginError } from "../errors/errors.ts";
import type { Hook, HookAnswer, HookInterceptor, HookKind, TapInfo } from "../types/hook.ts";
import type { AuthHooks, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import { runAround } from "./around.ts";
import type { Report } from "./config.ts";
import { ANSWERS } from "./hook-answers.ts";
import { createObserver, type Observer } from "./hook-observers.ts";
import { type Registered, sortTaps, toStage } from "./hook-order.ts";
import { type RunnableTap, runHook } from "./hook-run.ts";

// A tap as tapable keeps it. It has no `before`: tapable would insert the tap ahead of other stages.
type Tap = RunnableTap & Registered & { name: string; stage: number };
type RegisteredOptions = Omit<Tap, "stage"> & Registered["asked"];

// The members of a tapable hook that its own types do not declare.
interface TapableHook {
  readonly taps: Tap[];
  compile: (options: { type: Tap["type"] }) => (...args: unknown[]) => unknown;
  intercept: (interceptor: { register: (tap: RegisteredOptions) => Tap }) => void;
  isUsed: () => boolean;
  promise: (...args: unknown[]) => unknown;
}

interface HookEntry {
  readonly kind: HookKind | "around";
  /** Name of the plugin that added the hook. */
  readonly plugin?: string;
  readonly taps: Tap[];
  readonly observers: Observer[];
}

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
  addHook(name: string, kind: HookKind, answer?: HookAnswer): void;
  /** Puts the taps of every hook in order, reports what cannot hold, and closes the hooks. */
  freeze(report: Report): void;
  /** Returns the hooks by name. */
  list(): Map<string, HookListing>;
}

const KINDS: readonly string[] = ["series", "bail", "waterfall", "verdict"];
const HOOK_NAME = /^[a-z][a-z0-9]*$/i;

// tapable's callback style of calling a hook.
function toCallbackStyle(run: (...args: unknown[]) => unknown): (...args: unknown[]) => void {
  return (...args) => {
    const done = args.pop() as (error: unknown, result?: unknown) => void;
    Promise.resolve()
      .then(() => run(...args))
      .then((result) => done(null, result), done);
  };
}

// tapable keeps the taps; `run` calls them, since tapable's own `compile` builds functions from text: edge
// runtimes and strict content security policies forbid that.
function instrument(
  hook: TapableHook,
  options: {
    register: (tap: RegisteredOptions) => Tap;
    intercept: (interceptor: HookInterceptor) => void;
    observers: readonly Observer[];
    run: (...args: unknown[]) => unknown;
  },
): void {
  const { register, intercept, observers, run } = options;
  hook.compile = ({ type }) => (type === "async" ? toCallbackStyle(run) : run);
  hook.intercept({ register });
  // The interceptor above would make every hook look used.
  hook.isUsed = () => hook.taps.length > 0 || observers.length > 0;
  Object.assign(hook, { intercept });
}

function createTapable(kind: HookEntry["kind"], name: string): TapableHook {
  if (kind === "waterfall") return new AsyncSeriesWaterfallHook(["value"], name) as never;
  // Boot does not wait.
  if (name === "ready") return new SyncHook(["kernel"], name) as never;
  return new AsyncSeriesBailHook(["value"], name) as never;
}

/** Creates the hooks of a kernel. */
export function createHooks(registrar: Registrar, logger: Required<Logger>): HookTable {
  const entries = new Map<string, HookEntry>();
  const intercepts: { plugin: string; find: Parameters<Kernel["interceptHooks"]>[0] }[] = [];
  let closed = false;

  const open = (what: string): void => {
    if (closed) throw new PluginError(`${what} after setup. Do it in a plugin's \`setup\`.`);
  };

  const observe = (hook: string, interceptor: HookInterceptor, plugin: string): void => {
    const entry = entries.get(hook);
    if (entry?.kind === "around") {
      throw new PluginError("The hook around has no interceptors. Tap it instead.");
    }
    entry?.observers.push(createObserver(interceptor, { hook, plugin }, logger));
  };

  const observeBy = ({ plugin, find }: (typeof intercepts)[number], hook: string): void => {
    try {
      const interceptor = find(hook);
      if (interceptor) observe(hook, interceptor, plugin);
    } catch (error) {
      if (!closed) throw error;
      // The hook of a page is made with the first request for it, which an interceptor must not stop.
      logger.error(error as Error);
    }
  };

  const register = (hook: string, tap: RegisteredOptions): Tap => {
    const { name, type, fn, stage: asked, before, after } = tap;
    open(`"${name}" taps the hook ${hook}`);
    if (typeof fn !== "function") {
      throw new PluginError(
        `The tap "${name}" of the hook ${hook} has no function. Pass one as the second argument.`,
      );
    }
    const stage = toStage(asked);
    const info = Object.freeze({ name, stage, plugin: registrar.plugin });
    return { name, stage, type, fn, info, asked: { stage: asked, before, after } };
  };

  const add = (
    name: string,
    kind: HookEntry["kind"],
    answer?: HookAnswer,
    plugin?: string,
  ): unknown => {
    const hook = createTapable(kind, name);
    const { taps } = hook;
    const observers: Observer[] = [];
    entries.set(name, { kind, taps, observers, ...(plugin !== undefined && { plugin }) });
    instrument(hook, {
      observers,
      register: (tap) => register(name, tap),
      intercept(interceptor) {
        open(`The hook ${name} was intercepted`);
        observe(name, interceptor, registrar.plugin);
      },
      run:
        kind === "around"
          ? runAround(taps, logger)
          : runHook({ name, kind, taps, observers, answer }),
    });
    if (kind !== "around") for (const one of intercepts) observeBy(one, name);
    return hook;
  };

  // A property that does not exist is found here, and only during setup: a later look-up may be a debugger's.
  const missing = new Proxy(Object.prototype, {
    get(target, name, receiver) {
      if (closed || typeof name === "symbol" || name in target) {
        return Reflect.get(target, name, receiver) as unknown;
      }
      throw new PluginError(
        `There is no hook "${name}". Correct the name, or require the plugin that adds it.`,
      );
    },
  });

  const hooks = Object.assign(Object.create(missing) as Record<string, unknown>, {
    ready: add("ready", "series"),
    around: add("around", "around"),
    request: add("request", "bail", ANSWERS.request),
    signIn: add("signIn", "verdict", ANSWERS.signIn),
    redirect: add("redirect", "bail", ANSWERS.redirect),
    jwt: add("jwt", "waterfall", ANSWERS.jwt),
    session: add("session", "waterfall", ANSWERS.session),
    authorized: add("authorized", "bail", ANSWERS.authorized),
    locale: add("locale", "bail", ANSWERS.locale),
    page: new HookMap((key: string) => add(`page:${key}`, "waterfall", ANSWERS.page) as never),
    response: add("response", "waterfall", ANSWERS.response),
    error: add("error", "bail", ANSWERS.error),
  });

  return {
    hooks: hooks as unknown as AuthHooks,
    addHook(name, kind, answer) {
      open(`The hook "${name}" was added`);
      if (!HOOK_NAME.test(name)) {
        throw new PluginError(`"${name}" is not a valid name of a hook: letters and digits only.`);
      }
      if (!KINDS.includes(kind)) {
        throw new PluginError(
          `The hook "${name}" has the kind "${kind}". Use one of ${KINDS.join(", ")}.`,
        );
      }
      if (Object.hasOwn(hooks, name)) {
        const owner = entries.get(name)?.plugin;
        throw new PluginError(
          `The hook "${name}" is ${owner === undefined ? "the kernel's own" : `added by "${owner}"`}. ` +
            "Choose another name.",
        );
      }
      hooks[name] = add(name, kind, answer, registrar.plugin);
    },
    interceptHooks(find) {
      open("All hooks were intercepted");
      const one = { plugin: registrar.plugin, find };
      intercepts.push(one);
      for (const [name, { kind }] of entries) if (kind !== "around") observeBy(one, name);
    },
    freeze(report) {
      for (const [name, { taps }] of entries) {
        taps.splice(0, taps.length, ...sortTaps(name, taps, report));
      }
      closed = true;
    },
    list: () =>
      new Map(
        [...entries].map(([name, { kind, plugin, taps, observers }]) => [
          name,
          {
            kind,
            ...(plugin !== undefined && { plugin }),
            taps: taps.map(({ info }) => info),
            interceptors: [...new Set(observers.map(({ plugin: owner }) => owner))],
          },
        ]),
      ),
  };
}

/**
 * Calls the taps of a hook and returns their decision; if no tap returns a value, `undefined`, or the first
 * argument of a waterfall. The result is a promise only if a tap returned one.
 * @throws PluginError when a tap returns what the hook does not accept.
 */
export function callHook<Args extends unknown[], Decision>(
  hook: Hook<Args, Decision>,
  ...args: Args
): Awaitable<Decision | undefined> {
  return (hook as unknown as TapableHook).promise(...args) as Awaitable<Decision | undefined>;
}
