import { didYouMean } from "../errors/did-you-mean.ts";
import { InvalidConfig, PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Registrar } from "../hooks/hooks.ts";
import type { EventName } from "../types/events.ts";
import type { AuthHooks } from "../types/kernel.ts";

/** The events of the kernel itself; plugins emit further ones. */
export const EVENTS: readonly EventName[] = [
  "createUser",
  "updateUser",
  "linkAccount",
  "session",
  "signIn",
  "signInFailed",
  "signOut",
  "endSession",
];

/**
 * Makes the hooks throw while plugins are set up when one is read that does not exist. Hooks that exist are
 * read as before: only what an object lacks is looked up in its prototype.
 */
export function rejectUnknownHooks(hooks: AuthHooks, registrar: Registrar): void {
  const prototype = new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (registrar.frozen || typeof key === "symbol" || key in target || key === "then") {
        return Reflect.get(target, key, receiver) as unknown;
      }
      const names = Object.keys(hooks);
      const hint =
        didYouMean(key, names) ||
        ` The hooks are: ${names.join(", ")}. If a plugin adds it, require that plugin.`;
      throw new PluginError(`There is no hook "${key}" (plugin "${registrar.plugin}").${hint}`);
    },
  });
  Object.setPrototypeOf(hooks, prototype);
}

/** Reports listeners of events whose names are misspelt. Other unknown ones may be a plugin's. */
export function checkEvents(
  listeners: Readonly<Record<string, readonly string[]>>,
  report: Report,
): void {
  for (const [name, plugins] of Object.entries(listeners)) {
    const hint = EVENTS.includes(name as EventName) ? "" : didYouMean(name, EVENTS);
    for (const plugin of hint ? new Set(plugins) : []) {
      report(
        plugin === "application"
          ? new InvalidConfig(`\`events.${name}\` is not an event.${hint}`)
          : new PluginError(`There is no event "${name}" (plugin "${plugin}").${hint}`),
      );
    }
  }
}
