import { type AuthError, PluginError } from "../errors/errors.ts";
import { expectOpen } from "../hooks/expect.ts";
import type { Registrar } from "../hooks/hooks.ts";

const OWNERS: Readonly<Record<string, string>> = {
  kernel: "the kernel",
  application: "the configuration",
};

/** Returns the name of the registering plugin for a message: `"a"`, `the kernel` or `the configuration`. */
export function nameOwner(plugin: string): string {
  return OWNERS[plugin] ?? `"${plugin}"`;
}

/** Returns the message about a thing that two plugins, or one plugin twice, register. */
export function describeRivals(
  owners: readonly [first: string, second: string],
  verb: string,
  what: string,
  fix: string,
): string {
  const [first, second] = owners.map(nameOwner) as [string, string];
  const text =
    first === second
      ? `${first} ${verb}s ${what} twice`
      : `${first} and ${second} both ${verb} ${what}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. ${fix}`;
}

/** How something may be claimed. */
export interface ClaimOptions {
  /** Whether the plugin that registered it may register it again. */
  readonly again?: true;
  /** The class of the error that names both plugins. Default `PluginError`. */
  readonly Fault?: typeof AuthError;
}

/** Records which plugin registered what, such as `the cookie "shop"`. */
export interface Owners {
  /** Records the owner of something before any plugin is set up. */
  give(what: string, owner: string): void;
  /**
   * Returns the name of the plugin that is being set up, for something that it registers.
   * @throws PluginError when the registration is closed.
   */
  open(what: string): string;
  /**
   * Records that the plugin being set up registers something that must be unique, and returns the plugin's name.
   * @throws PluginError when the registration is closed; the fault that names both plugins when it is already
   * registered.
   */
  claim(verb: string, what: string, fix: string, options?: ClaimOptions): string;
}

/** Creates the owners of a kernel. */
export function createOwners(registrar: Registrar): Owners {
  const known = new Map<string, string>();
  const open = (what: string): string => {
    const { frozen, plugin } = registrar;
    expectOpen(frozen, `It is too late to register ${what} after the first request`);
    return plugin;
  };
  return {
    give: (what, owner) => void known.set(what, owner),
    open,
    claim(verb, what, fix, { again, Fault } = {}) {
      const plugin = open(what);
      const owner = known.get(what);
      if (owner !== undefined && !(again && owner === plugin)) {
        const text = describeRivals([owner, plugin], verb, what, fix);
        throw Fault ? new Fault(text) : new PluginError(text);
      }
      known.set(what, plugin);
      return plugin;
    },
  };
}
