import { opensUsers } from "../kernel/opens-users.ts";
import type { Kernel } from "../types/kernel.ts";
import type { ProviderBase } from "../types/provider.ts";

/**
 * Warns, where an address can lead to its user, of an adapter that takes away every account because it is not told which
 * ones a provider has attested, and of providers that say nothing of the addresses they state where the adapter could not
 * take an account away: then an account of a stranger stays with the user whose address is proved later (SECURITY.md R5).
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
