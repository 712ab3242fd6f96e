import { PluginError } from "../errors/errors.ts";
import { findMisspelt } from "../platform/spelling.ts";
import { nameType } from "../platform/type-name.ts";
import type { TapOptions } from "../types/hook.ts";

const FIELDS: Readonly<Record<keyof TapOptions, true>> = {
  name: true,
  stage: true,
  before: true,
  after: true,
};
// tapable adds them.
const KNOWN_FIELDS = [...Object.keys(FIELDS), "type", "fn"];

/**
 * Checks the first argument of `tap`.
 * @throws PluginError that names hook, plugin and mend.
 */
export function checkTapOptions(options: unknown, hook: string, plugin: string): void {
  const mend = 'Name it: tap("name", fn), or tap({ name: "name", stage: "early" }, fn).';
  const text = `A tap of the hook ${hook} (plugin ${plugin})`;
  const type = nameType(options);
  if (type !== "an object" && type !== "a string") {
    throw new PluginError(`${text} has ${type} in place of its name. ${mend}`);
  }
  const { name } = (type === "a string" ? { name: options } : options) as { name?: unknown };
  const [misspelt] = type === "a string" ? [] : findMisspelt(options as object, KNOWN_FIELDS);
  if (misspelt) {
    const [given, meant] = misspelt;
    const label =
      typeof name === "string" ? `The tap "${name}" (plugin ${plugin}) of the hook ${hook}` : text;
    throw new PluginError(
      `${label} has the option "${given}", which does not exist. Did you mean "${meant}"?`,
    );
  }
  if (typeof name !== "string" || !name.trim())
    throw new PluginError(`${text} has no name. ${mend}`);
}
