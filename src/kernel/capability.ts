import { PluginError } from "../errors/errors.ts";
import type { Plugin } from "../types/plugin.ts";

/** Returns the plugin that provides a capability. */
export function findByCapability(
  plugins: readonly Plugin[],
  capability: string,
): Plugin | undefined {
  return plugins.find(({ provides }) => provides?.includes(capability));
}

/**
 * Checks that the named plugin declares the capability that it is about to provide.
 * @param action What the plugin does, such as `sets an adapter`.
 * @throws PluginError
 */
export function expectDeclared(
  plugins: readonly Plugin[],
  name: string,
  capability: string,
  action: string,
): void {
  if (plugins.some((one) => one.name === name && one.provides?.includes(capability))) return;
  throw new PluginError(
    `"${name}" ${action} without declaring it. Add provides: ["${capability}"] to "${name}".`,
  );
}
