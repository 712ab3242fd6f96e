import { waysWithout } from "../../../src/index.ts";
import type { Adapter, StoreEntry, Way } from "../../../src/index.ts";
import { accountKey } from "./accounts.ts";
import {
  isLive,
  type Leaving,
  type Listing,
  persist,
  type Shelves,
  type UserRecord,
  vacate,
} from "./records.ts";

type Listed = Required<Pick<Adapter, "listAccountsByUserId" | "listAuthenticatorsByUserId">>;

// Can be repeated; whoever has claimed the same meanwhile keeps it.
async function finishLeaving(
  shelves: Shelves,
  userId: string,
  leaving: readonly Leaving[],
): Promise<void> {
  for (const { place, key, at } of leaving) {
    const { shelf, list } = shelves[place];
    await persist(async () => {
      const entry = await shelf.read(key);
      if (entry?.value.userId !== userId || entry.value.at !== at) return true;
      if (!(await vacate(shelf, key, entry))) return undefined;
      await list.delete([userId, ...key]);
      return true;
    });
  }
}

// `undefined`: somebody else has changed the record.
async function settle(
  shelves: Shelves,
  userId: string,
  entry: StoreEntry<UserRecord>,
): Promise<true | undefined> {
  const { leaving = [], ...value } = entry.value;
  await finishLeaving(shelves, userId, leaving);
  const next = { ...value, rev: value.rev + 1 };
  return (await shelves.users.compareAndSet(userId, entry, next)) || undefined;
}

/**
 * The method that removes a way in. The person's record says first what goes, written over the very
 * record by which it was decided: of two removals one is decided by what the other one leaves. Should
 * the process end before it is gone, the next removal goes on.
 */
export function createWays(shelves: Shelves, listed: Listed): Pick<Required<Adapter>, "removeWay"> {
  const { users } = shelves;

  const leavingOf = async (userId: string, { account, credentialID }: Way): Promise<Leaving[]> => {
    const wanted: [Leaving["place"], Listing][] = [];
    if (account) wanted.push(["accounts", accountKey(account)]);
    if (credentialID !== undefined) wanted.push(["passkeys", [credentialID]]);
    const found: Leaving[] = [];
    for (const [place, key] of wanted) {
      const claim = await shelves[place].shelf.get(key);
      if (claim?.userId === userId) found.push({ place, key, at: claim.at });
    }
    return found;
  };

  return {
    removeWay: (userId, way, isEnough) =>
      persist(async () => {
        const entry = await users.read(userId);
        if (!isLive(entry?.value)) return "absent";
        if (entry.value.leaving) {
          await settle(shelves, userId, entry);
          return undefined;
        }
        const [accounts, passkeys] = await Promise.all([
          listed.listAccountsByUserId(userId),
          listed.listAuthenticatorsByUserId(userId),
        ]);
        const rest = waysWithout({ accounts, passkeys }, way);
        if (!rest) return "absent";
        if (!isEnough(rest)) return "last";
        const leaving = await leavingOf(userId, way);
        const value = { ...entry.value, rev: entry.value.rev + 1, leaving };
        if (!(await users.compareAndSet(userId, entry, value))) return undefined;
        await persist(async () => {
          const marked = await users.read(userId);
          if (!marked?.value.leaving) return true;
          return settle(shelves, userId, marked);
        });
        return "removed";
      }),
  };
}
