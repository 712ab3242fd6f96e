import type { StoreBackend, StorePlugin } from "../../../src/index.ts";
import { backendOf } from "./drivers.ts";
import { placeOf, type Storage } from "./storage.ts";

/** Options of the unstorage store. */
export interface UnstorageStoreOptions {
  /** Where in the storage records lie. Default `keyhook`; mount a driver there to give them their own. */
  base?: string;
}

/** Records where a storage's driver keeps its items, by the driver's native operations. */
export function unstorageBackend(
  storage: Storage,
  { base = "keyhook" }: UnstorageStoreOptions = {},
): StoreBackend {
  return backendOf(placeOf(storage, base));
}

/**
 * Keeps records in a storage of unstorage, version 1.17 or 2: beside its items, not as items, since the
 * storage itself cannot promise that a value is used once.
 * @example createAuth().use(unstorageStore(createStorage({ driver: redisDriver({ url }) })))
 */
export default function unstorageStore(
  storage: Storage,
  options?: UnstorageStoreOptions,
): StorePlugin {
  // Looked up at boot: drivers are mounted after this is called, and before the first request.
  let made: StoreBackend | undefined;
  const plugin: StorePlugin = {
    name: "store:unstorage",
    get backend() {
      return (made ??= unstorageBackend(storage, options));
    },
    setup: (kernel) => kernel.setStore(plugin.backend),
  };
  return plugin;
}
