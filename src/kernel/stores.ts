import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Registrar } from "../hooks/hooks.ts";
import { KEYRING, type Spaces } from "../storage/space.ts";
import { createStore } from "../storage/store.ts";
import { createSweeper } from "../storage/sweep.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Logger, ResolvedConfig } from "../types/options.ts";
import type { StoreBackend, StoreRequirements } from "../types/store.ts";
import { checkFields } from "./check-parts.ts";
import { describeRivals } from "./owners.ts";

/** A namespace of the store, with the plugin that uses it and its requirements. */
export interface StoreNamespace {
  readonly namespace: string;
  readonly plugin: string;
  readonly requirements: StoreRequirements;
}

/** The backend and the plugins' stores in it, with the operations that only the kernel has. */
export interface StoreRegistry extends Pick<Kernel, "setStore" | "store"> {
  /** The backend in use, if there is one. */
  readonly backend: StoreBackend | undefined;
  /** Whether a store is set that is not the fallback: optional stores use no other. */
  readonly isSet: boolean;
  readonly namespaces: readonly StoreNamespace[];
  /** Replaces the backend, or the fallback where that is used, by what the function returns. */
  replace(replace: (backend: StoreBackend) => StoreBackend): void;
  /** Reports the requirements that no backend, or not this one, meets; warns of weak defaults. */
  check(config: Pick<ResolvedConfig, "production">, report: Report): void;
}

// Completes a sentence that begins with "Pass".
const STORE_PLUGIN =
  "a store plugin to `use` (keyhook/stores/...), such as `redisStore(client)`, " +
  "`sqliteStore(file)` or `unstorageStore(storage)`";

function unmet(
  store: StoreNamespace,
  backend: StoreBackend,
  production: boolean,
): string | undefined {
  const { atomic, durable } = store.requirements;
  const { scope, consistency, durable: lasts } = backend.guarantees;
  if (atomic && (!backend.atomic || consistency !== "strong")) {
    return `needs one-time or unique records, which the store "${backend.name}" cannot guarantee`;
  }
  if (durable && production && (scope === "process" || !lasts)) {
    return `needs records that outlive the process, which the store "${backend.name}" does not keep`;
  }
  return undefined;
}

/** Creates the registry of stores of a kernel; their records are in the `spaces` of its application. */
export function createStoreRegistry(
  registrar: Registrar,
  logger: Required<Logger>,
  spaces?: Spaces,
): StoreRegistry {
  let backend: StoreBackend | undefined;
  let owner: string | undefined;
  let fallback: StoreBackend | undefined;
  const namespaces: StoreNamespace[] = [];
  const sweep = createSweeper(logger);

  const open = (what: string): void => {
    if (registrar.frozen) {
      throw new PluginError(`${what} after the first request. Do it in a plugin's \`setup\`.`);
    }
  };

  const getBackend = ({ optional }: StoreRequirements): StoreBackend => {
    const found = backend ?? (optional ? undefined : fallback);
    if (!found) throw new PluginError(`No store is set. Pass ${STORE_PLUGIN}.`);
    return found;
  };

  return {
    namespaces,
    get backend() {
      return (
        backend ??
        (namespaces.some(({ requirements }) => !requirements.optional) ? fallback : undefined)
      );
    },
    get isSet() {
      return backend !== undefined;
    },
    replace(replace) {
      if (backend) backend = replace(backend);
      else if (fallback) fallback = replace(fallback);
    },
    setStore(given, setting = {}) {
      open(`The store "${given.name}" was set`);
      if (setting.fallback) {
        fallback = given;
        return;
      }
      if (owner !== undefined) {
        throw new PluginError(
          describeRivals([owner, registrar.plugin], "set", "a store", "Drop one."),
        );
      }
      backend = given;
      owner = registrar.plugin;
    },
    store<T>(namespace: string, requirements: StoreRequirements = {}) {
      open(`The store "${namespace}" was requested`);
      const { plugin } = registrar;
      checkFields(
        requirements,
        { kind: "store", name: `The store "${namespace}"`, plugin },
        "its requirements: { atomic, durable, optional, validate }",
      );
      const other = namespaces.find((store) => store.namespace === namespace);
      if (namespace === KEYRING) {
        const what = `the store namespace "${namespace}"`;
        throw new PluginError(describeRivals(["kernel", plugin], "use", what, "Rename one."));
      }
      if (other && other.plugin !== plugin) {
        const what = `the store namespace "${namespace}"`;
        throw new PluginError(describeRivals([other.plugin, plugin], "use", what, "Rename one."));
      }
      const space = requirements.unreadable === "error" ? spaces?.findLasting : spaces?.find;
      const store = createStore<T>({
        namespace,
        backend: () => getBackend(requirements),
        logger,
        validate: requirements.validate,
        unreadable: requirements.unreadable,
        ...(space && { space }),
        written: sweep,
      });
      namespaces.push({ namespace, plugin, requirements });
      return store;
    },
    check({ production }, report) {
      const found = backend ?? fallback;
      const needed = namespaces.filter(({ requirements }) => !requirements.optional);
      if (!needed.length) return;
      const names = [...new Set(needed.map(({ plugin }) => `"${plugin}"`))].join(", ");
      if (!found || (!backend && production)) {
        const why = found ? `${found.name} is for development only` : "none is set";
        report(
          new PluginError(`A store is required by ${names}, and ${why}. Pass ${STORE_PLUGIN}.`),
        );
        return;
      }
      if (found !== backend) {
        logger.warn(
          "store-default",
          `No store is set: the records of ${names} are kept in ${found.name} (development only). Pass ` +
            `${STORE_PLUGIN}.`,
        );
      }
      if (production && found.guarantees.scope === "process") {
        logger.warn(
          "store-process",
          `Only this process has the records of ${names}: a second process would accept used values and ` +
            "existing claims again. Use a store that all processes share.",
        );
      }
      // Several stores of one plugin with the same reason are one fault.
      const faults = new Set<string>();
      for (const store of needed) {
        const reason = unmet(store, found, production);
        if (!reason) continue;
        faults.add(
          `"${store.plugin}" ${reason}. Mount a driver that can (redis, db0, fs, ...) at the prefix of the ` +
            `records, or pass ${STORE_PLUGIN}, or drop "${store.plugin}".`,
        );
      }
      for (const fault of faults) report(new PluginError(fault));
    },
  };
}
