import { findUserByAccount } from "../storage/adapter.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { User } from "../types/models.ts";
import type { CompleteIdentity } from "./identity.ts";
import { isSameUser } from "./link-request.ts";

/**
 * Returns the user with the verification that a listener of `createUser` or `linkAccount` has stored, as in applications of
 * Auth.js. The session that this sign-in starts is not from before that: the next one would find the same row. It is read by
 * the account: another person who has verified the address in the meantime has taken it away, or a passkey.
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
