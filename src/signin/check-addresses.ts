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
      "The adapter has `revokeUserAccess` but not `createUserWithAccount`, which receives the addresses that a provider has " +
        "verified: the first e-mail link that a user opens also removes the user's own accounts. Add " +
        "`createUserWithAccount`, and store `emailAttested` and `verifiedEmail`, or use an adapter that has both methods.",
    );
  }
  if (adapter.revokeUserAccess || !silent.length) return;
  const ids = silent.map(({ id }) => `"${id}"`).join(", ");
  logger.warn(
    "email-not-stated",
    `It is not known whether ${ids} verified an address, and the adapter has no \`revokeUserAccess\`: an account that ` +
      "was created with another person's address remains after that person verifies the address. Set `emailVerified: () => " +
      "true` on providers that verify addresses, or use an adapter that has the method.",
  );
}
