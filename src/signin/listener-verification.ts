import { findUserByAccount } from "../storage/adapter.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { User } from "../types/models.ts";
import type { CompleteIdentity } from "./identity.ts";
import { isSameUser } from "./link-request.ts";

/**
 * Returns the user with `emailVerified` as a listener of `createUser` or `linkAccount` stored it, a common pattern in
 * applications of Auth.js. Otherwise, this session would count as older than the verification and end. The user is
 * looked up by the account, not by id: if another person verified the address concurrently, the account has been
 * removed, and the stale user is returned unchanged.
 */
export async function readVerification(
  { kernel }: AuthContext,
  adapter: Adapter,
  user: (AdapterUser | User) & { emailVerified?: Date | null },
  { account }: CompleteIdentity,
): Promise<AdapterUser | User> {
  const { createUser, linkAccount: linked } = kernel.config.events;
  if (!(createUser ?? linked) || !user.email || user.emailVerified) return user;
  const { provider, providerAccountId } = account;
  const stored = await findUserByAccount(adapter, { provider, providerAccountId });
  return stored?.email === user.email && isSameUser(stored, user) && stored.emailVerified
    ? { ...user, emailVerified: stored.emailVerified }
    : user;
}
