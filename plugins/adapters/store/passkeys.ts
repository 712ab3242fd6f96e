import type { Adapter, AdapterAuthenticator } from "../../../src/index.ts";
import { possess } from "./accounts.ts";
import { claimPossession, isOf, releasePossession } from "./claims.ts";
import { lay, unpack } from "./packed.ts";
import { collect, isLive, type Listing, persist, type Shelves, vacate } from "./records.ts";

type Passkeys = Pick<
  Required<Adapter>,
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "useAuthenticator"
  | "deleteAuthenticator"
>;

/** The methods that deal with passkeys. */
export function createPasskeys(shelves: Shelves): Passkeys {
  const { users, passkeys } = shelves;

  return {
    async createAuthenticator(authenticator) {
      const key: Listing = [authenticator.credentialID];
      const owner = await users.get(authenticator.userId);
      if (!isLive(owner)) throw new Error("There is no such user.");
      const claim = possess(authenticator, owner.generation);
      let isNew = true;
      const made = await claimPossession(shelves, passkeys, key, claim, (known) => {
        isNew = false;
        return known;
      });
      // WebAuthn level 3, section 7.1: an id is registered once, also for its owner.
      if (!made || !isNew) throw new Error("The passkey is registered already.");
      if (isLive(await users.get(authenticator.userId))) return authenticator;
      await releasePossession(passkeys, key, made);
      throw new Error("There is no such user.");
    },
    async getAuthenticator(credentialID) {
      const claim = await passkeys.shelf.get(credentialID);
      const owner = claim && (await users.get(claim.userId));
      return claim && isLive(owner) && isOf(claim)(owner) ? unpack(claim.what) : null;
    },
    async listAuthenticatorsByUserId(userId) {
      const owner = await users.get(userId);
      if (!isLive(owner)) return [];
      const listed = await collect(passkeys.list.scan(userId));
      const found = await Promise.all(listed.map((key) => passkeys.shelf.get(key)));
      return found.flatMap((claim) =>
        claim?.userId === userId && isOf(claim)(owner)
          ? [{ ...unpack<AdapterAuthenticator>(claim.what), created: new Date(claim.at) }]
          : [],
      );
    },
    async updateAuthenticatorCounter(credentialID, counter) {
      return persist(async () => {
        const entry = await passkeys.shelf.read(credentialID);
        if (!entry) throw new Error("There is no such passkey.");
        const what = lay(entry.value.what, { counter });
        const next = { ...entry.value, what };
        if (!(await passkeys.shelf.compareAndSet(credentialID, entry, next))) return undefined;
        return unpack<AdapterAuthenticator>(what);
      });
    },
    async useAuthenticator(credentialID, from, use) {
      return persist(async () => {
        const entry = await passkeys.shelf.read(credentialID);
        if (entry?.value.what.data.counter !== from) return null;
        const what = lay(entry.value.what, use);
        const next = { ...entry.value, what };
        if (!(await passkeys.shelf.compareAndSet(credentialID, entry, next))) return undefined;
        return unpack<AdapterAuthenticator>(what);
      });
    },
    async deleteAuthenticator(credentialID, userId) {
      return persist(async () => {
        const entry = await passkeys.shelf.read(credentialID);
        if (entry?.value.userId !== userId) return null;
        if (!(await vacate(passkeys.shelf, credentialID, entry))) return undefined;
        await passkeys.list.delete([userId, credentialID]);
        return unpack<AdapterAuthenticator>(entry.value.what);
      });
    },
  };
}
