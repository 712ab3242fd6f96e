import { describeMisspelled } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { isPromise } from "../platform/awaitable.ts";
import { isObject } from "../platform/is-object.ts";
import { isTextList } from "../platform/is-text-list.ts";
import { nameType } from "../platform/type-name.ts";
import type { Preset } from "../types/auth.ts";
import type { Plugin } from "../types/plugin.ts";

/** A place where a plugin is expected. */
export interface Place {
  /** The name of the place in messages. */
  readonly name: string;
  /** Returns the code that passes an expression to this place. */
  write(expression: string): string;
  /** Whether the place also accepts presets. */
  readonly presets?: true;
}

/** The argument of `auth.use`. */
export const USE: Place = { name: "use()", write: (value) => `use(${value})`, presets: true };

/** The entries of `plugins` of a plugin, a preset or the configuration. */
export function pluginList(owner: string): Place {
  return { name: `\`plugins\` of ${owner}`, write: (value) => `plugins: [${value}]` };
}

type Fields<T> = Readonly<Record<keyof T, true>>;

const PLUGIN: Fields<Plugin> = {
  name: true,
  requires: true,
  provides: true,
  conflicts: true,
  plugins: true,
  setup: true,
  init: true,
  extend: true,
};
const PLUGIN_FIELDS = Object.keys(PLUGIN);
// Plugins of providers and stores also have these fields.
const KNOWN_FIELDS = [...PLUGIN_FIELDS, "provider", "backend"];

const PRESET: Fields<Preset> = {
  name: true,
  extends: true,
  plugins: true,
  defaults: true,
  binding: true,
};
const PRESET_FIELDS = Object.keys(PRESET);

const NAME = /^[^\s\p{Cc}]{1,100}$/u;

/** Returns whether a value has the `setup` of a plugin. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof (value as Plugin | null | undefined)?.setup === "function";
}

/** Returns whether a value has the `plugins` of a preset, and is not a plugin. */
export function isPreset(value: unknown): value is Preset {
  return !isPlugin(value) && Array.isArray((value as Preset | null | undefined)?.plugins);
}

/** Creates the error for a value where a preset is expected. Its message begins with `where`. */
export function refusePreset(value: unknown, where: string): PluginError {
  return new PluginError(
    `${where} ${nameType(value)} that is not a preset: a preset has a list of \`plugins\`.`,
  );
}

// Explains why a value is neither a plugin nor a preset, and what to write instead.
function explain(value: unknown, { name: place, write, presets }: Place): string {
  if (typeof value === "function") {
    return value.name
      ? `"${value.name}" is a function. Call it: ${write(`${value.name}()`)}.`
      : `${place} received a function. Call it, and pass the plugin that it returns.`;
  }
  if (isPromise(value)) return `${place} received a promise. Await it: ${write("await ...")}.`;
  const wanted = presets ? "a plugin or a preset" : "a plugin";
  if (!isObject(value)) {
    return `${place} received ${nameType(value)} instead of ${wanted}.`;
  }
  const { id, type, name } = value;
  if (typeof id === "string" && typeof type === "string") {
    return `"${id}" in ${place} is a provider, not a plugin. Add it to \`providers\`.`;
  }
  const label = typeof name === "string" && name ? `"${name}"` : "An object";
  const preset = presets ? ", and a preset a list of `plugins`" : "";
  const hints = describeMisspelled(value, PLUGIN_FIELDS);
  const hint = hints && ` It${hints}`;
  return `${label} in ${place} is not ${wanted}: a plugin has a \`setup\` function${preset}.${hint}`;
}

// Describes what is wrong with the fields of a plugin or a preset.
function findFieldFault(value: Plugin | Preset, place: string): string | undefined {
  const kind = isPlugin(value) ? "plugin" : "preset";
  const name: unknown = value.name;
  if (typeof name !== "string" || name === "")
    return `A ${kind} in ${place} has no name. Set \`name\`.`;
  if (!NAME.test(name)) {
    return (
      `${JSON.stringify(name.slice(0, 100))} is not a valid name of a ${kind}: at most 100 characters, ` +
      "without white space."
    );
  }
  const { requires, provides, conflicts, init } = value as Partial<Record<keyof Plugin, unknown>>;
  for (const [field, list] of Object.entries({ requires, provides, conflicts })) {
    if (list !== undefined && !isTextList(list)) {
      return `\`${field}\` of the ${kind} "${name}" must be a list of names: ${field}: ["..."].`;
    }
  }
  if (init !== undefined && typeof init !== "function") {
    return `\`init\` of the ${kind} "${name}" must be a function.`;
  }
  return undefined;
}

/**
 * Returns a value that is a plugin, or a preset where one is accepted.
 * @throws PluginError for anything else; the message says what to write instead.
 */
export function expectPlugin(value: unknown, place: Place): Plugin | Preset {
  const isOne =
    typeof value === "object" && (isPlugin(value) || (place.presets && isPreset(value)));
  if (!isOne) throw new PluginError(explain(value, place));
  const fault = findFieldFault(value, place.name);
  if (fault !== undefined) throw new PluginError(fault);
  return value;
}

/** Returns the plugins in a list, and reports the other entries. */
export function filterPlugins(list: unknown, place: Place, report: Report): Plugin[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    report(new PluginError(`${place.name} must be a list: ${place.write("...")}.`));
    return [];
  }
  return list.flatMap((entry: unknown) => {
    try {
      return [expectPlugin(entry, place) as Plugin];
    } catch (fault) {
      report(fault as PluginError);
      return [];
    }
  });
}

/** Reports misspelled fields of a plugin or a preset. */
export function checkFieldNames(value: Plugin | Preset, report: Report): void {
  const [kind, fields] = isPlugin(value) ? ["plugin", KNOWN_FIELDS] : ["preset", PRESET_FIELDS];
  const hints = describeMisspelled(value, fields);
  if (hints) report(new PluginError(`The ${kind} "${value.name}"${hints}`));
}
