import { randomUUID } from "../../../src/index.ts";
import type { Adapter, AdapterUser } from "../../../src/index.ts";
import { accountKey, possess } from "./accounts.ts";
import {
  claimEmail,
  claimPossession,
  hasEmail,
  releaseEmail,
  releasePossession,
} from "./claims.ts";
import { deleteUser, dropAll } from "./deletion.ts";
import { lay, pack, type Packed, unpack } from "./packed.ts";
import {
  isLive,
  type Listing,
  persist,
  type Place,
  type Possession,
  type Shelves,
  type UserRecord,
} from "./records.ts";

type Users = Pick<
  Required<Adapter>,
  | "createUser"
  | "createUserWithAccount"
  | "getUser"
  | "getUserByEmail"
  | "updateUser"
  | "deleteUser"
  | "deleteSessionsByUserId"
  | "resetUser"
>;

type Live = UserRecord & { readonly user: Packed };

const isAddress = (email: unknown): email is string => typeof email === "string" && email !== "";

function newUser(user: AdapterUser): AdapterUser {
  return { ...user, id: user.id || randomUUID(), emailVerified: user.emailVerified ?? null };
}

/** The methods that deal with people. Addresses are compared as they are: the flows fold them. */
export function createUsers(shelves: Shelves): Users {
  const { users, emails, accounts, passkeys } = shelves;

  // First the address, then the person: who is there has it. `null` when either is another's.
  const enroll = async (user: AdapterUser): Promise<AdapterUser | null> => {
    const { id, email } = user;
    if (isAddress(email) && !(await claimEmail(shelves, email, id))) return null;
    const record = { rev: 0, epoch: 0, generation: 0, user: pack(user) };
    if (await users.putIfAbsent(id, record)) return unpack<AdapterUser>(record.user);
    if (isAddress(email)) await releaseEmail(shelves, email, id);
    return null;
  };

  const change = (id: string, next: (record: Live) => Partial<UserRecord>) =>
    persist(async () => {
      const entry = await users.read(id);
      if (!isLive(entry?.value)) return null;
      const value = { ...entry.value, ...next(entry.value), rev: entry.value.rev + 1 };
      return (await users.compareAndSet(id, entry, value)) ? value : undefined;
    });

  return {
    async createUser(given) {
      const user = await enroll(newUser(given));
      if (!user) throw new Error("The address or the id belongs to another user.");
      return user;
    },
    async createUserWithAccount(given, account, passkey) {
      const user = newUser(given);
      const wanted: (readonly [Place<Possession>, Listing, object])[] = [
        [accounts, accountKey(account), account],
        ...(passkey ? [[passkeys, [passkey.credentialID], passkey] as const] : []),
      ];
      const held: (() => Promise<void>)[] = [];
      // The person comes last: before, neither claim counts, and a crash leaves nothing in the way.
      const take = async (): Promise<AdapterUser | null> => {
        for (const [place, key, what] of wanted) {
          const claim = possess({ ...what, userId: user.id }, 0);
          if (!(await claimPossession(shelves, place, key, claim, () => claim))) return null;
          held.push(() => releasePossession(place, key, claim));
        }
        return enroll(user);
      };
      const created = await take();
      if (created) return created;
      for (const release of held) await release();
      throw new Error("The account, the passkey or the address belongs to another user.");
    },
    async getUser(id) {
      const record = await users.get(id);
      return isLive(record) ? unpack<AdapterUser>(record.user) : null;
    },
    async getUserByEmail(email) {
      if (!isAddress(email)) return null;
      const claim = await emails.get(email);
      const record = claim && (await users.get(claim.userId));
      return isLive(record) && hasEmail(email)(record) ? unpack<AdapterUser>(record.user) : null;
    },
    async updateUser({ id, ...changes }) {
      const [before, after] = await persist(async () => {
        const entry = await users.read(id);
        if (!isLive(entry?.value)) throw new Error("There is no such user.");
        const { user } = entry.value;
        const { email } = changes;
        const moves = isAddress(email) && email !== user.data.email;
        if (moves && !(await claimEmail(shelves, email, id))) {
          throw new Error("The address belongs to another user.");
        }
        const value = { ...entry.value, rev: entry.value.rev + 1, user: lay(user, changes) };
        return (await users.compareAndSet(id, entry, value)) ? [user, value.user] : undefined;
      });
      const { email } = before.data;
      if (isAddress(email) && email !== after.data.email) await releaseEmail(shelves, email, id);
      return unpack<AdapterUser>(after);
    },
    deleteUser: (id) => deleteUser(shelves, id),
    async deleteSessionsByUserId(id) {
      await change(id, ({ epoch }) => ({ epoch: epoch + 1 }));
    },
    async resetUser(id, { emailVerified } = {}) {
      const changed = await change(id, (record) => ({
        epoch: record.epoch + 1,
        generation: record.generation + 1,
        user: lay(record.user, { emailVerified }),
      }));
      if (!changed) throw new Error("There is no such user.");
      // They are dead already; this is to leave nothing about.
      const isOld = ({ generation }: { generation: number }) => generation < changed.generation;
      await dropAll(accounts, id, isOld);
      await dropAll(passkeys, id, isOld);
      await dropAll(shelves.sessions, id, ({ epoch }) => epoch < changed.epoch);
      return unpack<AdapterUser>(changed.user);
    },
  };
}
