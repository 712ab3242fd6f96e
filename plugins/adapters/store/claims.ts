import { randomHex } from "../../../src/index.ts";
import { finishDeletion } from "./deletion.ts";
import {
  type Claim,
  isLive,
  type Listing,
  persist,
  type Place,
  type Possession,
  type Shelves,
  type UserRecord,
  vacate,
} from "./records.ts";

/** Milliseconds in which a request that made a claim is over. */
const UNDER_WAY = 10_000;
/** Milliseconds between looks at a person who may be about to appear. */
const PATIENCE = [10, 20, 40, 80, 160];
const DAY = 24 * 60 * 60 * 1000;

const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Whether a claim's holder stands by it. Somebody who is still writing is waited for; then it is made
 * sure that they cannot finish, so that after `false` the claim may be taken over.
 */
export async function isHeld(
  shelves: Shelves,
  { userId, at }: Claim,
  stands: (user: UserRecord) => boolean,
): Promise<boolean> {
  const { users } = shelves;
  let looks = 0;
  return persist(async () => {
    const entry = await users.read(userId);
    if (entry?.value.gone) {
      await finishDeletion(shelves, userId, entry);
      return false;
    }
    if (entry && stands(entry.value)) return true;
    const pause = Date.now() - at < UNDER_WAY ? PATIENCE[looks++] : undefined;
    if (pause !== undefined) {
      await sleep(pause);
      return undefined;
    }
    // A person appears by `putIfAbsent` and changes by `compareAndSet`: either fails after this.
    const fenced = entry
      ? await users.compareAndSet(userId, entry, { ...entry.value, rev: entry.value.rev + 1 })
      : await users.putIfAbsent(userId, NEVER, { ttl: DAY });
    return fenced ? false : undefined;
  });
}

const NEVER: UserRecord = { rev: 0, epoch: 0, generation: 0, gone: true };

/** Whether a person's record carries this address. */
export function hasEmail(email: string): (user: UserRecord) => boolean {
  return (record) => isLive(record) && record.user.data.email === email;
}

/** Whether a possession is of its owner's present generation. */
export function isOf({ generation }: Possession): (user: UserRecord) => boolean {
  return (record) => isLive(record) && record.generation === generation;
}

/** Claims a person's address anew when that was lost: else somebody could register it once more. */
export async function keepEmail(
  { emails }: Shelves,
  email: string | null | undefined,
  userId: string,
): Promise<void> {
  if (!email || (await emails.get(email))) return;
  await emails.putIfAbsent(email, { userId, at: Date.now(), nonce: randomHex(8) });
}

/** Claims an address for a person; `false` when it is somebody else's. */
export async function claimEmail(
  shelves: Shelves,
  email: string,
  userId: string,
): Promise<boolean> {
  const { emails } = shelves;
  return persist(async () => {
    // Also one's own claim is made anew: whoever is about to take it over must notice.
    const claim = { userId, at: Date.now(), nonce: randomHex(8) };
    if (await emails.putIfAbsent(email, claim)) return true;
    const entry = await emails.read(email);
    if (!entry) return undefined;
    const isOwn = entry.value.userId === userId;
    if (!isOwn && (await isHeld(shelves, entry.value, hasEmail(email)))) return false;
    return (await emails.compareAndSet(email, entry, claim)) || undefined;
  });
}

/** Gives up an address that is not the person's any more. */
export async function releaseEmail(shelves: Shelves, email: string, userId: string): Promise<void> {
  const entry = await shelves.emails.read(email);
  if (entry?.value.userId !== userId) return;
  const settled = { ...entry.value, at: 0 };
  if (await isHeld(shelves, settled, hasEmail(email))) return;
  await vacate(shelves.emails, email, entry);
}

/**
 * Claims an account or a passkey for a person, and lists it as theirs; `again` makes the record where
 * it is theirs already. `null` when it is somebody else's.
 */
export async function claimPossession(
  shelves: Shelves,
  { shelf, list }: Place<Possession>,
  key: Listing,
  claim: Possession,
  again: (known: Possession) => Possession,
): Promise<Possession | null> {
  // Listed first: what is there can then be found by whoever deletes the person.
  await list.put([claim.userId, ...key], key);
  return persist(async () => {
    if (await shelf.putIfAbsent(key, claim)) return claim;
    const entry = await shelf.read(key);
    if (!entry) return undefined;
    const { userId, generation } = entry.value;
    const isOwn = userId === claim.userId && generation === claim.generation;
    if (!isOwn && (await isHeld(shelves, entry.value, isOf(entry.value)))) {
      if (userId !== claim.userId) await list.delete([claim.userId, ...key]);
      return null;
    }
    const next = isOwn ? again(entry.value) : claim;
    return (await shelf.compareAndSet(key, entry, next)) ? next : undefined;
  });
}

/** Gives up an account or a passkey that was just claimed. */
export async function releasePossession(
  { shelf, list }: Place<Possession>,
  key: Listing,
  { userId, generation }: Possession,
): Promise<void> {
  const entry = await shelf.read(key);
  const isOwn = entry?.value.userId === userId && entry.value.generation === generation;
  if (isOwn) await vacate(shelf, key, entry);
  await list.delete([userId, ...key]);
}
