import { type StoreAdapter, createStoreAdapter } from "../../plugins/adapters/store/store.ts";
import { createStore } from "../../src/store.ts";
import type { StoreBackend } from "../../src/types.ts";

/** Our adapter on a backend, without a kernel around it. */
export function adapterOn(backend: StoreBackend, error = console.error): StoreAdapter {
  return createStoreAdapter({
    store: (namespace, { isSound } = {}) =>
      createStore({ namespace, backend: () => backend, logger: { error }, isSound }),
  });
}
