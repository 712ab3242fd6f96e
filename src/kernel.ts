import { isPromise } from "./awaitable.ts";
import { installCallbacks } from "./callbacks.ts";
import { type Report, resolveConfig } from "./config.ts";
import { override } from "./define.ts";
import { processEnv } from "./env.ts";
import {
  type AuthError,
  BootError,
  ConfigError,
  InvalidConfig,
  PluginError,
  UnsupportedStrategy,
} from "./errors.ts";
import { createEvents } from "./events.ts";
import { ask, createHooks, type HookTable } from "./hooks.ts";
import { inspection } from "./inspect.ts";
import { createLogger } from "./logger.ts";
import { merge } from "./merge.ts";
import { flattenPresets, isPlugin, orderPlugins } from "./plugins.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { createTokens } from "./token.ts";
import type { Inspection, Preset } from "./types/auth.ts";
import type { AuthConfig, ProviderEntry } from "./types/config.ts";
import type { Kernel, Plugin, Strategy } from "./types/kernel.ts";
import type { Provider, ProviderBase } from "./types/provider.ts";

/** What a kernel is made of. */
export interface KernelOptions {
  config: AuthConfig;
  presets: readonly Preset[];
  /** In the order of `use`. */
  plugins: readonly Plugin[];
  /** Signs in development, when no secret is set. */
  spareSecret: string;
}

/** A booted kernel. */
export interface Booted {
  kernel: Kernel;
  inspect(): Inspection;
}

// Runs a piece of the boot; what it throws is one more fault, so that all are reported together.
type Attempt = (where: string, work: () => void) => void;

function asFault(error: unknown, where: string): AuthError {
  if (error instanceof ConfigError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  return new PluginError(`${where}: ${thrown.message}`, { cause: { err: thrown } });
}

// A plain provider object is a plugin like any other.
function asPlugin(entry: ProviderEntry): Plugin {
  const value: Provider | Plugin = typeof entry === "function" ? entry() : entry;
  if (isPlugin(value)) return value;
  // Auth.js providers keep what the application passed in `options`.
  const provider = override<ProviderBase>(value, value.options);
  return {
    name: provider.id,
    provides: [`provider:${provider.id}`],
    setup: (kernel) => kernel.addProvider(provider),
  };
}

function resolveProviders(kernel: Kernel, registry: Registry, attempt: Attempt): void {
  for (const [id, provider] of registry.providers) {
    attempt(`The provider "${id}" cannot be used`, () => {
      const flow = registry.flows.get(provider.type);
      if (!flow) {
        throw new InvalidConfig(
          `The provider "${id}" has the type "${provider.type}", which no plugin handles. Use the ` +
            "plugin of its flow, or the standard preset.",
        );
      }
      registry.providers.set(id, flow.resolve?.(provider, kernel) ?? provider);
    });
  }
}

function checkStrategy(name: string, registry: Registry, report: Report): void {
  if (registry.strategies.has(name)) return;
  const known = [...registry.strategies.keys()].join(", ") || "none";
  report(
    new UnsupportedStrategy(
      `No plugin keeps sessions by "${name}" (there is: ${known}). Set \`session.strategy\`, or use ` +
        "a plugin that brings it.",
    ),
  );
}

function checkOrder(table: HookTable, report: Report): void {
  for (const [hook, { taps }] of table.list()) {
    const names = new Set(taps.map(({ name }) => name));
    for (const { name, plugin, before } of taps) {
      for (const other of before.filter((target) => !names.has(target))) {
        const text = `"${name}" (${plugin}) wants to come before "${other}" in ${hook}`;
        report(new PluginError(`${text}, which is not there.`));
      }
    }
  }
}

function askReady(kernel: Kernel): void {
  const pending = ask(kernel.hooks.ready, kernel);
  if (!isPromise(pending)) return;
  pending.catch(() => {});
  throw new PluginError("A tap of `ready` must be synchronous: nobody waits for it.");
}

/**
 * Builds the kernel of a configuration: presets, plugins, callbacks; everything is registered,
 * checked and frozen.
 * @throws the one fault, or `BootError` with all of them.
 */
export function createKernel(options: KernelOptions): Booted {
  const faults: AuthError[] = [];
  const report: Report = (fault) => faults.push(fault);
  const attempt: Attempt = (where, work) => {
    try {
      work();
    } catch (error) {
      const thrown = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
      for (const one of thrown) report(asFault(one, where));
    }
  };

  const presets = flattenPresets(options.presets);
  const defaults = merge({} as AuthConfig, ...presets.map((preset) => preset.defaults));
  const { basePath = "/auth", ...others } = defaults;
  const given = merge(others, options.config);
  const env = given.env ?? processEnv();
  const logger = createLogger(given.logger, given.debug);
  const { spareSecret } = options;
  let config = resolveConfig(given, { env, logger, report, basePath, spareSecret });

  const registrar = { plugin: "application", frozen: false };
  const table = createHooks(registrar);
  const announcements = createEvents(registrar, logger);
  const registry = createRegistry(registrar, config.adapter, logger);
  const kernel: Kernel = {
    get config() {
      return config;
    },
    env,
    logger,
    hooks: table.hooks,
    events: announcements.events,
    emit: announcements.emit,
    tokens: createTokens(),
    providers: registry.providers,
    get adapter() {
      return registry.adapter;
    },
    get strategy() {
      return registry.strategies.get(config.session.strategy) as Strategy;
    },
    addProvider: registry.addProvider,
    addFlow: registry.addFlow,
    addStrategy: registry.addStrategy,
    addRoute: registry.addRoute,
    setAdapter: registry.setAdapter,
    addMessages: registry.addMessages,
    addLanguage: registry.addLanguage,
    languages: registry.languages,
    reading: registry.reading,
    setStore: registry.setStore,
    store: registry.store,
    get storeScope() {
      return registry.shelves.backend?.guarantees.scope;
    },
    flow: registry.flow,
    route: registry.route,
  };

  const listed: Plugin[] = [];
  for (const entry of given.providers ?? []) {
    attempt("An entry of `providers` cannot be used", () => listed.push(asPlugin(entry)));
  }
  const chosen = presets.flatMap((preset) => preset.plugins ?? []);
  const plugins = orderPlugins(
    [...chosen, ...(given.plugins ?? []), ...listed, ...options.plugins],
    report,
  );
  for (const plugin of plugins) {
    registrar.plugin = plugin.name;
    attempt(`The plugin "${plugin.name}" could not be set up`, () => plugin.setup(kernel));
  }
  registrar.plugin = "application";
  installCallbacks(kernel, given);

  // A plugin may have brought the adapter.
  const strategy = given.session?.strategy ?? (registry.adapter ? "database" : "jwt");
  config = { ...config, session: { ...config.session, strategy } };
  checkStrategy(strategy, registry, report);
  resolveProviders(kernel, registry, attempt);
  checkOrder(table, report);
  registry.shelves.check(config, report);
  if (!faults.length) attempt("A last check failed", () => askReady(kernel));

  if (faults.length) throw faults.length === 1 ? (faults[0] as AuthError) : new BootError(faults);
  registrar.frozen = true;
  return {
    kernel,
    inspect: () => inspection({ config, plugins, table, announcements, registry }),
  };
}
