import { callAdapter } from "./adapter.ts";
import type { Adapter, AdapterAuthenticator, AdapterUser } from "./types/adapter.ts";
import type { Identity, Kernel } from "./types/kernel.ts";
import type { Account } from "./types/models.ts";

/** What is stored of an account, and announced. */
export function accountOf({ account, storedTokens }: Identity): Account {
  const { provider, providerAccountId, type } = account;
  return { ...storedTokens, provider, providerAccountId, type };
}

function passkeyOf({ authenticator }: Identity, userId: string): AdapterAuthenticator | undefined {
  return authenticator && { ...authenticator, userId };
}

// What goes wrong here must not hide what went wrong before.
async function undo({ logger }: Pick<Kernel, "logger">, work: Promise<unknown>): Promise<void> {
  await work.catch((fault: Error) => logger.error(fault));
}

/** Takes an account, and the passkey it stands for, away from a person. */
export async function detach(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  userId: string,
  identity: Identity,
): Promise<void> {
  const { authenticator } = identity;
  if (authenticator && adapter.deleteAuthenticator) {
    const { credentialID } = authenticator;
    await undo(kernel, callAdapter(adapter, "deleteAuthenticator", credentialID, userId));
  }
  await callAdapter(adapter, "unlinkAccount", accountOf(identity));
}

/** Stores an account, and the passkey it stands for, as a person's. */
export async function attach(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  userId: string,
  identity: Identity,
): Promise<void> {
  await callAdapter(adapter, "linkAccount", { ...accountOf(identity), userId });
  const passkey = passkeyOf(identity, userId);
  if (!passkey) return;
  try {
    await callAdapter(adapter, "createAuthenticator", passkey);
  } catch (error) {
    if (adapter.unlinkAccount) await undo(kernel, detach(kernel, adapter, userId, identity));
    throw error;
  }
}

/**
 * Stores a person with the account they came by, and the passkey it stands for. A person without an
 * account could neither come back nor be made again.
 */
export async function enroll(
  kernel: Pick<Kernel, "logger">,
  adapter: Adapter,
  user: AdapterUser,
  identity: Identity,
): Promise<AdapterUser> {
  if (adapter.createUserWithAccount) {
    const account = { ...accountOf(identity), userId: user.id };
    const passkey = passkeyOf(identity, user.id);
    return callAdapter(adapter, "createUserWithAccount", user, account, passkey);
  }
  const created = await callAdapter(adapter, "createUser", user);
  const id = String(created.id);
  try {
    await attach(kernel, adapter, id, identity);
  } catch (error) {
    if (adapter.deleteUser) await undo(kernel, callAdapter(adapter, "deleteUser", id));
    throw error;
  }
  return created;
}
