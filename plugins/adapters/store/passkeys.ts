import { retryOnConflict } from "../../../src/_kit.ts";
import type { Adapter, AdapterAuthenticator } from "../../../src/kernel.ts";
import { createOwnedRecord } from "./accounts.ts";
import { claimOwnedRecord, isOfGeneration, releaseOwnedRecord } from "./claims.ts";
import { mergePacked, unpack } from "./dated-json.ts";
import { collect, isLive, type IndexKey, type AdapterStores } from "./records.ts";

type Passkeys = Pick<
  Required<Adapter>,
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "recordAuthenticatorUse"
  | "deleteAuthenticator"
>;

/** Creates the adapter's passkey methods. */
export function createPasskeys(stores: AdapterStores): Passkeys {
  const { users, passkeys } = stores;

  return {
    async createAuthenticator(authenticator) {
      const key: IndexKey = [authenticator.credentialID];
      const owner = await users.get(authenticator.userId);
      if (!isLive(owner)) throw new Error("The user does not exist.");
      const claim = createOwnedRecord(authenticator, owner.generation);
      let isNew = true;
      const claimed = await claimOwnedRecord(stores, passkeys, key, claim, (known) => {
        isNew = false;
        return known;
      });
      // WebAuthn Level 3, section 7.1: a credential id is registered only once, even for the same user.
      if (!claimed || !isNew) throw new Error("The passkey is already registered.");
      if (isLive(await users.get(authenticator.userId))) return authenticator;
      await releaseOwnedRecord(passkeys, key, claimed);
      throw new Error("The user does not exist.");
    },
    async getAuthenticator(credentialID) {
      const claim = await passkeys.records.get(credentialID);
      const owner = claim && (await users.get(claim.userId));
      return claim && isLive(owner) && isOfGeneration(claim)(owner) ? unpack(claim.what) : null;
    },
    async listAuthenticatorsByUserId(userId) {
      const owner = await users.get(userId);
      if (!isLive(owner)) return [];
      const listed = await collect(passkeys.index.scan(userId));
      const found = await Promise.all(listed.map((key) => passkeys.records.get(key)));
      return found.flatMap((claim) =>
        claim?.userId === userId && isOfGeneration(claim)(owner)
          ? [{ ...unpack<AdapterAuthenticator>(claim.what), created: new Date(claim.at) }]
          : [],
      );
    },
    async updateAuthenticatorCounter(credentialID, counter) {
      return retryOnConflict(async () => {
        const entry = await passkeys.records.read(credentialID);
        if (!entry) throw new Error("The passkey does not exist.");
        const what = mergePacked(entry.value.what, { counter });
        const next = { ...entry.value, what };
        if (!(await passkeys.records.compareAndSet(credentialID, entry, next))) return undefined;
        return unpack<AdapterAuthenticator>(what);
      });
    },
    async recordAuthenticatorUse(credentialID, from, use) {
      return retryOnConflict(async () => {
        const entry = await passkeys.records.read(credentialID);
        if (entry?.value.what.data.counter !== from) return null;
        const what = mergePacked(entry.value.what, use);
        const next = { ...entry.value, what };
        if (!(await passkeys.records.compareAndSet(credentialID, entry, next))) return undefined;
        return unpack<AdapterAuthenticator>(what);
      });
    },
    async deleteAuthenticator(credentialID, userId) {
      return retryOnConflict(async () => {
        const entry = await passkeys.records.read(credentialID);
        if (entry?.value.userId !== userId) return null;
        if (!(await passkeys.records.compareAndDelete(credentialID, entry))) return undefined;
        await passkeys.index.delete([userId, credentialID]);
        return unpack<AdapterAuthenticator>(entry.value.what);
      });
    },
  };
}
