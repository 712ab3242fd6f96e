import { opensUsers } from "../kernel/opens-users.ts";
import type { Kernel } from "../types/kernel.ts";
import type { ProviderBase } from "../types/provider.ts";

/**
 * Warns about two risks where an address can lead to its user (SECURITY.md R5):
 * - An adapter removes every account at the first verification, because it does not receive which ones a provider has
 *   attested.
 * - Providers say nothing about the addresses they state, and the adapter cannot remove an account. A stranger's
 *   account would then stay with the user whose address is proved later.
 */
export function checkAddresses(kernel: Kernel, silent: readonly ProviderBase[]): void {
  const { adapter, logger } = kernel;
  if (!adapter || !opensUsers(kernel)) return;
  if (adapter.revokeUserAccess && !adapter.createUserWithAccount) {
    logger.warn(
      "adapter-not-told",
      "The adapter has `revokeUserAccess` and not `createUserWithAccount`, which is told the addresses that a provider has " +
        "verified: the first link by e-mail that a user opens removes the accounts that are the user's own. Add " +
        "`createUserWithAccount`, and keep `emailAttested` and `verifiedEmail`, or use an adapter that has both.",
    );
  }
  if (adapter.revokeUserAccess || !silent.length) return;
  const ids = silent.map(({ id }) => `"${id}"`).join(", ");
  logger.warn(
    "email-not-stated",
    `Whether addresses of ${ids} are verified is not known, and the adapter has no \`revokeUserAccess\`: an account that ` +
      "was created with the address of another person stays after that person has proved it. Set `emailVerified: () => " +
      "true` on providers that verify addresses, or use an adapter that has the method.",
  );
}
