import { type MakeCall, withCall } from "../platform/made-by.ts";
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
 * @param call The call that makes the plugin, as for `definePlugin`.
 * @example createAuth().use(defineStore(myBackend))
 */
export function defineStore(backend: StoreBackend, call?: MakeCall): StorePlugin {
  const plugin: StorePlugin = {
    name: `stores/${backend.name}`,
    provides: ["store"],
    plugins: [records()],
    backend,
    setup: (kernel) => kernel.setStore(backend),
  };
  return call ? withCall(plugin, call) : plugin;
}
