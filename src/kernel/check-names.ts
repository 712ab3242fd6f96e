import { didYouMean } from "../errors/did-you-mean.ts";
import { InvalidConfig, PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Registrar } from "../hooks/hooks.ts";
import type { EventName } from "../types/events.ts";
import type { AuthHooks } from "../types/kernel.ts";

/** The events of the kernel itself. Plugins emit others. */
export const EVENTS: readonly EventName[] = [
  "createUser",
  "updateUser",
  "linkAccount",
  "unlinkAccount",
  "session",
  "signIn",
  "signInPaused",
  "signInFailed",
  "signOut",
  "endSession",
];

/**
 * Makes reading a hook that does not exist throw while plugins are set up. Reading existing hooks costs nothing more,
 * since only missing properties are looked up in the prototype.
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

/** Reports listeners of events with misspelled names. Other unknown names may be a plugin's events. */
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
