import { records } from "../../src/_kit.ts";
import { definePlugin, type StoreBackend, type StorePlugin } from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { createBackend } from "./unstorage/drivers.ts";
import { getMount, type Storage } from "./unstorage/storage.ts";

/** Options of the unstorage store. */
export interface UnstorageStoreOptions {
  /** Base key of the records in the storage. Default `keyhook`. Mount a separate driver there. */
  base?: string;
  /**
   * The mount of the storage that contains `base`, such as `auth`. Boot reports a mount that does not exist. Default:
   * the driver for the keys of `base`, which may be the driver of the whole storage.
   */
  mount?: string;
}

const REQUIREMENT: ClientRequirement = {
  store: "unstorageStore",
  fix: "a storage of unstorage: unstorageStore(createStorage({ driver }))",
};

/**
 * Creates a backend on the driver that is mounted at `base`, through the driver's native operations.
 * @throws Error when the mount does not exist, or when the driver is read-only or may evict records.
 */
export function unstorageBackend(
  storage: Storage,
  { base = "keyhook", mount }: UnstorageStoreOptions = {},
): StoreBackend {
  return createBackend(getMount(storage, base, mount));
}

/**
 * Stores records through a driver of an unstorage storage (version 1.17 or 2). Records are next to the storage's items,
 * not items themselves, because unstorage's own methods cannot guarantee that a value is used only once. Drivers
 * without atomic operations are refused for one-time values and unique claims.
 * @throws InvalidConfig for a value that is not a storage, such as a driver.
 * @example createAuth().use(unstorageStore(createStorage({ driver: redisDriver({ url }) })))
 */
export const unstorageStore: (storage: Storage, options?: UnstorageStoreOptions) => StorePlugin =
  definePlugin(function unstorageStore(storage, options): StorePlugin {
    expectClient(storage, ["getMount"], REQUIREMENT);
    // Created at boot, because drivers may be mounted after this call.
    let backend: StoreBackend | undefined;
    const plugin: StorePlugin = {
      name: "stores/unstorage",
      provides: ["store"],
      plugins: [records()],
      get backend() {
        return (backend ??= unstorageBackend(storage, options));
      },
      setup: (kernel) => kernel.setStore(plugin.backend),
    };
    return plugin;
  });

export default unstorageStore;
