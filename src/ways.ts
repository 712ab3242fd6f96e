import { callAdapter } from "./adapter.ts";
import { isSame } from "./link.ts";
import type { Adapter, AdapterUser, Removal, Way, Ways } from "./types/adapter.ts";
import type { Kernel } from "./types/kernel.ts";
import type { User } from "./types/models.ts";

/** The address by whose mails somebody gets in: a proved one, since another may be misspelled. */
export function mailboxOf(kernel: Kernel, user: User): string | undefined {
  const { email, emailVerified } = user as Partial<AdapterUser>;
  const isMailed = [...kernel.providers.values()].some(
    ({ type }) => kernel.flow(type).links === "email",
  );
  return isMailed && emailVerified ? (email ?? undefined) : undefined;
}

/** The accounts and passkeys of a person, as far as the adapter can list them. */
export async function waysOf({ adapter }: Kernel, userId: string): Promise<Ways> {
  const [accounts, passkeys] = await Promise.all([
    adapter?.listAccountsByUserId ? callAdapter(adapter, "listAccountsByUserId", userId) : [],
    adapter?.listAuthenticatorsByUserId
      ? callAdapter(adapter, "listAuthenticatorsByUserId", userId)
      : [],
  ]);
  return { accounts, passkeys };
}

/**
 * Whether somebody can sign in with what they have: by mail, or by an account of a provider that is
 * there. An account without its passkey opens nothing, nor does a passkey without its account.
 */
export function letsIn(kernel: Kernel, user: User, { accounts, passkeys }: Ways): boolean {
  if (mailboxOf(kernel, user) !== undefined) return true;
  const stands = (account: { type: string; providerAccountId: string }) =>
    account.type !== "webauthn" ||
    passkeys.some((one) => one.providerAccountId === account.providerAccountId);
  if (kernel.adapter?.listAccountsByUserId) {
    return accounts.some((one) => kernel.providers.has(one.provider) && stands(one));
  }
  return passkeys.length > 0;
}

/** What is left without one of the ways; `undefined` when it is not among them. */
export function waysWithout(ways: Ways, { account, credentialID }: Way): Ways | undefined {
  const accounts = ways.accounts.filter(
    ({ provider, providerAccountId }) =>
      provider !== account?.provider || providerAccountId !== account.providerAccountId,
  );
  const passkeys = ways.passkeys.filter((passkey) => passkey.credentialID !== credentialID);
  const isThere = accounts.length < ways.accounts.length || passkeys.length < ways.passkeys.length;
  return isThere ? { accounts, passkeys } : undefined;
}

async function remove(adapter: Adapter, user: User, way: Way): Promise<void> {
  const { account, credentialID } = way;
  // First what counts less: an account without its passkey opens nothing, and can be removed again.
  if (credentialID !== undefined) {
    await callAdapter(adapter, "deleteAuthenticator", credentialID, String(user.id));
  }
  if (!account) return;
  const owner = await callAdapter(adapter, "getUserByAccount", account);
  if (isSame(owner, user)) await callAdapter(adapter, "unlinkAccount", account);
}

/**
 * Removes a way in of a person, unless nothing else would let them in; `last` says that they were asked
 * about that.
 * @throws MissingAdapterMethods where the adapter cannot remove it.
 */
export async function removeWay(
  kernel: Kernel,
  user: User,
  way: Way,
  last = false,
): Promise<Removal> {
  const adapter = kernel.adapter as Adapter;
  const userId = String(user.id);
  const isEnough = (rest: Ways) => last || letsIn(kernel, user, rest);
  if (adapter.removeWay) return callAdapter(adapter, "removeWay", userId, way, isEnough);
  const rest = waysWithout(await waysOf(kernel, userId), way);
  if (!rest) return "absent";
  if (!isEnough(rest)) return "last";
  await remove(adapter, user, way);
  return "removed";
}
