import { callAdapter } from "../storage/adapter.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterUser,
} from "../types/adapter.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Account } from "../types/models.ts";
import { toAddressFacts } from "./address.ts";
import type { CompleteIdentity } from "./identity.ts";

/** Returns the account of an identity as it is stored and emitted: with the stored tokens only. */
export function toStoredAccount({ account, storedTokens }: CompleteIdentity): Account {
  const { provider, providerAccountId, type } = account;
  // An application may store the whole token response, which must not decide who verified the address (SECURITY.md R5).
  const { verifiedEmail: _, ...tokens } = (storedTokens ?? {}) as Partial<AdapterAccount>;
  return { ...tokens, provider, providerAccountId, type };
}

function toAuthenticator(
  { authenticator }: CompleteIdentity,
  userId: string,
): AdapterAuthenticator | undefined {
  return authenticator && { ...authenticator, userId };
}

// A failure here must not replace the original error.
async function undo({ logger }: Pick<Kernel, "logger">, work: Promise<unknown>): Promise<void> {
  await work.catch((error: Error) => logger.error(error));
}

/** Removes an account from a user, together with the passkey that it represents. */
export async function unlinkAccount(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  userId: string,
  identity: CompleteIdentity,
): Promise<void> {
  const { authenticator, account } = identity;
  if (authenticator && adapter.deleteAuthenticator) {
    const { credentialID } = authenticator;
    await undo(kernel, callAdapter(adapter, "deleteAuthenticator", credentialID, userId));
  }
  const { provider, providerAccountId } = account;
  // Only these fields: Prisma rejects unknown ones.
  await callAdapter(adapter, "unlinkAccount", { provider, providerAccountId });
}

/**
 * Stores an account for a user, together with the passkey that it represents. If storing the passkey fails, removes the
 * account, as far as the adapter can.
 */
export async function linkAccount(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  userId: string,
  identity: CompleteIdentity,
): Promise<void> {
  const account = { ...toStoredAccount(identity), ...toAddressFacts(adapter, identity).account };
  await callAdapter(adapter, "linkAccount", { ...account, userId });
  const passkey = toAuthenticator(identity, userId);
  if (!passkey) return;
  try {
    await callAdapter(adapter, "createAuthenticator", passkey);
  } catch (error) {
    if (adapter.unlinkAccount) await undo(kernel, unlinkAccount(kernel, adapter, userId, identity));
    throw error;
  }
}

/**
 * Stores a user with the account of the identity and the passkey that it represents. If that fails, removes the user, as
 * far as the adapter can: a user without an account could neither sign in nor be created again.
 */
export async function createUserWithAccount(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  user: AdapterUser,
  identity: CompleteIdentity,
): Promise<AdapterUser> {
  if (adapter.createUserWithAccount) {
    const facts = toAddressFacts(adapter, identity);
    const account = { ...toStoredAccount(identity), ...facts.account, userId: user.id };
    const passkey = toAuthenticator(identity, user.id);
    const given = { ...user, ...facts.user };
    return callAdapter(adapter, "createUserWithAccount", given, account, passkey);
  }
  const created = await callAdapter(adapter, "createUser", user);
  const id = String(created.id);
  try {
    await linkAccount(kernel, adapter, id, identity);
  } catch (error) {
    if (adapter.deleteUser) await undo(kernel, callAdapter(adapter, "deleteUser", id));
    throw error;
  }
  return created;
}
