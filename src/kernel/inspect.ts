import type { EventTable } from "../hooks/events.ts";
import type { HookTable } from "../hooks/hooks.ts";
import { buildCookieTable, usesSecureCookies } from "../http/cookies.ts";
import type { CacheListing } from "../types/cache.ts";
import type { Inspection } from "../types/inspection.ts";
import type { ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import type { StoreBackend } from "../types/store.ts";
import type { Registry } from "./registry.ts";
import type { ServiceRegistry } from "./service-registry.ts";
import type { WrapTable } from "./wraps.ts";

/** The parts of a booted kernel that `inspectKernel` reads. */
export interface KernelParts {
  config: ResolvedConfig;
  plugins: readonly Plugin[];
  hookTable: HookTable;
  events: EventTable;
  registry: Registry;
  services: ServiceRegistry;
  wraps: WrapTable;
  caches: readonly CacheListing[];
}

// Only these fields: a backend may contain a client and its password.
function describeBackend(backend: StoreBackend | undefined): Inspection["store"]["backend"] {
  if (!backend) return null;
  const { name, guarantees, atomic } = backend;
  return { name, guarantees, atomic };
}

/** Returns everything that is registered, as JSON for developers, tools and snapshot tests. It contains no secret. */
export function inspectKernel(parts: KernelParts): Inspection {
  const { config, plugins, hookTable, events, registry, services, wraps, caches } = parts;
  const { adapter = null } = registry;
  return {
    basePath: config.basePath,
    strategy: config.session.strategy,
    endsWithin: registry.strategies.get(config.session.strategy)?.endsWithin?.(config) ?? null,
    plugins: plugins.map(({ name, provides = [], requires = [], plugins: brought = [] }) => ({
      name,
      provides,
      requires,
      plugins: brought.map((one) => one.name),
    })),
    hooks: Object.fromEntries(
      [...hookTable.list()]
        // Hooks of pages are created on first use, so listing untapped ones would depend on earlier requests.
        .filter(([name, { taps }]) => taps.length || !name.startsWith("page:")),
    ),
    events: events.list(),
    providers: [...registry.providers.values()].map(({ id, name, type }) => ({ id, name, type })),
    routes: [...registry.routes.values()].map(({ method, path, auth, csrf, plugin }) => ({
      method,
      path,
      auth: auth ?? false,
      csrf: method === "GET" ? "-" : csrf === false ? "no" : (csrf ?? "yes"),
      plugin,
    })),
    cookies: buildCookieTable(registry.cookies, config.cookies, usesSecureCookies(config)),
    pages: config.pages,
    store: {
      backend: describeBackend(registry.stores.backend),
      namespaces: registry.stores.namespaces.map(
        ({ namespace, plugin, requirements: { validate: _, ...requirements } }) => ({
          namespace,
          plugin,
          requirements,
        }),
      ),
    },
    wraps: wraps.list(),
    adapter: adapter && { methods: services.find("storedUsers")?.listMethods(adapter) ?? [] },
    services: services.list(),
    caches: caches.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
}
