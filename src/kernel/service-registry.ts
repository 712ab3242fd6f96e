import { didYouMean } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Registrar } from "../hooks/hooks.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Plugin } from "../types/plugin.ts";
import { expectDeclared, findByCapability } from "./capability.ts";
import type { Owners } from "./owners.ts";

/** The services of a kernel. */
export interface ServiceRegistry extends Pick<Kernel, "provide" | "use" | "find"> {
  /** Reports services that a plugin declares but has not provided. */
  check(report: Report): void;
  /** Returns the provided services with their plugins. */
  list(): { name: string; plugin: string }[];
}

const PREFIX = "service:";

// Returns the capability of the plugin that provides a service.
function toCapability(service: string): string {
  return PREFIX + service;
}

/** Creates the registry of services of the plugins to set up. */
export function createServiceRegistry(
  registrar: Registrar,
  owners: Owners,
  plugins: readonly Plugin[],
): ServiceRegistry {
  const services = new Map<string, { plugin: string; api: unknown }>();

  const explainMissing = (name: string): string => {
    const capability = toCapability(name);
    const owner = findByCapability(plugins, capability)?.name;
    if (owner === undefined) {
      const fix =
        didYouMean(name, services.keys()) ||
        ` Add a plugin that provides it, or call kernel.find("${name}").`;
      return `No plugin provides the service "${name}".${fix}`;
    }
    const asking = plugins.find((one) => one.name === registrar.plugin);
    // Without a registering plugin, every plugin has been set up.
    const isLate =
      !asking ||
      asking.name === owner ||
      asking.requires?.some((it) => it === capability || it === owner);
    const text = `"${registrar.plugin}" uses the service "${name}", which "${owner}" has not provided`;
    return isLate
      ? `${text}.`
      : `${text} yet. Add requires: ["${capability}"] to "${registrar.plugin}".`;
  };

  return {
    provide(name, api) {
      const plugin = owners.claim("provide", `the service "${name}"`, "Drop or rename one.");
      expectDeclared(plugins, plugin, toCapability(name), `provides the service "${name}"`);
      services.set(name, { plugin, api });
    },
    use(name) {
      const service = services.get(name);
      if (!service) throw new PluginError(explainMissing(name));
      return service.api as never;
    },
    check(report) {
      for (const { name, provides = [] } of plugins) {
        for (const capability of provides.filter((one) => one.startsWith(PREFIX))) {
          const service = capability.slice(PREFIX.length);
          if (services.has(service)) continue;
          report(
            new PluginError(
              `"${name}" declares "${capability}" but does not provide it. Call kernel.provide("${service}", ...) in its ` +
                "`setup`.",
            ),
          );
        }
      }
    },
    find: (name) => services.get(name)?.api as never,
    list: () => [...services].map(([name, { plugin }]) => ({ name, plugin })),
  };
}
