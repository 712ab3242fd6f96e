import type { Report } from "./config.ts";
import { PluginError } from "./errors.ts";
import type { Registrar } from "./hooks.ts";
import { createStore } from "./store.ts";
import { createSweeper } from "./sweep.ts";
import type { Kernel } from "./types/kernel.ts";
import type { Logger, ResolvedConfig } from "./types/options.ts";
import type { StoreBackend, StoreNeeds } from "./types/store.ts";

/** Who has taken which shelf, and what for. */
export interface Shelf {
  readonly namespace: string;
  readonly plugin: string;
  readonly needs: StoreNeeds;
}

/** The backend and the shelves in it, with what the kernel alone may do. */
export interface Shelves extends Pick<Kernel, "setStore" | "store"> {
  /** The backend in force, if there is one. */
  readonly backend: StoreBackend | undefined;
  readonly taken: readonly Shelf[];
  /** Reports what the backend cannot give to those who asked for a shelf. */
  check(config: Pick<ResolvedConfig, "production">, report: Report): void;
}

const STORES =
  "a store plugin to `use` (keyhook/plugins/stores/...), such as `redisStore(client)`, " +
  "`sqliteStore(file)` or `unstorageStore(storage)`";

function unmet(shelf: Shelf, backend: StoreBackend, production: boolean): string | undefined {
  const { atomic, durable } = shelf.needs;
  const { scope, consistency, durable: lasts } = backend.guarantees;
  if (atomic && (!backend.atomic || consistency !== "strong")) {
    return "needs one-time or unique records, which it cannot promise";
  }
  if (durable && production && (scope === "process" || !lasts)) {
    return "needs records that outlive the process, which it does not keep";
  }
  return undefined;
}

/** Makes the shelves. */
export function createShelves(registrar: Registrar, logger: Required<Logger>): Shelves {
  let backend: StoreBackend | undefined;
  let fallback: StoreBackend | undefined;
  const taken: Shelf[] = [];
  const sweep = createSweeper(logger);

  const open = (what: string): void => {
    if (registrar.frozen) {
      throw new PluginError(`${what} after the first request. Do it in a plugin's setup.`);
    }
  };

  const inForce = ({ optional }: StoreNeeds): StoreBackend => {
    const found = backend ?? (optional ? undefined : fallback);
    if (!found) throw new PluginError(`There is no store. Give ${STORES}.`);
    return found;
  };

  return {
    taken,
    get backend() {
      return backend ?? (taken.some(({ needs }) => !needs.optional) ? fallback : undefined);
    },
    setStore(given, setting = {}) {
      open("A store was set");
      if (setting.fallback) {
        fallback = given;
        return;
      }
      if (backend) {
        throw new PluginError(`Two stores are set (${backend.name}, ${given.name}). Drop one.`);
      }
      backend = given;
    },
    store<T>(namespace: string, needs: StoreNeeds = {}) {
      open("A shelf of the store was taken");
      const { plugin } = registrar;
      const other = taken.find((shelf) => shelf.namespace === namespace);
      if (other && other.plugin !== plugin) {
        throw new PluginError(
          `"${other.plugin}" and "${plugin}" both keep records in "${namespace}". Rename one.`,
        );
      }
      const store = createStore<T>({
        namespace,
        backend: () => inForce(needs),
        logger,
        isSound: needs.isSound,
        written: sweep,
      });
      taken.push({ namespace, plugin, needs });
      return store;
    },
    check({ production }, report) {
      const found = backend ?? fallback;
      const needed = taken.filter(({ needs }) => !needs.optional);
      if (!needed.length) return;
      const names = [...new Set(needed.map(({ plugin }) => `"${plugin}"`))].join(", ");
      if (!found || (!backend && production)) {
        const why = found ? `${found.name} is for development only` : "there is none";
        report(new PluginError(`A store is needed by ${names}, and ${why}. Give ${STORES}.`));
        return;
      }
      if (found !== backend) {
        logger.warn(
          "store-default",
          `No store is set: the records of ${names} lie in ${found.name} (development only).`,
        );
      }
      if (production && found.guarantees.scope === "process") {
        logger.warn(
          "store-process",
          `The records of ${names} are seen by this process alone: a second one would not know what ` +
            "is used up or taken.",
        );
      }
      // A plugin with many shelves has one reason.
      const faults = new Set<string>();
      for (const shelf of needed) {
        const reason = unmet(shelf, found, production);
        if (!reason) continue;
        faults.add(
          `"${shelf.plugin}" ${reason}: the store is "${found.name}". Mount a driver that can ` +
            `(redis, db0, fs, ...) where the records lie, or give ${STORES}, or drop ` +
            `"${shelf.plugin}".`,
        );
      }
      for (const fault of faults) report(new PluginError(fault));
    },
  };
}
