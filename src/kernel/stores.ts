import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { andThen } from "../platform/awaitable.ts";
import { createOperations, toDirect, toStore } from "../storage/direct-store.ts";
import { checkNamespace, KEYRING } from "../storage/namespace.ts";
import type { Records } from "../storage/records.ts";
import { namePlugins, STORE_PLUGIN, type StoreNamespace } from "../storage/requirements.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { ResolvedConfig } from "../types/options.ts";
import type {
  DirectStore,
  Store,
  StoreBackend,
  StoreRequirements,
  SweepOptions,
} from "../types/store.ts";
import { checkFields } from "./check-parts.ts";
import type { Owners } from "./owners.ts";

/** The backend and the plugins' stores in it, with the operations that only the kernel has. */
export interface StoreRegistry extends Pick<Kernel, "setStore" | "store"> {
  /** The backend in use, if there is one. */
  readonly backend: StoreBackend | undefined;
  readonly namespaces: readonly StoreNamespace[];
  /** Replaces the backend, or the fallback if there is no other one, with the function's return value. */
  replace(replace: (backend: StoreBackend) => StoreBackend): void;
  /** Removes expired records and resolves to their number: 0 without a store. */
  sweep(options?: SweepOptions): Promise<number>;
  /** Reports requirements that the backend does not meet, or that lack a backend. Warns about weak defaults. */
  check(config: Pick<ResolvedConfig, "production">, report: Report): void;
}

function withoutRecords({ name }: StoreBackend): string {
  return `No plugin keeps records in the store "${name}". Create its plugin with defineStore() of keyhook/kernel.`;
}

// The plugin that keeps the records may be set up after the plugin that uses them.
function openLate<T>(open: () => Store<T>, hasBackend: () => boolean): Store<T> {
  let store: DirectStore<T> | undefined;
  const late = async (): Promise<DirectStore<T>> => {
    await undefined;
    return (store ??= toDirect(open()));
  };
  const opened = (): Awaitable<DirectStore<T>> => store ?? late();
  return toStore<T>({
    ...createOperations<T>((run) => andThen(opened(), run)),
    get isAvailable() {
      return hasBackend();
    },
    async *scan(group) {
      yield* (await late()).scan(group);
    },
  });
}

/**
 * Creates the registry of stores of a kernel.
 * @param findRecords Returns the service that keeps the records, once a plugin has provided it.
 */
export function createStoreRegistry(
  owners: Owners,
  findRecords: () => Records | undefined,
): StoreRegistry {
  let backend: StoreBackend | undefined;
  let fallback: StoreBackend | undefined;
  const namespaces: StoreNamespace[] = [];
  const nameSpace = (namespace: string) => `the store namespace "${namespace}"`;
  owners.give(nameSpace(KEYRING), "kernel");

  const findBackend = ({ optional }: StoreRequirements): StoreBackend | undefined =>
    backend ?? (optional ? undefined : fallback);
  const getBackend = (requirements: StoreRequirements): StoreBackend => {
    const found = findBackend(requirements);
    if (!found) throw new PluginError(`No store is set. Pass ${STORE_PLUGIN}.`);
    return found;
  };

  const getUsed = (): StoreBackend | undefined =>
    backend ??
    (namespaces.some(({ requirements }) => !requirements.optional) ? fallback : undefined);

  return {
    namespaces,
    get backend() {
      return getUsed();
    },
    replace(replace) {
      if (backend) backend = replace(backend);
      else if (fallback) fallback = replace(fallback);
    },
    async sweep(options) {
      const used = getUsed();
      return (used && (await findRecords()?.sweep(used, options))) ?? 0;
    },
    setStore(given, setting = {}) {
      if (setting.fallback) {
        owners.open("a store");
        fallback = given;
        return;
      }
      owners.claim("set", "a store", "Drop one.");
      backend = given;
    },
    store<T>(namespace: string, requirements: StoreRequirements = {}) {
      const again = true;
      const plugin = owners.claim("use", nameSpace(namespace), "Rename one.", { again });
      checkFields(
        requirements,
        { kind: "store", name: `The store "${namespace}"`, plugin },
        "its requirements: { atomic, durable, optional, validate, unreadable }",
      );
      checkNamespace(namespace);
      const open = () => {
        const found = getBackend(requirements);
        const opened = findRecords()?.open<T>(
          namespace,
          () => getBackend(requirements),
          requirements,
        );
        if (opened) return opened;
        throw new PluginError(withoutRecords(found));
      };
      namespaces.push({ namespace, plugin, requirements });
      return openLate<T>(open, () => findBackend(requirements) !== undefined);
    },
    check({ production }, report) {
      const needed = namespaces.filter(({ requirements }) => !requirements.optional);
      const found = backend ?? (needed.length ? fallback : undefined);
      const records = findRecords();
      if (needed.length && (!found || (!backend && production))) {
        const why = found ? `${found.name} is for development only` : "none is set";
        const names = namePlugins(needed);
        report(
          new PluginError(`A store is required by ${names}, and ${why}. Pass ${STORE_PLUGIN}.`),
        );
      } else if (found && !records) {
        report(new PluginError(withoutRecords(found)));
      } else if (found && needed.length) {
        records?.check({ needed, backend: found, isFallback: found !== backend }, report);
      }
    },
  };
}
