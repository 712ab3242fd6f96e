import { didYouMean } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import type { Registrar } from "../hooks/hooks.ts";
import type { RegisteredRoute, Route } from "../types/kernel.ts";
import { describeRivals, nameOwner, type Owners } from "./owners.ts";
import { checkRoute, toRouteKey } from "./route.ts";

/** The routes of a kernel. */
export interface RouteTable {
  /** Keyed by method and path. */
  readonly routes: ReadonlyMap<string, RegisteredRoute>;
  /** Returns the route of a method and a path, as it was registered. */
  find(method: string, path: string): RegisteredRoute | undefined;
  /**
   * Registers a route.
   * @throws PluginError that names the plugin, and the other plugin if both register the same route.
   */
  add(route: Route): void;
}

/** Creates the routes of a kernel. */
export function createRouteTable(registrar: Registrar, owners: Owners): RouteTable {
  const routes = new Map<string, RegisteredRoute>();
  /** The plugin that replaced a route, by the route's key. */
  const replacing = new Map<string, string>();

  const explainMissing = ({ method, path }: Route): string => {
    const known = [...routes.values()];
    const names = known.map((one) => `${one.method} ${one.path}`);
    const same = known.find((one) => one.path === path);
    const hint = same
      ? ` Did you mean "${same.method} ${same.path}"?`
      : didYouMean(`${method} ${path}`, names);
    return (
      `${nameOwner(registrar.plugin)} replaces the route ${method} ${path}, which does not exist.` +
      (hint || " Require the plugin that registers it, or drop `replaces`.")
    );
  };

  return {
    routes,
    find: (method, path) => routes.get(toRouteKey(method, path)),
    add(given) {
      const { plugin } = registrar;
      checkRoute(given, plugin);
      owners.open(`the route ${given.method} ${given.path}`);
      const key = toRouteKey(given.method, given.path);
      const other = routes.get(key);
      // A registered route names its plugin, which stays its owner when another plugin only wraps the handler.
      const route: RegisteredRoute = { plugin, ...given };
      if (!other && given.replaces) throw new PluginError(explainMissing(given));
      if (other && !given.replaces) {
        const fix = "Drop one, or set `replaces: true`.";
        const what = `the route ${other.method} ${other.path}`;
        throw new PluginError(describeRivals([other.plugin, plugin], "register", what, fix));
      }
      if (other && !("plugin" in given)) {
        const rival = replacing.get(key) ?? plugin;
        if (rival !== plugin) {
          const what = `the route ${other.method} ${other.path}`;
          throw new PluginError(describeRivals([rival, plugin], "replace", what, "Drop one."));
        }
        replacing.set(key, plugin);
      }
      routes.set(key, route);
    },
  };
}
