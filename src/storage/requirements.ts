import { PluginError } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import type { StoreBackend, StoreRequirements } from "../types/store.ts";

/** A namespace of the store, with the plugin that uses it and its requirements. */
export interface StoreNamespace {
  readonly namespace: string;
  readonly plugin: string;
  readonly requirements: StoreRequirements;
}

/** The stores that need a backend, and the backend. */
export interface StoreNeeds {
  readonly needed: readonly StoreNamespace[];
  readonly backend: StoreBackend;
  /** Whether the backend is the development default. */
  readonly isFallback: boolean;
}

/** Completes a sentence that begins with "Pass". */
export const STORE_PLUGIN: string =
  "a store plugin to `use` (keyhook/stores/...), such as `sqliteStore(file)`, `redisStore(client)` or `db0Store(database)` " +
  "(D1 of a Worker), or set `auth.storage` or `auth.database` in Nuxt";

/** Returns the names of the plugins that need a store, for a message. */
export function namePlugins(needed: readonly StoreNamespace[]): string {
  return [...new Set(needed.map(({ plugin }) => `"${plugin}"`))].join(", ");
}

function unmet(
  store: StoreNamespace,
  backend: StoreBackend,
  production: boolean,
): string | undefined {
  const { atomic, durable } = store.requirements;
  const { consistency, durable: lasts } = backend.guarantees;
  if (atomic && (!backend.atomic || consistency !== "strong")) {
    return `needs one-time or unique records, which the store "${backend.name}" cannot guarantee`;
  }
  if (durable && production && !lasts) {
    return `needs records that outlive the process, which the store "${backend.name}" does not keep`;
  }
  return undefined;
}

/** Reports requirements that the backend does not meet. Warns about weak defaults. */
export function checkRequirements(
  { needed, backend, isFallback }: StoreNeeds,
  { production, logger, report }: Reporter & { production: boolean },
): void {
  const names = namePlugins(needed);
  if (isFallback) {
    logger.warn(
      "store-default",
      `No store is set: the records of ${names} are kept in ${backend.name} (development only). Pass ` +
        `${STORE_PLUGIN}.`,
    );
  }
  if (production && backend.guarantees.scope === "process") {
    logger.warn(
      "store-process",
      `Only this process has the records of ${names}: a second process would accept used values and ` +
        "existing claims again. Use a store that all processes share.",
    );
  }
  // Several stores of one plugin with the same reason count as one fault.
  const faults = new Set<string>();
  for (const store of needed) {
    const reason = unmet(store, backend, production);
    if (!reason) continue;
    faults.add(
      `"${store.plugin}" ${reason}. Mount a driver that can (redis, db0, fs, ...) at the prefix of the ` +
        `records, or pass ${STORE_PLUGIN}, or drop "${store.plugin}".`,
    );
  }
  for (const fault of faults) report(new PluginError(fault));
}
