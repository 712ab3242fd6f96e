import type { Adapter, AdapterAccount, AdapterUser } from "../../../src/kernel.ts";
import {
  claimOwnedRecord,
  isOfGeneration,
  restoreEmailClaim,
  releaseOwnedRecord,
} from "./claims.ts";
import { pack, unpack } from "./dated-json.ts";
import {
  collect,
  isLive,
  type IndexKey,
  retryOnConflict,
  type OwnedRecord,
  type AdapterStores,
} from "./records.ts";
import type { AccountSealer } from "./sealed-tokens.ts";

type Accounts = Pick<
  Required<Adapter>,
  | "getUserByAccount"
  | "linkAccount"
  | "unlinkAccount"
  | "getAccount"
  | "updateAccount"
  | "listAccountsByUserId"
>;

/** Builds the key of an account's record. */
export function accountKey(account: { provider: string; providerAccountId: string }): IndexKey {
  return [account.provider, account.providerAccountId];
}

/** Creates the record of a passkey, claimed now in its owner's `generation`. */
export function createOwnedRecord(
  what: object & { userId: string },
  generation: number,
): OwnedRecord {
  return { userId: what.userId, generation, at: Date.now(), what: pack(what) };
}

/** Creates the record of an account, claimed now in its owner's `generation`. */
export async function createAccountRecord(
  sealer: AccountSealer,
  account: AdapterAccount,
  generation: number,
): Promise<OwnedRecord> {
  const sealed = await sealer.seal(account);
  return { userId: account.userId, generation, at: Date.now(), ...sealed };
}

/** Creates the adapter's account methods. */
export function createAccounts(stores: AdapterStores, sealer: AccountSealer): Accounts {
  const { users, accounts } = stores;

  // An account counts only while its owner exists and is still of the generation that claimed it.
  const find = async (key: IndexKey) => {
    const claim = await accounts.records.get(key);
    if (!claim) return null;
    const owner = await users.get(claim.userId);
    return isLive(owner) && isOfGeneration(claim)(owner) ? { claim, owner } : null;
  };

  return {
    async getUserByAccount(account) {
      const found = await find(accountKey(account));
      if (!found) return null;
      const user = unpack<AdapterUser>(found.owner.user);
      await restoreEmailClaim(stores, user.email, user.id);
      return user;
    },
    async getAccount(providerAccountId, provider) {
      const found = await find([provider, providerAccountId]);
      return found && sealer.open(found.claim);
    },
    async listAccountsByUserId(userId) {
      const listed = await collect(accounts.index.scan(userId));
      const found = await Promise.all(listed.map(find));
      const own = found.filter((entry) => entry?.claim.userId === userId);
      return Promise.all(own.map((entry) => sealer.open(entry!.claim)));
    },
    async linkAccount(account) {
      const key = accountKey(account);
      const owner = await users.get(account.userId);
      if (!isLive(owner)) throw new Error("The user does not exist.");
      const claim = await createAccountRecord(sealer, account, owner.generation);
      const linked = await claimOwnedRecord(stores, accounts, key, claim, (known) =>
        sealer.merge(known, account),
      );
      if (!linked) throw new Error("The account belongs to another user.");
      // A user who was deleted concurrently must leave no account behind.
      if (!isLive(await users.get(account.userId))) {
        await releaseOwnedRecord(accounts, key, linked);
        throw new Error("The user does not exist.");
      }
      return sealer.open(linked);
    },
    async unlinkAccount(account) {
      const key = accountKey(account);
      const claim = await accounts.records.take(key);
      if (!claim) return undefined;
      await accounts.index.delete([claim.userId, ...key]);
      return sealer.open(claim);
    },
    async updateAccount(account) {
      const key = accountKey(account);
      return retryOnConflict(async () => {
        const entry = await accounts.records.read(key);
        if (!entry || entry.value.userId !== account.userId) return null;
        const next = await sealer.merge(entry.value, account);
        const kept = await accounts.records.compareAndSet(key, entry, next);
        return kept ? sealer.open(next) : undefined;
      });
    },
  };
}
