import { createTokens } from "../crypto/token.ts";
import { PluginError, UnsupportedStrategy } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { createEvents } from "../hooks/events.ts";
import { callReady, createHooks, type Registrar } from "../hooks/hooks.ts";
import { isPromise } from "../platform/awaitable.ts";
import { merge } from "../platform/merge.ts";
import { createSingleUse } from "../storage/single-use.ts";
import type { Preset } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Env, Logger, ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import type { SweepOptions } from "../types/store.ts";
import { createBootFaults, reportThrown } from "./boot-faults.ts";
import { warnOnce } from "./boot-warnings.ts";
import { installCallbacks } from "./callbacks.ts";
import { findByCapability } from "./capability.ts";
import { checkLimits, checkSharedSecrets, checkUnusedOptions } from "./check-combined.ts";
import { checkCookies } from "./check-cookies.ts";
import { expectTexts } from "./check-env.ts";
import { checkEvents, rejectUnknownHooks } from "./check-names.ts";
import { checkFieldNames, filterPlugins, pluginList } from "./check-plugin.ts";
import { resolveConfig } from "./config.ts";
import { processEnv } from "./env.ts";
import type { DecidedEnvironment } from "./environment.ts";
import { createInit } from "./init.ts";
import { inspectKernel } from "./inspect.ts";
import { createLogger } from "./logger.ts";
import { createCacheTable, createMemory, type Memory } from "./memory.ts";
import { checkOptions } from "./option-names.ts";
import { createOwners } from "./owners.ts";
import {
  collectPlugins,
  flattenPresets,
  listPresetPlugins,
  orderPlugins,
  setUpPlugin,
} from "./plugins.ts";
import { asPlugin, resolveProviders } from "./providers.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { checkRoutePaths } from "./route.ts";
import { createServiceRegistry, type ServiceRegistry } from "./service-registry.ts";
import { createWraps } from "./wraps.ts";

/** Inputs of `createKernel`. */
export interface KernelOptions {
  config: AuthConfig;
  presets: readonly Preset[];
  /** In the order of `use`. */
  plugins: readonly Plugin[];
  environment: DecidedEnvironment;
  /** The variables, unless the configuration sets its own. Default: those of the process. */
  env?: Env | undefined;
  /** Returns the secret to use in development when none is set. */
  devSecret(): string;
  /** The memory of the process. Default: an empty one. */
  memory?: Memory;
  /** Called when all plugins are set up. */
  registered?(parts: RegisteredParts): void;
}

/** The parts that plugins have registered, before they are checked. */
export interface RegisteredParts {
  /** The configuration as given, with the defaults of presets. */
  readonly given: AuthConfig;
  readonly config: ResolvedConfig;
  readonly registry: Registry;
  readonly services: ServiceRegistry;
  readonly plugins: readonly Plugin[];
}

/** A booted kernel. */
export interface Booted {
  kernel: Kernel;
  /** Runs each plugin's `init` once; returns `undefined` when none is left to run. */
  init(): Awaitable<void>;
  /** Removes expired records of the store and resolves to their number. */
  sweep(options?: SweepOptions): Promise<number>;
}

// The plugin that sets an adapter also brings the code that the adapter needs.
function checkAdapter({ adapter }: Registry, services: ServiceRegistry, report: Report): void {
  if (!adapter || services.find("storedUsers")) return;
  report(
    new PluginError(
      "No plugin signs in users of the adapter. Pass it with defineAdapter() of keyhook/kernel: " +
        "use(defineAdapter(adapter)).",
    ),
  );
}

function checkStrategyName(name: string, registry: Registry, report: Report): void {
  if (registry.strategies.has(name)) return;
  const known = [...registry.strategies.keys()].join(", ") || "none";
  report(
    new UnsupportedStrategy(
      `No plugin provides the session strategy "${name}" (registered: ${known}). Set \`session.strategy\` to one of ` +
        "these, or use its plugin: keyhook/strategies/jwt, /database or /hybrid.",
    ),
  );
}

// Objects that the application passed in, such as the adapter, are not frozen.
function freezeBooted(kernel: Kernel): void {
  const { config, providers } = kernel;
  const { secret, jwt, session, experimental, theme, pages, cookies } = config;
  for (const part of [secret, jwt.secret, jwt, session, experimental, theme, pages, cookies]) {
    Object.freeze(part);
  }
  for (const provider of providers.values()) Object.freeze(provider);
  Object.freeze(config);
  Object.freeze(kernel);
}

// A tap's registrations belong to the tap's plugin.
function runReadyTaps(
  kernel: Kernel,
  registrar: { -readonly [K in keyof Registrar]: Registrar[K] },
  report: Report,
): void {
  callReady(kernel, (plugin, call) => {
    registrar.plugin = plugin;
    reportThrown(report, `A tap of \`ready\` (plugin ${plugin}) failed`, () => {
      const pending = call();
      if (!isPromise(pending)) return;
      pending.then(undefined, () => {});
      throw new Error("it returned a promise, for which boot does not wait.");
    });
  });
}

// Lists the plugins of the application, its providers and presets, with those that they bring, in the order of `setup`.
function listPlugins(
  options: KernelOptions,
  given: AuthConfig,
  presets: readonly Preset[],
  report: Report,
  logger: Required<Logger>,
): Plugin[] {
  const listed: Plugin[] = [];
  for (const entry of given.providers ?? []) {
    reportThrown(report, "An entry of `providers` cannot be used", () =>
      listed.push(asPlugin(entry)),
    );
  }
  const chosen = listPresetPlugins(presets, report);
  const configured = filterPlugins(given.plugins, pluginList("the configuration"), report);
  const application = [...configured, ...listed, ...options.plugins];
  const collected = collectPlugins(application, chosen, report, logger);
  const plugins = orderPlugins(collected, report, given.adapter ? ["adapter"] : []);
  for (const one of [...presets, ...plugins]) checkFieldNames(one, report);
  return plugins;
}

// Returns the plugins to set up, and the configuration with the defaults of presets, of plugins and of the environment.
function readSettings(
  options: KernelOptions & { memory: Memory; isBooting(): boolean },
  presets: readonly Preset[],
  report: Report,
) {
  const { environment, devSecret } = options;
  const defaults = merge({} as AuthConfig, ...presets.map((preset) => preset.defaults));
  const { basePath = "/auth", ...others } = defaults;
  const merged = merge(others, options.config);
  const passed = merged.env as Env | undefined;
  const env = passed ? expectTexts(passed, report) : (options.env ?? processEnv());
  const { memory, isBooting } = options;
  const logger = warnOnce(createLogger(merged.logger, merged.debug), memory, isBooting);
  const given = checkOptions(merged, { logger, report });
  const plugins = listPlugins(options, given, presets, report, logger);
  const bindings = presets.flatMap(({ binding }) => binding ?? []);
  const config = resolveConfig(given, {
    env,
    environment,
    production: environment.name === "production",
    hasAdapter: Boolean(given.adapter ?? findByCapability(plugins, "adapter")),
    logger,
    report,
    basePath,
    devSecret,
    keptSecret: bindings.findLast((binding) => binding.developmentSecret)?.developmentSecret,
    textSecret: bindings.some((binding) => binding.textSecret),
  });
  return { env, logger, given, config, plugins };
}

// If a required plugin is missing or has thrown, errors of the plugins that require it are not reported: they would
// only repeat the fault.
function setUpPlugins(
  plugins: readonly Plugin[],
  configured: readonly string[],
  report: Report,
  setUp: (plugin: Plugin) => void,
): void {
  const present = new Set(configured);
  for (const plugin of plugins) {
    const { name, requires = [], provides = [] } = plugin;
    const isComplete = requires.every((required) => present.has(required));
    const reportOwn = isComplete ? report : () => {};
    reportThrown(reportOwn, `The plugin "${name}" could not be set up`, () => {
      setUp(plugin);
      if (isComplete) for (const one of [name, ...provides]) present.add(one);
    });
  }
}

function createParts(
  { env, logger, config, plugins }: ReturnType<typeof readSettings>,
  memory: Memory,
) {
  const registrar = { plugin: "kernel", frozen: false };
  const parts = { env, logger, config, memory, registrar, plugins };
  const owners = createOwners(registrar);
  const services = createServiceRegistry(registrar, owners, plugins);
  return Object.assign(parts, {
    hookTable: createHooks(registrar, logger),
    events: createEvents(registrar, logger),
    services,
    registry: createRegistry(registrar, owners, {
      plugins,
      adapter: config.adapter,
      findRecords: () => services.find("records"),
    }),
    wraps: createWraps(registrar, services),
    caches: createCacheTable(),
  });
}

// Members that a registration or the boot can still change are getters.
function assembleKernel(parts: ReturnType<typeof createParts>): Kernel {
  const { memory, registrar, hookTable, events, services, registry, wraps, caches } = parts;
  const { secret, storeNamespace, basePath } = parts.config;
  const name = parts.config.session.strategy;
  // What is remembered about one application's users and attempts does not apply to another application.
  const application = JSON.stringify([secret, storeNamespace, basePath]);
  const remember: Kernel["remember"] = (key, create, { perApplication = false } = {}) =>
    memory.remember(key, create, { application: perApplication ? application : undefined });
  return {
    ...registry.members,
    config: parts.config,
    env: parts.env,
    logger: parts.logger,
    hooks: hookTable.hooks,
    addHook: hookTable.addHook,
    interceptHooks: hookTable.interceptHooks,
    wrap: wraps.wrap,
    events: events.events,
    emit: events.emit,
    tokens: remember("tokens", (createCache) => createTokens({ createCache })),
    remember,
    createCache: caches.create,
    providers: registry.providers,
    get adapter() {
      return registry.adapter;
    },
    get strategy() {
      const strategy = registry.strategies.get(name);
      if (strategy) return strategy;
      throw new PluginError(
        `\`kernel.strategy\` ("${name}") is not registered yet. Read it in a tap of \`ready\`, or later.`,
      );
    },
    get sessionTransport() {
      return registry.sessionTransport;
    },
    useOnce: createSingleUse(registry.store("single-use", { optional: true }), remember),
    provide: services.provide,
    use: services.use,
    find: services.find,
    get storeScope() {
      return registry.stores.backend?.guarantees.scope;
    },
    inspect() {
      if (!registrar.frozen) {
        const text =
          "`kernel.inspect()` was called during boot. Call it in a request, or in `init`.";
        throw new PluginError(text);
      }
      return inspectKernel({ ...parts, caches: [...memory.listCaches(), ...caches.list()] });
    },
  };
}

/**
 * Builds the kernel of a configuration: registers presets, plugins and callbacks, checks the result and closes the
 * registration.
 * @throws the fault if there is one, or `BootError` with all of several.
 */
export function createKernel(options: KernelOptions): Booted {
  const faults = createBootFaults();
  const { report } = faults;
  const presets = flattenPresets(options.presets, report);
  const { memory = createMemory() } = options;
  let booting = true;
  const settings = readSettings({ ...options, memory, isBooting: () => booting }, presets, report);
  const { given, logger, config, plugins } = settings;
  const parts = createParts(settings, memory);
  const { registrar, registry, services, wraps, hookTable, events } = parts;
  rejectUnknownHooks(hookTable.hooks, registrar);
  const kernel = assembleKernel(parts);

  setUpPlugins(plugins, given.adapter ? ["adapter"] : [], report, (plugin) => {
    registrar.plugin = plugin.name;
    setUpPlugin(plugin, kernel);
  });
  registrar.plugin = "application";
  installCallbacks(kernel, given);

  options.registered?.({ given, config, registry, services, plugins });
  checkStrategyName(config.session.strategy, registry, report);
  checkAdapter(registry, services, report);
  // Before the providers are resolved, because a flow may check the adapter.
  wraps.applyToStorage(registry, report);
  resolveProviders(kernel, registry, report);
  wraps.applyToProviders(registry.providers, report);
  checkSharedSecrets(config, registry.providers.values(), { logger, report });
  checkUnusedOptions(given, config.session.strategy, { logger });
  checkLimits(config, registry, plugins, { logger });
  checkCookies(registry.cookies, config, { logger, report });
  checkRoutePaths(registry.routes.values(), config, logger);
  hookTable.freeze(report);
  checkEvents(events.list(), report);
  services.find("pages")?.check(kernel, hookTable.list(), report);
  if (faults.isEmpty) services.check(report);
  registry.stores.check(config, report);
  if (faults.isEmpty) runReadyTaps(kernel, registrar, report);

  faults.throwAll();
  registrar.frozen = true;
  booting = false;
  freezeBooted(kernel);
  return {
    kernel,
    init: createInit(plugins, kernel),
    sweep: (bounds) => registry.stores.sweep(bounds),
  };
}
