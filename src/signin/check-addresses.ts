import { opensUsers } from "../kernel/opens-users.ts";
import type { Kernel } from "../types/kernel.ts";
import type { ProviderBase } from "../types/provider.ts";

/**
 * Warns of providers that say nothing of the addresses they state, where an address can lead to its user and the adapter
 * could not take an account away: then an account of a stranger stays with the user whose address is proved later
 * (SECURITY.md R5).
 */
export function checkAddresses(kernel: Kernel, silent: readonly ProviderBase[]): void {
  const { adapter, logger } = kernel;
  if (!adapter || adapter.revokeUserAccess || !silent.length || !opensUsers(kernel)) return;
  const ids = silent.map(({ id }) => `"${id}"`).join(", ");
  logger.warn(
    "email-not-stated",
    `Whether addresses of ${ids} are verified is not known, and the adapter has no \`revokeUserAccess\`: an account that ` +
      "was created with the address of another person stays after that person has proved it. Set `emailVerified: () => " +
      "true` on providers that verify addresses, or use an adapter that has the method.",
  );
}
