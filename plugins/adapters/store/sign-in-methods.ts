import { withoutSignInMethod, retryOnConflict } from "../../../src/_kit.ts";
import type { Adapter, StoreEntry, SignInMethod } from "../../../src/kernel.ts";
import { accountKey } from "./accounts.ts";
import {
  isLive,
  type PendingRemoval,
  type IndexKey,
  type AdapterStores,
  type UserRecord,
} from "./records.ts";

type ListMethods = Required<Pick<Adapter, "listAccountsByUserId" | "listAuthenticatorsByUserId">>;

// Idempotent. A record that was claimed again since has another `at` and stays.
async function finishRemovals(
  stores: AdapterStores,
  userId: string,
  pendingRemovals: readonly PendingRemoval[],
): Promise<void> {
  for (const { place, key, at } of pendingRemovals) {
    const { records, index } = stores[place];
    await retryOnConflict(async () => {
      const entry = await records.read(key);
      if (entry?.value.userId !== userId || entry.value.at !== at) return true;
      if (!(await records.compareAndDelete(key, entry))) return undefined;
      await index.delete([userId, ...key]);
      return true;
    });
  }
}

// Resolves to `undefined` if the user record was changed concurrently.
async function finishUpdate(
  stores: AdapterStores,
  userId: string,
  entry: StoreEntry<UserRecord>,
): Promise<true | undefined> {
  const { pendingRemovals = [], ...value } = entry.value;
  await finishRemovals(stores, userId, pendingRemovals);
  const next = { ...value, rev: value.rev + 1 };
  return (await stores.users.compareAndSet(userId, entry, next)) || undefined;
}

/**
 * Creates the adapter's `removeSignInMethod`. The removal is first written into the user record by a compare-and-set,
 * so the second of two concurrent removals sees what the first one leaves. If the process ends before the removal is
 * complete, the next call resumes it.
 */
export function createSignInMethods(
  stores: AdapterStores,
  methods: ListMethods,
): Pick<Required<Adapter>, "removeSignInMethod"> {
  const { users } = stores;

  const findPendingRemovals = async (
    userId: string,
    { account, credentialID }: SignInMethod,
  ): Promise<PendingRemoval[]> => {
    const wanted: [PendingRemoval["place"], IndexKey][] = [];
    if (account) wanted.push(["accounts", accountKey(account)]);
    if (credentialID !== undefined) wanted.push(["passkeys", [credentialID]]);
    const found: PendingRemoval[] = [];
    for (const [place, key] of wanted) {
      const claim = await stores[place].records.get(key);
      if (claim?.userId === userId) found.push({ place, key, at: claim.at });
    }
    return found;
  };

  return {
    removeSignInMethod: (userId, method, isEnough) =>
      retryOnConflict(async () => {
        const entry = await users.read(userId);
        if (!isLive(entry?.value)) return "not-found";
        if (entry.value.pendingRemovals) {
          await finishUpdate(stores, userId, entry);
          return undefined;
        }
        const [accounts, passkeys] = await Promise.all([
          methods.listAccountsByUserId(userId),
          methods.listAuthenticatorsByUserId(userId),
        ]);
        const rest = withoutSignInMethod({ accounts, passkeys }, method);
        if (!rest) return "not-found";
        if (!isEnough(rest)) return "last";
        const pendingRemovals = await findPendingRemovals(userId, method);
        const value = { ...entry.value, rev: entry.value.rev + 1, pendingRemovals };
        if (!(await users.compareAndSet(userId, entry, value))) return undefined;
        await retryOnConflict(async () => {
          const pending = await users.read(userId);
          if (!pending?.value.pendingRemovals) return true;
          return finishUpdate(stores, userId, pending);
        });
        return "removed";
      }),
  };
}
