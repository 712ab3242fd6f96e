import { PluginError } from "./errors.ts";
import type { Report } from "./config.ts";
import type { Preset } from "./types/auth.ts";
import type { Plugin } from "./types/kernel.ts";

/** Whether something is a plugin. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof (value as Plugin | null)?.setup === "function";
}

/** A preset with all it stands on, the ground first, each once. */
export function flattenPresets(presets: readonly Preset[]): Preset[] {
  const flat = new Map<string, Preset>();
  const add = (preset: Preset, path: readonly string[]): void => {
    if (path.includes(preset.name)) {
      throw new PluginError(
        `Presets extend one another in a circle: ${[...path, preset.name].join(" > ")}.`,
      );
    }
    for (const ground of preset.extends ?? []) add(ground, [...path, preset.name]);
    flat.set(preset.name, preset);
  };
  for (const preset of presets) add(preset, []);
  return [...flat.values()];
}

function nameFaults(plugins: readonly Plugin[], report: Report): void {
  const owners = new Map<string, string>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) {
      report(new PluginError(`Two plugins are named "${plugin.name}". Drop or rename one.`));
    }
    names.add(plugin.name);
    for (const capability of plugin.provides ?? []) {
      const owner = owners.get(capability);
      if (owner !== undefined && owner !== plugin.name) {
        report(
          new PluginError(
            `"${owner}" and "${plugin.name}" both provide "${capability}". Drop one.`,
          ),
        );
      }
      owners.set(capability, plugin.name);
    }
  }
}

/**
 * Puts plugins in order: as given, but each after what it requires. Missing, conflicting, circular
 * and twice named ones are reported, and the rest is ordered all the same.
 */
export function orderPlugins(plugins: readonly Plugin[], report: Report): Plugin[] {
  nameFaults(plugins, report);
  const providers = new Map<string, Plugin>();
  for (const plugin of plugins) {
    for (const name of [...(plugin.provides ?? []), plugin.name]) providers.set(name, plugin);
  }
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (ordered.has(plugin)) return;
    if (path.includes(plugin)) {
      const circle = [...path.slice(path.indexOf(plugin)), plugin].map(({ name }) => name);
      report(new PluginError(`Plugins require one another in a circle: ${circle.join(" > ")}.`));
      return;
    }
    for (const need of plugin.requires ?? []) {
      const provider = providers.get(need);
      if (provider) visit(provider, [...path, plugin]);
      else
        report(
          new PluginError(`"${plugin.name}" requires "${need}". Add a plugin that brings it.`),
        );
    }
    for (const rival of plugin.conflicts ?? []) {
      const other = providers.get(rival);
      if (other && other !== plugin) {
        report(new PluginError(`"${plugin.name}" cannot work beside "${other.name}". Drop one.`));
      }
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}
