import { type StoreAdapter, createStoreAdapter } from "../../plugins/adapters/store.ts";
import { createStore } from "../../src/storage/store.ts";
import type { StoreBackend } from "../../src/types.ts";

/** Creates Keyhook's adapter on a backend, without a kernel. */
export function adapterOn(backend: StoreBackend, error = console.error): StoreAdapter {
  return createStoreAdapter({
    store: (namespace, { validate } = {}) =>
      createStore({ namespace, backend: () => backend, logger: { error }, validate }),
  });
}
