import { all, createSharedTurn, retryOnConflict } from "../../../src/_kit.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterUser,
  CreateCache,
  StoreEntry,
} from "../../../src/kernel.ts";
import {
  claimOwnedRecord,
  isOfGeneration,
  restoreEmailClaim,
  releaseOwnedRecord,
} from "./claims.ts";
import { pack, type Packed, unpack } from "./dated-json.ts";
import {
  collect,
  isLive,
  type IndexKey,
  type OwnedRecord,
  type AdapterStores,
  type UserRecord,
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

const toName = (key: IndexKey): string => JSON.stringify(key);

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

/** Limits for records of accounts that a sign-in has looked up and may overwrite. */
const LOOKED_UP = { max: 1000, ttl: 10_000 };
/** Number of accounts whose owner a process remembers. */
const MAX_KNOWN_ACCOUNTS = 10_000;

/** An account with its owner's record. */
interface FoundAccount {
  readonly claim: OwnedRecord;
  readonly owner: UserRecord & { readonly user: Packed };
}

/** Creates the adapter's account methods. */
export function createAccounts(
  stores: AdapterStores,
  sealer: AccountSealer,
  createCache: CreateCache,
): Accounts {
  const { users, emails, accounts } = stores;
  const lookedUp = createCache<StoreEntry<OwnedRecord>>("adapters/store accounts", LOOKED_UP);
  const owners = createCache<{ id: string; email: unknown }>("adapters/store owners of accounts", {
    max: MAX_KNOWN_ACCOUNTS,
  });
  const share = createSharedTurn<FoundAccount | null>();

  // An account counts only while its owner exists and still has the generation that claimed it. If the owner is cached,
  // both records are read concurrently, which is one round trip in the common case.
  const look = async (key: IndexKey, name: string): Promise<FoundAccount | null> => {
    const known = owners.get(name)?.id;
    const [entry, cached] = await all([
      accounts.records.read(key),
      known === undefined ? undefined : users.get(known),
    ]);
    if (!entry) return null;
    const claim = entry.value;
    lookedUp.set(name, entry);
    const owner = claim.userId === known ? cached : await users.get(claim.userId);
    if (!isLive(owner) || !isOfGeneration(claim)(owner)) return null;
    owners.set(name, { id: claim.userId, email: owner.user.data.email });
    return { claim, owner };
  };
  const find = (key: IndexKey): Promise<FoundAccount | null> => {
    const name = toName(key);
    return share(name, () => look(key, name));
  };

  // A sign-in writes its tokens right after the look-up. If the record has changed since, the write fails.
  const takeLookedUp = (key: IndexKey): StoreEntry<OwnedRecord> | undefined => {
    const name = toName(key);
    const entry = lookedUp.get(name);
    lookedUp.delete(name);
    return entry;
  };

  return {
    async getUserByAccount(account) {
      const key = accountKey(account);
      const email = owners.get(toName(key))?.email;
      const [found, claimed] = await all([
        find(key),
        typeof email === "string" ? emails.get(email) : undefined,
      ]);
      if (!found) return null;
      const user = unpack<AdapterUser>(found.owner.user);
      const isClaimed = claimed && user.email === email;
      if (!isClaimed) await restoreEmailClaim(stores, user.email, user.id);
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
      // A user who was deleted concurrently must not leave an account behind.
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
      const update = async (entry: StoreEntry<OwnedRecord> | undefined) => {
        if (!entry || entry.value.userId !== account.userId) return null;
        const next = await sealer.merge(entry.value, account);
        const kept = await accounts.records.compareAndSet(key, entry, next);
        return kept ? sealer.open(next) : undefined;
      };
      const known = takeLookedUp(key);
      return (
        (known && (await update(known))) ||
        retryOnConflict(async () => update(await accounts.records.read(key)))
      );
    },
  };
}
