import { didYouMean } from "../errors/did-you-mean.ts";
import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { nameType } from "../platform/type-name.ts";
import type { ProviderEntry } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Plugin } from "../types/plugin.ts";
import type { Provider, ProviderBase } from "../types/provider.ts";
import { reportThrown } from "./boot-faults.ts";
import { expectPlugin, isPlugin } from "./check-plugin.ts";
import { override } from "./define.ts";
import type { Registry } from "./registry.ts";

const PROVIDERS = { name: "`providers`", write: (value: string) => `providers: [${value}]` };

/**
 * Returns an entry of `providers` as a plugin. A plain provider object becomes a plugin that registers it.
 * @throws InvalidConfig for any other value.
 */
export function asPlugin(entry: ProviderEntry): Plugin {
  const value: Provider | Plugin = typeof entry === "function" ? entry() : entry;
  if (isPlugin(value)) return expectPlugin(value, PROVIDERS) as Plugin;
  const type = nameType(value);
  if (type !== "an object") {
    throw new InvalidConfig(
      `An entry of \`providers\` is ${type}: it must be a provider, or a function that returns one.`,
    );
  }
  // Auth.js providers keep the application's options in `options`.
  const provider = override<ProviderBase>(value, value.options);
  if ((provider.id as unknown) === undefined) {
    throw new InvalidConfig("An entry of `providers` has no `id`. Set it to a unique string.");
  }
  return {
    name: provider.id,
    provides: [`provider:${provider.id}`],
    setup: (kernel) => kernel.addProvider(provider),
  };
}

/** Completes each provider through its flow, and reports what the flow throws. */
export function resolveProviders(kernel: Kernel, registry: Registry, report: Report): void {
  for (const [id, provider] of registry.providers) {
    reportThrown(report, `The provider "${id}" cannot be used`, () => {
      const flow = registry.flows.get(provider.type);
      if ((provider.type as unknown) === undefined) {
        throw new InvalidConfig(
          `The provider "${id}" has no \`type\`. Set it to its flow's type, such as "oidc" or "credentials".`,
        );
      }
      if (!flow) {
        const fix =
          didYouMean(provider.type, registry.flows.keys()) ||
          " Use the plugin of its flow, or the standard preset.";
        throw new InvalidConfig(
          `The provider "${id}" has the type "${provider.type}", which no plugin handles.${fix}`,
        );
      }
      // The application's own object is not changed.
      const resolved = flow.resolve?.(provider, kernel) ?? provider;
      registry.providers.set(id, resolved === provider ? { ...provider } : resolved);
    });
  }
}
