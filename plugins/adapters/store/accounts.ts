import type { Adapter, AdapterAccount, AdapterUser } from "../../../src/index.ts";
import { claimPossession, isOf, keepEmail, releasePossession } from "./claims.ts";
import { lay, pack, unpack } from "./packed.ts";
import {
  collect,
  isLive,
  type Listing,
  persist,
  type Possession,
  type Shelves,
} from "./records.ts";

type Accounts = Pick<
  Required<Adapter>,
  | "getUserByAccount"
  | "linkAccount"
  | "unlinkAccount"
  | "getAccount"
  | "updateAccount"
  | "listAccountsByUserId"
>;

/** Where an account lies. */
export function accountKey(account: { provider: string; providerAccountId: string }): Listing {
  return [account.provider, account.providerAccountId];
}

/** An account's record. */
export function possess(what: object & { userId: string }, generation: number): Possession {
  return { userId: what.userId, generation, at: Date.now(), what: pack(what) };
}

/** The methods that deal with accounts. */
export function createAccounts(shelves: Shelves): Accounts {
  const { users, accounts } = shelves;

  // An account counts only if its owner is there and has kept it.
  const find = async (key: Listing) => {
    const claim = await accounts.shelf.get(key);
    if (!claim) return null;
    const owner = await users.get(claim.userId);
    return isLive(owner) && isOf(claim)(owner) ? { claim, owner } : null;
  };

  return {
    async getUserByAccount(account) {
      const found = await find(accountKey(account));
      if (!found) return null;
      const user = unpack<AdapterUser>(found.owner.user);
      await keepEmail(shelves, user.email, user.id);
      return user;
    },
    async getAccount(providerAccountId, provider) {
      const found = await find([provider, providerAccountId]);
      return found && unpack<AdapterAccount>(found.claim.what);
    },
    async listAccountsByUserId(userId) {
      const listed = await collect(accounts.list.scan(userId));
      const found = await Promise.all(listed.map(find));
      return found
        .filter((held) => held?.claim.userId === userId)
        .map((held) => unpack<AdapterAccount>(held!.claim.what));
    },
    async linkAccount(account) {
      const key = accountKey(account);
      const owner = await users.get(account.userId);
      if (!isLive(owner)) throw new Error("There is no such user.");
      const claim = possess(account, owner.generation);
      const linked = await claimPossession(shelves, accounts, key, claim, (known) => ({
        ...known,
        what: lay(known.what, account),
      }));
      if (!linked) throw new Error("The account belongs to another user.");
      // Somebody who is deleted meanwhile must leave nothing behind.
      if (!isLive(await users.get(account.userId))) {
        await releasePossession(accounts, key, linked);
        throw new Error("There is no such user.");
      }
      return unpack<AdapterAccount>(linked.what);
    },
    async unlinkAccount(account) {
      const key = accountKey(account);
      const claim = await accounts.shelf.take(key);
      if (!claim) return undefined;
      await accounts.list.delete([claim.userId, ...key]);
      return unpack<AdapterAccount>(claim.what);
    },
    async updateAccount(account) {
      const key = accountKey(account);
      return persist(async () => {
        const entry = await accounts.shelf.read(key);
        if (!entry || entry.value.userId !== account.userId) return null;
        const what = lay(entry.value.what, account);
        const kept = await accounts.shelf.compareAndSet(key, entry, { ...entry.value, what });
        return kept ? unpack<AdapterAccount>(what) : undefined;
      });
    },
  };
}
