import { hasEmailSignIn } from "../kernel/opens-users.ts";
import { callAdapter, findUserByAccount } from "../storage/adapter.ts";
import type {
  Adapter,
  AdapterUser,
  RemovalResult,
  SignInMethod,
  SignInMethods,
} from "../types/adapter.ts";
import type { AuthContext, Kernel } from "../types/kernel.ts";
import type { Account, User } from "../types/models.ts";
import { isSameUser } from "./link-request.ts";

/**
 * Returns the address by which a user can sign in by e-mail, if there is an e-mail provider. Only a verified address
 * counts, since another one may be misspelled.
 */
export function getVerifiedEmail(kernel: Kernel, user: User): string | undefined {
  const { email, emailVerified } = user as Partial<AdapterUser>;
  return emailVerified && hasEmailSignIn(kernel) ? (email ?? undefined) : undefined;
}

/** Returns the accounts and passkeys of a user, as far as the adapter can list them. */
export async function listSignInMethods(
  { adapter }: Kernel,
  userId: string,
): Promise<SignInMethods> {
  const [accounts, passkeys] = await Promise.all([
    adapter?.listAccountsByUserId ? callAdapter(adapter, "listAccountsByUserId", userId) : [],
    adapter?.listAuthenticatorsByUserId
      ? callAdapter(adapter, "listAuthenticatorsByUserId", userId)
      : [],
  ]);
  return { accounts, passkeys };
}

/** Returns whether an account represents a passkey, which is stored together with it. */
export function isPasskeyAccount({ flows }: Kernel, { type }: Pick<Account, "type">): boolean {
  return flows.get(type)?.credential === "authenticator";
}

/**
 * Returns whether a user can sign in with these methods: by e-mail, or by an account of a configured provider. An
 * account without its passkey does not count, nor does a passkey without its account.
 */
export function canSignInWith(
  kernel: Kernel,
  user: User,
  { accounts, passkeys }: SignInMethods,
): boolean {
  if (getVerifiedEmail(kernel, user) !== undefined) return true;
  const isComplete = (account: { type: string; providerAccountId: string }) =>
    !isPasskeyAccount(kernel, account) ||
    passkeys.some((one) => one.providerAccountId === account.providerAccountId);
  if (kernel.adapter?.listAccountsByUserId) {
    return accounts.some((one) => kernel.providers.has(one.provider) && isComplete(one));
  }
  return passkeys.length > 0;
}

/** Returns the methods without one of them; `undefined` if it is not among them. */
export function withoutSignInMethod(
  methods: SignInMethods,
  { account, credentialID }: SignInMethod,
): SignInMethods | undefined {
  const accounts = methods.accounts.filter(
    ({ provider, providerAccountId }) =>
      provider !== account?.provider || providerAccountId !== account.providerAccountId,
  );
  const passkeys = methods.passkeys.filter((passkey) => passkey.credentialID !== credentialID);
  const isFound =
    accounts.length < methods.accounts.length || passkeys.length < methods.passkeys.length;
  return isFound ? { accounts, passkeys } : undefined;
}

async function remove(adapter: Adapter, user: User, method: SignInMethod): Promise<void> {
  const { account, credentialID } = method;
  // The passkey is deleted first: an account without its passkey signs no one in, and its removal can be repeated.
  if (credentialID !== undefined) {
    await callAdapter(adapter, "deleteAuthenticator", credentialID, String(user.id));
  }
  if (!account) return;
  const owner = await findUserByAccount(adapter, account);
  if (isSameUser(owner, user)) await callAdapter(adapter, "unlinkAccount", account);
}

async function removeUnlessLast(
  kernel: Kernel,
  user: User,
  method: SignInMethod,
): Promise<RemovalResult> {
  const adapter = kernel.adapter as Adapter;
  const userId = String(user.id);
  const isEnough = (rest: SignInMethods) => canSignInWith(kernel, user, rest);
  if (adapter.removeSignInMethod)
    return callAdapter(adapter, "removeSignInMethod", userId, method, isEnough);
  const rest = withoutSignInMethod(await listSignInMethods(kernel, userId), method);
  if (!rest) return "not-found";
  if (!isEnough(rest)) return "last";
  await remove(adapter, user, method);
  return "removed";
}

/**
 * Removes a sign-in method of a user, unless the user could not sign in without it, and emits `unlinkAccount`.
 * @throws MissingAdapterMethods when the adapter has no method to remove it.
 */
export async function removeSignInMethod(
  ctx: AuthContext,
  user: User,
  method: SignInMethod,
): Promise<RemovalResult> {
  const result = await removeUnlessLast(ctx.kernel, user, method);
  if (result === "removed") await ctx.kernel.emit("unlinkAccount", { user, ...method }, ctx);
  return result;
}
