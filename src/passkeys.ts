import { callAdapter } from "./adapter.ts";
import { isSame } from "./link.ts";
import type { Adapter, AdapterAuthenticator } from "./types/adapter.ts";
import type { AuthContext } from "./types/kernel.ts";
import type { User } from "./types/models.ts";

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
}

/**
 * What became of a removal. `absent`: this person has no such passkey. `last`: nothing was removed,
 * since no other way in is known.
 */
export type PasskeyRemoval = "removed" | "absent" | "last";

async function stored(ctx: AuthContext): Promise<{ user: User; all: AdapterAuthenticator[] }> {
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
  }));
}

// A link by mail always lets in; no adapter can say which other accounts somebody has.
function canReturn({ kernel }: AuthContext, { email }: User): boolean {
  const byMail = ({ type }: { type: string }) => kernel.flow(type).links === "email";
  return Boolean(email) && [...kernel.providers.values()].some(byMail);
}

async function unlink(ctx: AuthContext, adapter: Adapter, user: User, id: string): Promise<void> {
  if (!adapter.unlinkAccount) return;
  for (const provider of ctx.kernel.providers.keys()) {
    const key = { provider, providerAccountId: id };
    const owner = await callAdapter(adapter, "getUserByAccount", key);
    if (isSame(owner, user)) await callAdapter(adapter, "unlinkAccount", key);
  }
}

/**
 * Removes a passkey of whoever is signed in: nobody gets in by it any more. The last one stays, unless
 * they can also sign in by mail, or `last` says that they were asked. The caller answers for the CSRF
 * token. Sessions that it began go on.
 * @throws MissingAdapterMethods where the adapter lacks `deleteAuthenticator`.
 */
export async function removePasskey(
  ctx: AuthContext,
  id: string,
  { last = false }: { last?: boolean } = {},
): Promise<PasskeyRemoval> {
  const { user, all } = await stored(ctx);
  const found = all.find(({ credentialID }) => credentialID === id);
  if (!found) return "absent";
  if (all.length === 1 && !last && !canReturn(ctx, user)) return "last";
  const adapter = ctx.kernel.adapter as Adapter;
  const removed = await callAdapter(adapter, "deleteAuthenticator", id, String(user.id));
  await unlink(ctx, adapter, user, found.providerAccountId);
  return removed === null ? "absent" : "removed";
}
