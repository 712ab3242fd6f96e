import { describeMisspelled } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import { nameType } from "../platform/type-name.ts";
import type { TapOptions } from "../types/hook.ts";
import { nameTap } from "./name-tap.ts";

const FIELDS: Readonly<Record<keyof TapOptions, true>> = {
  name: true,
  stage: true,
  before: true,
  after: true,
};
// tapable adds `type` and `fn`.
const KNOWN_FIELDS = [...Object.keys(FIELDS), "type", "fn"];

/**
 * Checks the first argument of `tap`.
 * @throws PluginError that names hook, plugin and fix.
 */
export function checkTapOptions(options: unknown, hook: string, plugin: string): void {
  const fix = 'Name it: tap("name", fn), or tap({ name: "name", stage: "early" }, fn).';
  const text = `A tap of the hook ${hook} (plugin ${plugin})`;
  const type = nameType(options);
  if (type !== "an object" && type !== "a string") {
    throw new PluginError(`${text} has ${type} instead of a name. ${fix}`);
  }
  const given = (type === "a string" ? { name: options } : options) as { name?: unknown };
  const { name } = given;
  const hints = describeMisspelled(given, KNOWN_FIELDS);
  if (hints) {
    const label = typeof name === "string" ? nameTap({ name, plugin }, hook) : text;
    throw new PluginError(label + hints);
  }
  if (typeof name !== "string" || !name.trim())
    throw new PluginError(`${text} has no name. ${fix}`);
}
