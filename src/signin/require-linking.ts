import { type AdapterMethod, requireMethods } from "../storage/adapter.ts";
import type { Kernel } from "../types/kernel.ts";
import type { LinkRule } from "../types/sign-in.ts";

/** The adapter methods that each link rule requires. */
const REQUIRED_METHODS: Readonly<Record<LinkRule, readonly AdapterMethod[]>> = {
  none: [],
  email: ["getUserByEmail", "createUser", "updateUser"],
  account: ["getUserByAccount", "getUserByEmail", "createUser", "linkAccount"],
};

/**
 * Checks in a flow's tap of `ready` that the adapter, if there is one, has the methods that providers of these types
 * require.
 * @throws MissingAdapterMethods for the first provider without a required method.
 */
export function requireLinking(kernel: Kernel, types: readonly string[]): void {
  for (const { id, type } of kernel.providers.values()) {
    if (!types.includes(type)) continue;
    const { links = "account" } = kernel.flow(type);
    requireMethods(kernel, `signing in with "${id}"`, REQUIRED_METHODS[links]);
  }
}
