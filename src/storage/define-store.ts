import type { Plugin } from "../types/plugin.ts";
import type { StoreBackend } from "../types/store.ts";
import { records } from "./records.ts";

/** A plugin that sets a backend. */
export interface StorePlugin extends Plugin {
  /** The backend, for `sweepStore`, tests and tools. */
  readonly backend: StoreBackend;
}

/**
 * Creates the plugin that sets a backend and brings the code that keeps records in it. It provides the capability
 * `store`.
 * @example createAuth().use(defineStore(myBackend))
 */
export function defineStore(backend: StoreBackend): StorePlugin {
  return {
    name: `stores/${backend.name}`,
    provides: ["store"],
    plugins: [records()],
    backend,
    setup: (kernel) => kernel.setStore(backend),
  };
}
