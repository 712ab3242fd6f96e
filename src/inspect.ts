import { methodsOf } from "./adapter.ts";
import { cookieTable } from "./cookies.ts";
import type { EventTable } from "./events.ts";
import type { HookTable } from "./hooks.ts";
import type { Registry } from "./registry.ts";
import type { Inspection } from "./types/auth.ts";
import type { Plugin } from "./types/kernel.ts";
import type { ResolvedConfig } from "./types/options.ts";
import type { StoreBackend } from "./types/store.ts";

/** What a booted kernel is made of. */
export interface Parts {
  config: ResolvedConfig;
  plugins: readonly Plugin[];
  table: HookTable;
  announcements: EventTable;
  registry: Registry;
}

// A backend may hold a client and its password.
function factsOf(backend: StoreBackend | undefined): Inspection["store"]["backend"] {
  if (!backend) return null;
  const { name, guarantees, atomic } = backend;
  return { name, guarantees, atomic };
}

/** What is plugged in, as JSON: for people, tools and snapshot tests. Nothing secret. */
export function inspection(parts: Parts): Inspection {
  const { config, plugins, table, announcements, registry } = parts;
  return {
    basePath: config.basePath,
    strategy: config.session.strategy,
    plugins: plugins.map(({ name, provides = [] }) => ({ name, provides })),
    hooks: Object.fromEntries(
      [...table.list()]
        // Pages' hooks are made when first asked for: untapped ones would come and go.
        .filter(([name, { taps }]) => taps.length || !name.startsWith("page:"))
        .map(([name, { kind, taps }]) => [
          name,
          {
            kind,
            taps: taps.map(({ name: tap, stage, plugin }) => ({ name: tap, stage, plugin })),
          },
        ]),
    ),
    events: announcements.list(),
    providers: [...registry.providers.values()].map(({ id, name, type }) => ({ id, name, type })),
    routes: [...registry.routes.values()].map(({ method, path, csrf, plugin }) => ({
      method,
      path,
      csrf: method === "GET" ? "-" : csrf === false ? "no" : (csrf ?? "yes"),
      plugin,
    })),
    cookies: cookieTable(config.cookies, config.useSecureCookies ?? config.production),
    pages: config.pages,
    store: {
      backend: factsOf(registry.shelves.backend),
      namespaces: registry.shelves.taken.map(
        ({ namespace, plugin, needs: { isSound: _, ...needs } }) => ({ namespace, plugin, needs }),
      ),
    },
    adapter: registry.adapter ? { methods: methodsOf(registry.adapter) } : null,
  };
}
