import { didYouMean } from "../errors/did-you-mean.ts";
import { InvalidConfig, PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { isPromise } from "../platform/awaitable.ts";
import { isObject } from "../platform/is-object.ts";
import { findMakeCall } from "../platform/made-by.ts";
import type { Preset } from "../types/auth.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Logger } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import { filterPlugins, isPlugin, isPreset, pluginList, refusePreset } from "./check-plugin.ts";

/**
 * Returns the presets with those that they extend, each once, extended ones first. Circles and values that are not
 * presets are reported.
 */
export function flattenPresets(presets: readonly Preset[], report: Report): Preset[] {
  const flat = new Map<string, Preset>();
  const add = (preset: Preset, path: readonly string[]): void => {
    const chain = [...path, preset.name];
    if (path.includes(preset.name)) {
      const text = `Presets extend one another in a circle: ${chain.join(" > ")}.`;
      report(new PluginError(`${text} Drop one \`extends\`.`));
      return;
    }
    for (const base of preset.extends ?? []) {
      if (isPreset(base)) add(base, chain);
      else {
        report(refusePreset(base, `\`extends\` of the preset "${preset.name}" contains`));
      }
    }
    flat.set(preset.name, preset);
  };
  for (const preset of presets) add(preset, []);
  return [...flat.values()];
}

/** Returns the plugins of presets. Other values are reported. */
export function listPresetPlugins(presets: readonly Preset[], report: Report): Plugin[] {
  return presets.flatMap(({ name, plugins }) =>
    filterPlugins(plugins, pluginList(`the preset "${name}"`), report),
  );
}

/**
 * Runs the `setup` of a plugin.
 * @throws PluginError when it is asynchronous, because boot does not wait for it.
 */
export function setUpPlugin(plugin: Plugin, kernel: Kernel): void {
  const result: unknown = plugin.setup(kernel);
  if (!isPromise(result)) return;
  // Later registrations of this plugin are refused. That rejection must not end the process.
  Promise.resolve(result).catch(() => {});
  throw new PluginError(
    `\`setup\` of the plugin "${plugin.name}" is asynchronous. Await in \`init(kernel)\`, which runs before the first ` +
      "request.",
  );
}

// A plugin whose name or capability is already present is reported and left out: its setup could only repeat the fault.
function withoutRivals(plugins: readonly Plugin[], report: Report): Set<Plugin> {
  const owners = new Map<string, string>();
  const names = new Set<string>();
  const unique = plugins.filter((plugin) => {
    const { name, provides = [] } = plugin;
    const rival = provides.find((capability) => (owners.get(capability) ?? name) !== name);
    const isTwice = names.has(name);
    names.add(name);
    for (const capability of provides) owners.set(capability, owners.get(capability) ?? name);
    if (isTwice) {
      report(
        provides.includes(`provider:${name}`)
          ? new InvalidConfig(
              `Two providers have the id "${name}". Set another \`id\` on one of them.`,
            )
          : new PluginError(`Two plugins are named "${name}". Drop or rename one.`),
      );
    } else if (rival !== undefined) {
      report(
        new PluginError(`"${owners.get(rival)}" and "${name}" both provide "${rival}". Drop one.`),
      );
    }
    return !isTwice && rival === undefined;
  });
  return new Set(unique);
}

function listBroughtPlugins({ plugins }: Plugin): Plugin[] {
  return Array.isArray(plugins) ? plugins.filter(isPlugin) : [];
}

// Tests whether a plugin was made with options, as far as its call is known.
function hasOptions(plugin: Plugin): boolean {
  const [, ...options] = findMakeCall(plugin) ?? [];
  return options.some(
    (one) => one !== undefined && (!isObject(one) || Object.keys(one).length > 0),
  );
}

function listCapabilities({ name, provides = [] }: Plugin): readonly string[] {
  return provides.length ? provides : [name];
}

/**
 * Collects the plugins to set up: those of the application and its presets, and those that any of them brings in
 * `plugins`. A preset's plugin is left out if the application or a later preset has one with the same name or
 * capabilities. A brought plugin is left out if any collected plugin has them. Brought values that are not plugins are
 * reported. A warning is logged if a plugin with options is left out.
 */
export function collectPlugins(
  application: readonly Plugin[],
  presets: readonly Plugin[],
  report: Report,
  { warn }: Pick<Required<Logger>, "warn">,
): Plugin[] {
  const present = new Set<string>();
  const add = (plugin: Plugin) => {
    for (const name of [plugin.name, ...listCapabilities(plugin)]) present.add(name);
  };
  const isPresent = (plugin: Plugin) =>
    present.has(plugin.name) || listCapabilities(plugin).every((name) => present.has(name));

  for (const plugin of application) add(plugin);
  const defaults: Plugin[] = [];
  for (const plugin of presets.toReversed()) {
    if (isPresent(plugin)) continue;
    add(plugin);
    defaults.unshift(plugin);
  }
  const collected: Plugin[] = [];
  const collect = (plugin: Plugin): void => {
    for (const added of filterPlugins(plugin.plugins, pluginList(`"${plugin.name}"`), report)) {
      if (isPresent(added)) {
        if (hasOptions(added)) {
          warn(
            "plugin-left-out",
            `"${plugin.name}" adds "${added.name}" with options that have no effect: an equivalent plugin is in use. ` +
              "Pass the options to that plugin.",
          );
        }
        continue;
      }
      add(added);
      collect(added);
    }
    collected.push(plugin);
  };
  for (const plugin of [...defaults, ...application]) collect(plugin);
  return collected;
}

/**
 * Orders plugins: as given, but each after the plugins that it requires or brings. Missing, conflicting, circular and
 * duplicate plugins are reported, and the rest is ordered anyway. `configured` lists the capabilities that the
 * configuration provides itself.
 */
export function orderPlugins(
  plugins: readonly Plugin[],
  report: Report,
  configured: readonly string[] = [],
): Plugin[] {
  const unique = withoutRivals(plugins, report);
  const providers = new Map<string, Plugin>();
  for (const plugin of [...plugins, ...unique]) {
    for (const name of [...(plugin.provides ?? []), plugin.name]) providers.set(name, plugin);
  }
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (ordered.has(plugin)) return;
    if (path.includes(plugin)) {
      const circle = [...path.slice(path.indexOf(plugin)), plugin].map(({ name }) => name);
      report(
        new PluginError(
          `Plugins require one another in a circle: ${circle.join(" > ")}. Drop one \`requires\`.`,
        ),
      );
      return;
    }
    const brought = listBroughtPlugins(plugin).flatMap((one) => [
      one.name,
      ...listCapabilities(one),
    ]);
    for (const provider of new Set(brought.map((name) => providers.get(name)))) {
      if (provider && provider !== plugin) visit(provider, [...path, plugin]);
    }
    for (const required of plugin.requires ?? []) {
      const provider = providers.get(required);
      if (provider) visit(provider, [...path, plugin]);
      else if (!configured.includes(required)) {
        const others = [...providers.keys()].filter((name) => providers.get(name) !== plugin);
        const fix = didYouMean(required, others) || " Add a plugin that provides it.";
        report(new PluginError(`"${plugin.name}" requires "${required}".${fix}`));
      }
    }
    for (const conflict of plugin.conflicts ?? []) {
      const other = providers.get(conflict);
      if (other && other !== plugin) {
        report(new PluginError(`"${plugin.name}" conflicts with "${other.name}". Drop one.`));
      }
    }
    ordered.add(plugin);
  };
  for (const plugin of unique) visit(plugin, []);
  return [...ordered].filter((plugin) => unique.has(plugin));
}
