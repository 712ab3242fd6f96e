import { retryOnConflict } from "../../../src/_kit.ts";
import type { AdapterUser, StoreEntry } from "../../../src/kernel.ts";
import { unpack } from "./dated-json.ts";
import {
  collect,
  type Owned,
  type OwnedStore,
  type AdapterStores,
  type UserRecord,
} from "./records.ts";
import { dropSessions } from "./session-list.ts";

/** Deletes a user's records for which `matches` returns `true`, and their index entries. */
export async function dropAll<T extends Owned>(
  { records, index }: OwnedStore<T>,
  userId: string,
  matches: (record: T) => boolean = () => true,
): Promise<void> {
  for (const listed of await collect(index.scan(userId))) {
    const entry = await records.read(listed);
    const isOwn = entry?.value.userId === userId;
    if (isOwn && !matches(entry.value)) continue;
    // Deletes only this version, because another user may have taken the record over concurrently.
    if (isOwn) await records.compareAndDelete(listed, entry);
    await index.delete([userId, ...listed]);
  }
}

/** Deletes everything of a user whose record is a tombstone, the user record last. Idempotent. */
export async function finishDeletion(
  stores: AdapterStores,
  userId: string,
  tombstone: StoreEntry<UserRecord>,
): Promise<void> {
  const { users, emails, tokens } = stores;
  if (!tombstone.value.user) return;
  const { email } = tombstone.value.user.data;
  await dropSessions(stores, userId);
  await dropAll(stores.accounts, userId);
  await dropAll(stores.passkeys, userId);
  if (typeof email === "string") {
    for (const { hash } of await collect(tokens.scan(email))) await tokens.delete([email, hash]);
    const claim = await emails.read(email);
    if (claim?.value.userId === userId) await emails.compareAndDelete(email, claim);
  }
  await users.compareAndDelete(userId, tombstone);
}

/**
 * Deletes a user. Resolves to the user, or to `null` if there is none. The first write, a tombstone, ends every session
 * and sign-in method. If the process ends before the last write, the deletion is resumed by the next call or by the
 * next claim of the user's address, account or passkey.
 */
export async function deleteUser(
  stores: AdapterStores,
  userId: string,
): Promise<AdapterUser | null> {
  const { users } = stores;
  const tombstone = await retryOnConflict(async () => {
    const entry = await users.read(userId);
    if (!entry?.value.user) return null;
    if (entry.value.gone) return entry;
    const value: UserRecord = { ...entry.value, rev: entry.value.rev + 1, gone: true };
    await users.compareAndSet(userId, entry, value);
    return undefined;
  });
  if (!tombstone?.value.user) return null;
  await finishDeletion(stores, userId, tombstone);
  return unpack<AdapterUser>(tombstone.value.user);
}
