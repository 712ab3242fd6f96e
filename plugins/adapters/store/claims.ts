import { randomHex, retryOnConflict } from "../../../src/_kit.ts";
import { finishDeletion } from "./deletion.ts";
import {
  type Claim,
  isLive,
  type IndexKey,
  type OwnedStore,
  type OwnedRecord,
  type AdapterStores,
  type UserRecord,
} from "./records.ts";

/** Milliseconds after which the request that made a claim has finished or timed out. */
const WRITE_TIMEOUT_MS = 10_000;
/** Milliseconds between reads of a user record that a write in progress may be about to confirm. */
const POLL_DELAYS_MS = [10, 20, 40, 80, 160];
const DAY_MS = 24 * 60 * 60 * 1000;

const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Returns whether the user record of a claim's owner confirms the claim. If it does not, fences the claim: waits up to
 * 310 ms for a write in progress if the claim is younger than 10 s, then increments the owner's `rev` so that this
 * write cannot commit. For an owner without a record, it writes a tombstone for a day instead. After `false` the claim
 * may be taken over.
 */
export async function isHeld(
  stores: AdapterStores,
  { userId, at }: Claim,
  confirms: (user: UserRecord) => boolean,
): Promise<boolean> {
  const { users } = stores;
  let polls = 0;
  return retryOnConflict(async () => {
    const entry = await users.read(userId);
    if (entry?.value.gone) {
      await finishDeletion(stores, userId, entry);
      return false;
    }
    if (entry && confirms(entry.value)) return true;
    const pause = Date.now() - at < WRITE_TIMEOUT_MS ? POLL_DELAYS_MS[polls++] : undefined;
    if (pause !== undefined) {
      await sleep(pause);
      return undefined;
    }
    // A user is created by `putIfAbsent` and changed by `compareAndSet`. After this write, both fail.
    const fenced = entry
      ? await users.compareAndSet(userId, entry, { ...entry.value, rev: entry.value.rev + 1 })
      : await users.putIfAbsent(userId, TOMBSTONE, { ttl: DAY_MS });
    return fenced ? false : undefined;
  });
}

/** Written for a user id without a record, so that creating that user fails. */
const TOMBSTONE: UserRecord = { rev: 0, epoch: 0, generation: 0, gone: true };

/** Returns a predicate that checks whether a user record has this address and so confirms the address's claim. */
export function hasEmail(email: string): (user: UserRecord) => boolean {
  return (record) => isLive(record) && record.user.data.email === email;
}

/**
 * Returns a predicate that checks whether an account or passkey is of its owner's current generation, so that the user
 * record confirms its claim.
 */
export function isOfGeneration(owned: OwnedRecord): (user: UserRecord) => boolean {
  return (record) =>
    isLive(record) && (record.generation === owned.generation || isAttested(owned, record));
}

/**
 * Returns whether an account's provider has attested its user's address. Then no other proof of the address ends the
 * account.
 */
export function isAttested({ what }: OwnedRecord, { user }: UserRecord): boolean {
  const { verifiedEmail } = what.data;
  return typeof verifiedEmail === "string" && verifiedEmail === user?.data.email;
}

/** Claims a user's address again if its claim was lost. Otherwise another user could register the same address. */
export async function restoreEmailClaim(
  { emails }: AdapterStores,
  email: string | null | undefined,
  userId: string,
): Promise<void> {
  if (!email || (await emails.get(email))) return;
  await emails.putIfAbsent(email, { userId, at: Date.now(), nonce: randomHex(8) });
}

/** Claims an address for a user. Resolves to `false` if it belongs to another user. */
export async function claimEmail(
  stores: AdapterStores,
  email: string,
  userId: string,
): Promise<boolean> {
  const { emails } = stores;
  return retryOnConflict(async () => {
    // An existing claim of this user is rewritten with another nonce, so that a concurrent takeover of the old claim
    // fails.
    const claim = { userId, at: Date.now(), nonce: randomHex(8) };
    if (await emails.putIfAbsent(email, claim)) return true;
    const entry = await emails.read(email);
    if (!entry) return undefined;
    const isOwn = entry.value.userId === userId;
    if (!isOwn && (await isHeld(stores, entry.value, hasEmail(email)))) return false;
    return (await emails.compareAndSet(email, entry, claim)) || undefined;
  });
}

/** Deletes a user's claim of an address, unless the user record still has the address. */
export async function releaseEmail(
  stores: AdapterStores,
  email: string,
  userId: string,
): Promise<void> {
  const entry = await stores.emails.read(email);
  if (entry?.value.userId !== userId) return;
  // `at: 0` skips the wait, because the write for which the claim was made is over.
  const withoutWait = { ...entry.value, at: 0 };
  if (await isHeld(stores, withoutWait, hasEmail(email))) return;
  await stores.emails.compareAndDelete(email, entry);
}

/**
 * Claims an account or a passkey for a user and adds it to the user's index. Resolves to the written record, or to
 * `null` if it belongs to another user.
 * @param update Builds the record to write if the user has already claimed it.
 */
export async function claimOwnedRecord(
  stores: AdapterStores,
  { records, index }: OwnedStore<OwnedRecord>,
  key: IndexKey,
  claim: OwnedRecord,
  update: (known: OwnedRecord) => OwnedRecord | Promise<OwnedRecord>,
): Promise<OwnedRecord | null> {
  // Indexed first, so that every record can be found when its user is deleted.
  await index.put([claim.userId, ...key], key);
  return retryOnConflict(async () => {
    if (await records.putIfAbsent(key, claim)) return claim;
    const entry = await records.read(key);
    if (!entry) return undefined;
    const { userId, generation } = entry.value;
    const isOwn = userId === claim.userId && generation === claim.generation;
    if (!isOwn && (await isHeld(stores, entry.value, isOfGeneration(entry.value)))) {
      if (userId !== claim.userId) await index.delete([claim.userId, ...key]);
      return null;
    }
    const next = isOwn ? await update(entry.value) : claim;
    return (await records.compareAndSet(key, entry, next)) ? next : undefined;
  });
}

/** Deletes an account or a passkey that was just claimed, and its index entry. */
export async function releaseOwnedRecord(
  { records, index }: OwnedStore<OwnedRecord>,
  key: IndexKey,
  { userId, generation }: OwnedRecord,
): Promise<void> {
  const entry = await records.read(key);
  const isOwn = entry?.value.userId === userId && entry.value.generation === generation;
  if (isOwn) await records.compareAndDelete(key, entry);
  await index.delete([userId, ...key]);
}
