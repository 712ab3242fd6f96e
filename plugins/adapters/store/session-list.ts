import { inBatches, retryOnConflict } from "../../../src/_kit.ts";
import type { Awaitable } from "../../../src/kernel.ts";
import {
  type AdapterStores,
  isLive,
  isSessionValid,
  type ListedEntry,
  type UserRecord,
} from "./records.ts";

/**
 * Maximum number of entries in a list, even without `limitSessions`: 40 kB of text, which every store accepts. It is
 * larger than the maximum of `session.maxPerUser`.
 */
const MAX_ENTRIES = 512;

/**
 * Rewrites a user's list. `next` returns the same list to leave it unchanged. If the change needs the user, `readOwner`
 * is called together with the look-up of the list, because the change is a compare-and-set over that list.
 */
async function changeList(
  { sessions: { lists, inTurn } }: AdapterStores,
  userId: string,
  next: (
    known: readonly ListedEntry[],
    owner: UserRecord | undefined,
  ) => Promise<readonly ListedEntry[]>,
  readOwner?: () => Awaitable<UserRecord | undefined>,
): Promise<void> {
  const attempt = async () => {
    const [owner, entry] = await Promise.all([readOwner?.(), lists.read(userId)]);
    const known = entry?.value.sessions ?? [];
    const sessions = await next(known, owner);
    if (sessions === known) return true;
    if (!entry) return (await lists.putIfAbsent(userId, { sessions })) || undefined;
    if (!sessions.length) return (await lists.compareAndDelete(userId, entry)) || undefined;
    return (await lists.compareAndSet(userId, entry, { sessions })) || undefined;
  };
  await inTurn(userId, () => retryOnConflict(attempt));
}

async function dropRecords(
  { sessions: { records } }: AdapterStores,
  userId: string,
  entries: readonly ListedEntry[],
): Promise<void> {
  await inBatches(entries, async ([hash]) => {
    if ((await records.get(hash))?.userId === userId) await records.delete(hash);
  });
}

// Reads the record of every session that may have ended, and of no other.
async function keepRunning(
  { sessions: { records } }: AdapterStores,
  userId: string,
  entries: readonly ListedEntry[],
): Promise<readonly ListedEntry[]> {
  const now = Date.now();
  if (entries.every(([, , until]) => until > now)) return entries;
  const kept = await inBatches(entries, async (entry): Promise<ListedEntry | undefined> => {
    const [hash, began, until, epoch] = entry;
    if (until > Date.now()) return entry;
    const record = await records.get(hash);
    if (record?.userId !== userId) return undefined;
    return [hash, began, Date.parse(String(record.what.data.expires)), epoch];
  });
  return kept.filter((entry) => entry !== undefined);
}

/** Lists a user's sessions of this epoch, newest first. Some may have ended. */
export async function listEntries(stores: AdapterStores, userId: string): Promise<ListedEntry[]> {
  const [owner, list] = await Promise.all([
    stores.users.get(userId),
    stores.sessions.lists.get(userId),
  ]);
  if (!isLive(owner)) return [];
  const valid = list?.sessions.filter(([hash, , , epoch]) => isSessionValid(owner, hash, epoch));
  return valid?.toReversed() ?? [];
}

/** The result of adding a session to its user's list. */
interface Added {
  epoch: number;
  /** Length of the list. */
  count: number;
  /** Number of sessions that were ended for the new one. */
  ended: number;
}

/**
 * Adds a session to its user's list, and removes what is left of revoked sessions. Beyond `max`, and 512 in any case,
 * the oldest sessions end. If they cannot be ended, the session is still added, up to 512.
 * @throws Error if there is no such user.
 */
export async function addEntry(
  stores: AdapterStores,
  userId: string,
  [hash, began, until]: readonly [hash: string, began: number, until: number],
  max: number = MAX_ENTRIES,
): Promise<Added> {
  let added: Added = { epoch: 0, count: 0, ended: 0 };
  let most = Math.min(max, MAX_ENTRIES);
  const add = async (known: readonly ListedEntry[], owner: UserRecord | undefined) => {
    if (!isLive(owner)) throw new Error("The user does not exist.");
    const { epoch } = owner;
    // Revoked means of an earlier epoch. A session that began since the user was read may be of a later one.
    const isRevoked = ([one, , , begun]: ListedEntry) => begun < epoch && owner.spared !== one;
    const others = known.filter(([one]) => one !== hash);
    const revoked = others.filter(isRevoked);
    const valid = revoked.length ? others.filter((entry) => !isRevoked(entry)) : others;
    const running = valid.length < most ? valid : await keepRunning(stores, userId, valid);
    const excess = running.slice(0, Math.max(0, running.length + 1 - most));
    await dropRecords(stores, userId, [...revoked, ...excess]);
    const kept = running.slice(excess.length);
    added = { epoch, count: kept.length + 1, ended: excess.length };
    return [...kept, [hash, began, until, epoch] as const];
  };
  const change = () => changeList(stores, userId, add, () => stores.users.get(userId));
  try {
    await change();
  } catch (error) {
    if (most === MAX_ENTRIES) throw error;
    most = MAX_ENTRIES;
    await change();
  }
  return added;
}

/** Removes a session from its user's list. */
export async function removeEntry(
  stores: AdapterStores,
  userId: string,
  hash: string,
): Promise<void> {
  await changeList(stores, userId, async (known) => {
    const others = known.filter(([one]) => one !== hash);
    return others.length === known.length ? known : others;
  });
}

/**
 * Ends the oldest sessions of a user beyond `max`, and removes what is left of sessions that ended before. Resolves to
 * the number of sessions that it ended. The records are removed before the list, so that if the process ends in
 * between, the next call finds the same sessions.
 */
export async function limitEntries(
  stores: AdapterStores,
  userId: string,
  max: number,
): Promise<number> {
  let ended = 0;
  const cut = async (known: readonly ListedEntry[], owner: UserRecord | undefined) => {
    ended = 0;
    const isValid = ([hash, , , epoch]: ListedEntry) =>
      isLive(owner) && isSessionValid(owner, hash, epoch);
    const stale = known.filter((entry) => !isValid(entry));
    const valid = known.filter(isValid);
    if (!stale.length && valid.length <= max) return known;
    const running = valid.length > max ? await keepRunning(stores, userId, valid) : valid;
    const excess = running.slice(0, Math.max(0, running.length - max));
    await dropRecords(stores, userId, [...stale, ...excess]);
    ended = excess.length;
    return running.slice(excess.length);
  };
  await changeList(stores, userId, cut, () => stores.users.get(userId));
  return ended;
}

/** Counts a user's sessions that have not ended, except the one under `hash`. */
export async function countOthers(
  stores: AdapterStores,
  userId: string,
  hash: string | undefined,
): Promise<number> {
  const entries = await listEntries(stores, userId);
  const others = entries.filter(([one]) => one !== hash);
  return (await keepRunning(stores, userId, others)).length;
}

/** Deletes the sessions of a user for which `matches` returns `true`, with their entries. */
export async function dropSessions(
  stores: AdapterStores,
  userId: string,
  matches: (epoch: number) => boolean = () => true,
): Promise<void> {
  await changeList(stores, userId, async (known) => {
    const dropped = known.filter(([, , , epoch]) => matches(epoch));
    if (!dropped.length) return known;
    await dropRecords(stores, userId, dropped);
    return known.filter((entry) => !dropped.includes(entry));
  });
}
