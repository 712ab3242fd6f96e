import { type AuthError, PluginError } from "../errors/errors.ts";
import type { Registrar } from "../hooks/hooks.ts";

const OWNERS: Readonly<Record<string, string>> = {
  kernel: "the kernel",
  application: "the configuration",
};

/** Returns who registers, for a message: `"a"`, `the kernel` or `the configuration`. */
export function nameOwner(plugin: string): string {
  return OWNERS[plugin] ?? `"${plugin}"`;
}

/** Returns the message about one thing that two plugins register, or one plugin twice. */
export function describeRivals(
  owners: readonly [first: string, second: string],
  verb: string,
  what: string,
  mend: string,
): string {
  const [first, second] = owners.map(nameOwner) as [string, string];
  const text =
    first === second
      ? `${first} ${verb}s ${what} twice`
      : `${first} and ${second} both ${verb} ${what}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. ${mend}`;
}

/**
 * Checks that the registration is not closed yet.
 * @param what The beginning of the message: `The route GET /x was added`.
 * @throws PluginError
 */
export function expectOpen({ frozen }: Registrar, what: string): void {
  if (frozen) {
    throw new PluginError(`${what} after the first request. Do it in a plugin's \`setup\`.`);
  }
}

/** Who registered what. */
export interface Owners {
  /**
   * Notes that the plugin that is set up registers something.
   * @throws PluginError, or an error of the class, that names both plugins when it is registered already.
   */
  claim(verb: string, what: string, mend: string, Fault?: typeof AuthError): void;
}

/** Creates the owners of a kernel; `given` are those of what is registered before any plugin. */
export function createOwners(registrar: Registrar, given: Iterable<[string, string]>): Owners {
  const owners = new Map(given);
  return {
    claim(verb, what, mend, Fault = PluginError) {
      const owner = owners.get(what);
      if (owner !== undefined) {
        throw new Fault(describeRivals([owner, registrar.plugin], verb, what, mend));
      }
      owners.set(what, registrar.plugin);
    },
  };
}
