import { isSameUser, removeSignInMethod } from "../../../src/_kit.ts";
import { callAdapter, findUserByAccount } from "../../../src/kernel.ts";
import type {
  Adapter,
  AdapterAuthenticator,
  ListedAuthenticator,
  RemovalResult,
  SignInMethod,
  AuthContext,
  User,
} from "../../../src/kernel.ts";

/** A stored passkey, as its owner may see it. */
export interface StoredPasskey {
  /** The credential's id in standard base64. */
  id: string;
  /** `multiDevice` if it is synced between devices, or `singleDevice`. */
  deviceType: string;
  /** Whether the passkey is backed up in case the device is lost. */
  backedUp: boolean;
  /** Its transports: `internal`, `hybrid`, `usb`, ... */
  transports: readonly string[];
  /** When it was registered, if the adapter stores that. */
  created?: Date;
}

async function loadPasskeys(ctx: AuthContext): Promise<{ user: User; all: ListedAuthenticator[] }> {
  const user = await ctx.kernel.strategy.current(ctx);
  const { adapter } = ctx.kernel;
  if (!user || !adapter) return { user: {}, all: [] };
  const all = await callAdapter(adapter, "listAuthenticatorsByUserId", String(user.id));
  return { user, all };
}

/**
 * Lists the passkeys of the signed-in user. Without a session the list is empty.
 * @throws MissingAdapterMethods when the adapter does not store passkeys.
 */
export async function listPasskeys(ctx: AuthContext): Promise<StoredPasskey[]> {
  const { all } = await loadPasskeys(ctx);
  return all.map((one) => ({
    id: one.credentialID,
    deviceType: one.credentialDeviceType,
    backedUp: Boolean(one.credentialBackedUp),
    transports: one.transports?.split(",").filter(Boolean) ?? [],
    // Some adapters return dates as text.
    ...(one.created && { created: new Date(one.created) }),
  }));
}

// The adapter may be unable to list a user's accounts, so each provider's account is looked up.
async function findPasskeyAccount(
  { kernel }: AuthContext,
  user: User,
  { providerAccountId }: AdapterAuthenticator,
): Promise<SignInMethod["account"]> {
  const adapter = kernel.adapter as Adapter;
  for (const { id: provider, type } of kernel.providers.values()) {
    if (type !== "webauthn") continue;
    const account = { provider, providerAccountId };
    if (isSameUser(await findUserByAccount(adapter, account), user)) return account;
  }
  return undefined;
}

/**
 * Removes a passkey of the signed-in user, which can then no longer sign in. The user's last sign-in method (a passkey,
 * a verified address or an account) is kept. The caller must have checked the CSRF token. Sessions that began with the
 * passkey stay.
 * @throws MissingAdapterMethods when the adapter lacks `deleteAuthenticator`.
 */
export async function removePasskey(ctx: AuthContext, id: string): Promise<RemovalResult> {
  const { user, all } = await loadPasskeys(ctx);
  const found = all.find(({ credentialID }) => credentialID === id);
  if (!found) return "not-found";
  const account = await findPasskeyAccount(ctx, user, found);
  return removeSignInMethod(ctx, user, { credentialID: id, ...(account && { account }) });
}
