import type { AdapterUser, StoreEntry } from "../../../src/index.ts";
import { unpack } from "./packed.ts";
import { collect, type Owned, persist, type Place, type Shelves, vacate } from "./records.ts";
import type { UserRecord } from "./records.ts";

/** Removes what a person has in a place, where `isMeant` says so, and its mention in their list. */
export async function dropAll<T extends Owned>(
  { shelf, list }: Place<T>,
  userId: string,
  isMeant: (thing: T) => boolean = () => true,
): Promise<void> {
  for (const listed of await collect(list.scan(userId))) {
    const entry = await shelf.read(listed);
    const isTheirs = entry?.value.userId === userId;
    if (isTheirs && !isMeant(entry.value)) continue;
    // Unless somebody has taken it over meanwhile.
    if (isTheirs) await vacate(shelf, listed, entry);
    await list.delete([userId, ...listed]);
  }
}

/** Takes away everything of a person who is being deleted, the record itself last. Can be repeated. */
export async function finishDeletion(
  shelves: Shelves,
  userId: string,
  tomb: StoreEntry<UserRecord>,
): Promise<void> {
  const { users, emails, tokens } = shelves;
  if (!tomb.value.user) return;
  const { email } = tomb.value.user.data;
  await dropAll(shelves.sessions, userId);
  await dropAll(shelves.accounts, userId);
  await dropAll(shelves.passkeys, userId);
  if (typeof email === "string") {
    for (const { hash } of await collect(tokens.scan(email))) await tokens.delete([email, hash]);
    const claim = await emails.read(email);
    if (claim?.value.userId === userId) await vacate(emails, email, claim);
  }
  await vacate(users, userId, tomb);
}

/**
 * Deletes a person. The first write ends every session and way in; should the process end before the
 * last, another call goes on, and so does whoever wants the address or an account next.
 */
export async function deleteUser(shelves: Shelves, userId: string): Promise<AdapterUser | null> {
  const { users } = shelves;
  const tomb = await persist(async () => {
    const entry = await users.read(userId);
    if (!entry?.value.user) return null;
    if (entry.value.gone) return entry;
    const value: UserRecord = { ...entry.value, rev: entry.value.rev + 1, gone: true };
    await users.compareAndSet(userId, entry, value);
    return undefined;
  });
  if (!tomb?.value.user) return null;
  await finishDeletion(shelves, userId, tomb);
  return unpack<AdapterUser>(tomb.value.user);
}
