import { callAdapter } from "./adapter.ts";
import { isSame } from "./link.ts";
import type {
  Adapter,
  AdapterAuthenticator,
  ListedAuthenticator,
  Removal,
  Way,
} from "./types/adapter.ts";
import type { AuthContext } from "./types/kernel.ts";
import type { User } from "./types/models.ts";
import { removeWay } from "./ways.ts";

/** A passkey as its owner may see it. */
export interface StoredPasskey {
  /** The credential's id in standard base64. */
  id: string;
  /** Whether it lives on several devices, or on one alone. */
  deviceType: string;
  /** Whether it is kept somewhere else too, should the device be lost. */
  backedUp: boolean;
  /** How it is reached: `internal`, `hybrid`, `usb`, ... */
  transports: readonly string[];
  /** When it was made, where the adapter keeps that. */
  created?: Date;
}

async function stored(ctx: AuthContext): Promise<{ user: User; all: ListedAuthenticator[] }> {
  const user = await ctx.kernel.strategy.current(ctx);
  const { adapter } = ctx.kernel;
  if (!user || !adapter) return { user: {}, all: [] };
  const all = await callAdapter(adapter, "listAuthenticatorsByUserId", String(user.id));
  return { user, all };
}

/**
 * The passkeys of whoever is signed in; none when nobody is.
 * @throws MissingAdapterMethods where the adapter keeps no passkeys.
 */
export async function passkeysOf(ctx: AuthContext): Promise<StoredPasskey[]> {
  const { all } = await stored(ctx);
  return all.map((one) => ({
    id: one.credentialID,
    deviceType: one.credentialDeviceType,
    backedUp: Boolean(one.credentialBackedUp),
    transports: one.transports?.split(",").filter(Boolean) ?? [],
    ...(one.created && { created: one.created }),
  }));
}

// An adapter that lists no accounts is asked for each provider's.
async function accountOf(
  { kernel }: AuthContext,
  user: User,
  { providerAccountId }: AdapterAuthenticator,
): Promise<Way["account"]> {
  const adapter = kernel.adapter as Adapter;
  for (const { id: provider, type } of kernel.providers.values()) {
    if (type !== "webauthn") continue;
    const account = { provider, providerAccountId };
    if (isSame(await callAdapter(adapter, "getUserByAccount", account), user)) return account;
  }
  return undefined;
}

/**
 * Removes a passkey of whoever is signed in: nobody gets in by it any more. The last way in stays, be
 * it this or a proved address or an account, unless `last` says that they were asked. The caller answers
 * for the CSRF token. Sessions that it began go on.
 * @throws MissingAdapterMethods where the adapter lacks `deleteAuthenticator`.
 */
export async function removePasskey(
  ctx: AuthContext,
  id: string,
  { last = false }: { last?: boolean } = {},
): Promise<Removal> {
  const { user, all } = await stored(ctx);
  const found = all.find(({ credentialID }) => credentialID === id);
  if (!found) return "absent";
  const account = await accountOf(ctx, user, found);
  return removeWay(ctx.kernel, user, { credentialID: id, ...(account && { account }) }, last);
}
