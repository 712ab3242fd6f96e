import { recordCalls } from "../platform/made-by.ts";
import { limitCalls, listAdapterMethods } from "../storage/adapter.ts";
import { findLostByAdapter } from "../storage/lost-methods.ts";
import type { Adapter } from "../types/adapter.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Plugin } from "../types/plugin.ts";
import { checkAddresses } from "./check-addresses.ts";
import { createEndedLogins } from "./ended-logins.ts";
import { createPostedFields } from "./posted-fields.ts";
import { requireLinking } from "./require-linking.ts";
import { STORED_USERS } from "./resolve-user.ts";

/**
 * Returns the plugin with the code that signs stored users in. An application without an adapter does not contain it.
 */
export const storedUsers: () => Plugin = recordCalls(function storedUsers(): Plugin {
  return {
    name: "stored-users",
    provides: ["service:storedUsers"],
    setup(kernel) {
      kernel.provide("storedUsers", {
        ...STORED_USERS,
        endedLogins: createEndedLogins(kernel),
        postedFields: createPostedFields(kernel),
        listMethods: listAdapterMethods,
        limitCalls: (adapter) => limitCalls(adapter, kernel.config.storageTimeout * 1000),
        findLost: findLostByAdapter,
        requireLinking,
        checkAddresses,
      });
    },
  };
});

/** Options of `defineAdapter`. */
export interface AdapterOptions {
  /** The name of the plugin. Default `adapter`. */
  name?: string;
  /** Plugins that this plugin brings, such as `databaseStrategy()` of `keyhook/strategies/database`. */
  plugins?: readonly Plugin[];
}

/**
 * Creates the plugin that sets an adapter and brings the code that finds, links and creates users. It provides the
 * capability `adapter`.
 * @param adapter The adapter, or a function that returns it for the kernel.
 * @example createAuth().use(defineAdapter(myAdapter))
 */
export function defineAdapter(
  adapter: Adapter | ((kernel: Kernel) => Adapter),
  { name = "adapter", plugins = [] }: AdapterOptions = {},
): Plugin {
  return {
    name,
    provides: ["adapter"],
    plugins: [storedUsers(), ...plugins],
    setup: (kernel) => kernel.setAdapter(typeof adapter === "function" ? adapter(kernel) : adapter),
  };
}
