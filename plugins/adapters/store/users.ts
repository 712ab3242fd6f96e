import { randomUUID, retryOnConflict } from "../../../src/_kit.ts";
import type { Adapter, AdapterUser } from "../../../src/kernel.ts";
import { accountKey, createAccountRecord, createOwnedRecord } from "./accounts.ts";
import {
  claimEmail,
  claimOwnedRecord,
  hasEmail,
  isAttested,
  releaseEmail,
  releaseOwnedRecord,
} from "./claims.ts";
import { mergePacked, pack, type Packed, unpack } from "./dated-json.ts";
import { deleteUser, dropAll } from "./deletion.ts";
import {
  collect,
  isLive,
  type IndexKey,
  type OwnedStore,
  type OwnedRecord,
  type AdapterStores,
  type UserRecord,
} from "./records.ts";
import type { AccountSealer } from "./sealed-tokens.ts";
import { dropSessions } from "./session-list.ts";

type Users = Pick<
  Required<Adapter>,
  | "createUser"
  | "createUserWithAccount"
  | "getUser"
  | "getUserByEmail"
  | "updateUser"
  | "deleteUser"
  | "deleteSessionsByUserId"
  | "revokeUserAccess"
>;

type LiveRecord = UserRecord & { readonly user: Packed };

const isAddress = (email: unknown): email is string => typeof email === "string" && email !== "";

function newUser(user: AdapterUser): AdapterUser {
  return { ...user, id: user.id || randomUUID(), emailVerified: user.emailVerified ?? null };
}

// Until this write, the accounts count only as long as the user has the address.
async function renewAttested({ accounts }: AdapterStores, id: string, user: UserRecord) {
  for (const key of await collect(accounts.index.scan(id))) {
    const entry = await accounts.records.read(key);
    if (entry?.value.userId !== id || !isAttested(entry.value, user)) continue;
    const value = { ...entry.value, generation: user.generation };
    await accounts.records.compareAndSet(key, entry, value);
  }
}

/** Creates the adapter's user methods. Addresses are compared exactly, because flows have normalized them. */
export function createUsers(stores: AdapterStores, sealer: AccountSealer): Users {
  const { users, emails, accounts, passkeys } = stores;

  // Claims the address before it writes the user, so that every stored user holds the claim of its address. Resolves to
  // `null` if the address or the id belongs to another user.
  const insertUser = async (user: AdapterUser): Promise<AdapterUser | null> => {
    const { id, email } = user;
    if (isAddress(email) && !(await claimEmail(stores, email, id))) return null;
    const record = { rev: 0, epoch: 0, generation: 0, user: pack(user) };
    if (await users.putIfAbsent(id, record)) return unpack<AdapterUser>(record.user);
    if (isAddress(email)) await releaseEmail(stores, email, id);
    return null;
  };

  const change = (id: string, next: (record: LiveRecord) => Partial<UserRecord>) =>
    retryOnConflict(async () => {
      const entry = await users.read(id);
      if (!isLive(entry?.value)) return null;
      const value = { ...entry.value, ...next(entry.value), rev: entry.value.rev + 1 };
      return (await users.compareAndSet(id, entry, value)) ? value : undefined;
    });

  return {
    async createUser(given) {
      const user = await insertUser(newUser(given));
      if (!user) throw new Error("The address or the user id belongs to another user.");
      return user;
    },
    async createUserWithAccount(given, account, passkey) {
      const user = newUser(given);
      const owned = { userId: user.id };
      const first = await createAccountRecord(sealer, { ...account, ...owned }, 0);
      const wanted: (readonly [OwnedStore<OwnedRecord>, IndexKey, OwnedRecord])[] = [
        [accounts, accountKey(account), first],
      ];
      if (passkey) {
        const key: IndexKey = [passkey.credentialID];
        wanted.push([passkeys, key, createOwnedRecord({ ...passkey, ...owned }, 0)]);
      }
      const releases: (() => Promise<void>)[] = [];
      // The user is written last. Until then no claim counts, so a crash leaves no claim that blocks.
      const claimAll = async (): Promise<AdapterUser | null> => {
        for (const [store, key, claim] of wanted) {
          if (!(await claimOwnedRecord(stores, store, key, claim, () => claim))) return null;
          releases.push(() => releaseOwnedRecord(store, key, claim));
        }
        return insertUser(user);
      };
      const created = await claimAll();
      if (created) return created;
      for (const release of releases) await release();
      throw new Error("The account, the passkey or the address belongs to another user.");
    },
    async getUser(id) {
      const record = await users.get(id);
      return isLive(record) ? unpack<AdapterUser>(record.user) : null;
    },
    async getUserByEmail(email) {
      if (!isAddress(email)) return null;
      const claim = await emails.get(email);
      // An unknown address causes as many reads, so that the response time does not reveal who has an account.
      const record = await users.get(claim?.userId ?? "");
      return claim && isLive(record) && hasEmail(email)(record)
        ? unpack<AdapterUser>(record.user)
        : null;
    },
    async updateUser({ id, ...changes }) {
      const [before, after] = await retryOnConflict(async () => {
        const entry = await users.read(id);
        if (!isLive(entry?.value)) throw new Error("The user does not exist.");
        const { user } = entry.value;
        const { email } = changes;
        const isOther = email !== undefined && email !== user.data.email;
        const moves = isAddress(email) && isOther;
        if (moves && !(await claimEmail(stores, email, id))) {
          throw new Error("The address belongs to another user.");
        }
        const value = {
          ...entry.value,
          rev: entry.value.rev + 1,
          // A provider's statement about one address does not apply to another.
          user: mergePacked(user, { ...(isOther && { emailAttested: null }), ...changes }),
        };
        return (await users.compareAndSet(id, entry, value)) ? [user, value.user] : undefined;
      });
      const { email } = before.data;
      if (isAddress(email) && email !== after.data.email) await releaseEmail(stores, email, id);
      return unpack<AdapterUser>(after);
    },
    deleteUser: (id) => deleteUser(stores, id),
    async deleteSessionsByUserId(id) {
      await change(id, ({ epoch }) => ({ epoch: epoch + 1, spared: undefined }));
    },
    async revokeUserAccess(id, { emailVerified } = {}) {
      const changed = await change(id, (record) => ({
        epoch: record.epoch + 1,
        spared: undefined,
        generation: record.generation + 1,
        user: mergePacked(record.user, { emailVerified }),
      }));
      if (!changed) throw new Error("The user does not exist.");
      // The write above revokes all of these except what a provider has attested. This removes the records.
      const isOld = ({ generation }: { generation: number }) => generation < changed.generation;
      await renewAttested(stores, id, changed);
      await dropAll(accounts, id, isOld);
      await dropAll(passkeys, id, isOld);
      await dropSessions(stores, id, (epoch) => epoch < changed.epoch);
      return unpack<AdapterUser>(changed.user);
    },
  };
}
