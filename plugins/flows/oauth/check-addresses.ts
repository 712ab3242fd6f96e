import { opensUsers } from "../../../src/_kit.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { AnyOAuthProvider } from "./types.ts";

/**
 * Warns of providers that say nothing of the addresses they state, where an address can lead to its user and the adapter
 * could not take an account away: then an account of a stranger stays with the user whose address is proved later
 * (SECURITY.md R5). What a provider of OpenID Connect says is in its ID token.
 */
export function checkAddresses(kernel: Kernel): void {
  const { adapter, providers, logger } = kernel;
  if (!adapter || adapter.revokeUserAccess || !opensUsers(kernel)) return;
  const silent = [...providers.values()].filter(
    (provider) => provider.type === "oauth" && !(provider as AnyOAuthProvider).emailVerified,
  );
  if (!silent.length) return;
  const ids = silent.map(({ id }) => `"${id}"`).join(", ");
  logger.warn(
    "email-not-stated",
    `Whether addresses of ${ids} are verified is not known, and the adapter has no \`revokeUserAccess\`: an account that ` +
      "was created with the address of another person stays after that person has proved it. Set `emailVerified: () => " +
      "true` on providers that verify addresses, or use an adapter that has the method.",
  );
}
