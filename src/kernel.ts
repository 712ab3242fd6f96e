import { installCallbacks } from "./callbacks.ts";
import { type Report, resolveConfig } from "./config.ts";
import { cookieTable } from "./cookies.ts";
import { processEnv } from "./env.ts";
import {
  AuthError,
  BootError,
  ConfigError,
  InvalidConfig,
  InvalidProvider,
  PluginError,
  UnsupportedStrategy,
} from "./errors.ts";
import { createEvents } from "./events.ts";
import { ask, createHooks } from "./hooks.ts";
import { createLogger } from "./logger.ts";
import { merge } from "./merge.ts";
import { flattenPresets, isPlugin, orderPlugins } from "./plugins.ts";
import { createTokens } from "./token.ts";
import type { Adapter } from "./types/adapter.ts";
import type { AuthConfig, ResolvedConfig } from "./types/config.ts";
import type {
  Flow,
  Inspection,
  Kernel,
  Plugin,
  Preset,
  Route,
  Strategy,
} from "./types/kernel.ts";
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

const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/;
const ROUTE_PATH = /^(?:\/[A-Za-z0-9._~-]+)+(?:\/:provider)?$/;

// A plain provider object, as a plugin like any other.
function asPlugin(entry: NonNullable<AuthConfig["providers"]>[number]): Plugin {
  const value: Provider | Plugin = typeof entry === "function" ? entry() : entry;
  if (isPlugin(value)) return value;
  // Auth.js providers keep what the application passed in `options`.
  const provider = merge(value as ProviderBase, value.options);
  return {
    name: provider.id,
    provides: [`provider:${provider.id}`],
    setup: (kernel) => kernel.addProvider(provider),
  };
}

function asFault(error: unknown, where: string): AuthError {
  if (error instanceof ConfigError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  return new PluginError(`${where}: ${thrown.message}`, { cause: { err: thrown } });
}

/**
 * Builds the kernel of a configuration: presets, plugins, callbacks; everything is registered,
 * checked and frozen.
 * @throws the one fault, or `BootError` with all of them.
 */
export function createKernel(options: KernelOptions): Booted {
  const faults: AuthError[] = [];
  const report: Report = (fault) => faults.push(fault);
  const attempt = (where: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
      for (const one of errors) report(asFault(one, where));
    }
  };

  const presets = flattenPresets(options.presets);
  const { basePath = "/auth", ...defaults } = merge(
    {} as AuthConfig,
    ...presets.map((preset) => preset.defaults),
  );
  const given = merge(defaults, options.config);
  const env = given.env ?? processEnv();
  const logger = createLogger(given.logger, given.debug);
  const resolved = resolveConfig(given, {
    env,
    logger,
    report,
    basePath,
    spareSecret: options.spareSecret,
  });

  const registrar = { plugin: "application", frozen: false };
  const table = createHooks(registrar);
  const announcements = createEvents(registrar, logger);
  const providers = new Map<string, ProviderBase>();
  const flows = new Map<string, Flow>();
  const strategies = new Map<string, Strategy>();
  const routes = new Map<string, Route & { plugin: string }>();
  const names: Plugin[] = [];
  let adapter: Adapter | undefined = resolved.adapter;
  let config: ResolvedConfig = resolved;

  const open = (what: string): void => {
    if (registrar.frozen) {
      throw new PluginError(`${what} after the first request. Register in a plugin's setup.`);
    }
  };

  const kernel: Kernel = {
    get config() {
      return config;
    },
    env,
    logger,
    hooks: table.hooks,
    events: announcements.events,
    providers,
    get adapter() {
      return adapter as Adapter;
    },
    tokens: createTokens(),
    addProvider(provider) {
      open("A provider was added");
      if (!PROVIDER_ID.test(provider.id) || provider.id === "undefined") {
        throw new InvalidConfig(`"${provider.id}" is no provider id: letters, digits, . _ ~ - only.`);
      }
      if (providers.has(provider.id)) {
        throw new InvalidConfig(`Two providers have the id "${provider.id}". Give one another \`id\`.`);
      }
      providers.set(provider.id, provider);
    },
    addFlow(type, flow) {
      open("A flow was added");
      if (flows.has(type)) throw new PluginError(`Two plugins bring the flow "${type}". Drop one.`);
      flows.set(type, flow as unknown as Flow);
    },
    addStrategy(name, strategy) {
      open("A strategy was added");
      if (strategies.has(name)) {
        throw new PluginError(`Two plugins bring the strategy "${name}". Drop one.`);
      }
      strategies.set(name, strategy);
    },
    addRoute(route) {
      open("A route was added");
      const key = `${route.method} ${route.path}`;
      if (!ROUTE_PATH.test(route.path)) throw new PluginError(`"${route.path}" is no route path.`);
      const other = routes.get(key);
      if (other && !route.replaces) {
        throw new PluginError(
          `${key} is answered by "${other.plugin}". Drop one, or say \`replaces: true\`.`,
        );
      }
      routes.set(key, { ...route, plugin: registrar.plugin });
    },
    setAdapter(value) {
      open("An adapter was set");
      if (adapter) throw new PluginError("Two adapters are set. Drop one.");
      adapter = value;
    },
    flow(type) {
      const flow = flows.get(type);
      if (!flow) throw new InvalidProvider(`No plugin handles providers of type "${type}".`);
      return flow;
    },
    get strategy() {
      return strategies.get(config.session.strategy) as Strategy;
    },
    route: (method, path) => routes.get(`${method} ${path}`),
    emit: announcements.emit,
  };

  const listed: Plugin[] = [];
  for (const entry of given.providers ?? []) {
    attempt("providers", () => listed.push(asPlugin(entry)));
  }
  const plugins = [
    ...presets.flatMap((preset) => preset.plugins ?? []),
    ...(given.plugins ?? []),
    ...listed,
    ...options.plugins,
  ];
  for (const plugin of orderPlugins(plugins, report)) {
    registrar.plugin = plugin.name;
    names.push(plugin);
    attempt(`The plugin "${plugin.name}" could not be set up`, () => plugin.setup(kernel));
  }
  registrar.plugin = "application";
  installCallbacks(kernel, given);

  const strategy = given.session?.strategy ?? (adapter ? "database" : "jwt");
  config = { ...resolved, session: { ...resolved.session, strategy } };
  if (!strategies.has(strategy)) {
    report(
      new UnsupportedStrategy(
        `No plugin keeps sessions by "${strategy}" (there is: ${[...strategies.keys()].join(", ") || "none"}). ` +
          "Set `session.strategy`, or use a plugin that brings it.",
      ),
    );
  }

  for (const [id, provider] of providers) {
    attempt(`The provider "${id}" cannot be used`, () => {
      const flow = flows.get(provider.type);
      if (!flow) {
        throw new InvalidConfig(
          `The provider "${id}" has the type "${provider.type}", which no plugin handles. Use the ` +
            "plugin of its flow, or the standard preset.",
        );
      }
      providers.set(id, flow.resolve?.(provider, kernel) ?? provider);
    });
  }

  for (const [name, { taps }] of table.list()) {
    for (const tap of taps) {
      for (const before of tap.before.filter((other) => !taps.some((known) => known.name === other))) {
        report(
          new PluginError(
            `"${tap.name}" (${tap.plugin}) wants to come before "${before}" in ${name}, which is not there.`,
          ),
        );
      }
    }
  }
  if (!faults.length) attempt("ready", () => void ask(table.hooks.ready, kernel));
  if (faults.length) {
    const fault = faults.length === 1 ? (faults[0] as AuthError) : new BootError(faults);
    logger.error(fault);
    throw fault;
  }
  registrar.frozen = true;

  return {
    kernel,
    inspect: () => ({
      basePath: config.basePath,
      strategy: config.session.strategy,
      plugins: names.map(({ name, provides = [] }) => ({ name, provides })),
      hooks: Object.fromEntries(
        [...table.list()].map(([name, { kind, taps }]) => [
          name,
          {
            kind,
            taps: taps.map((tap) => ({ name: tap.name, stage: tap.stage, plugin: tap.plugin })),
          },
        ]),
      ),
      events: announcements.count(),
      providers: [...providers.values()].map(({ id, name, type }) => ({ id, name, type })),
      routes: [...routes.values()].map(({ method, path, csrf, plugin }) => ({
        method,
        path,
        csrf: method === "GET" ? "-" : csrf === false ? "no" : (csrf ?? "yes"),
        plugin,
      })),
      cookies: cookieTable(config.cookies, config.useSecureCookies ?? config.production),
      pages: config.pages,
    }),
  };
}
