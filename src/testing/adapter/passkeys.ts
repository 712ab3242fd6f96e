import { randomHex, randomUUID } from "../../crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.ts";
import { newAccount, newPasskey, newUser } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** Passkeys are listed, found and counted. */
export function testPasskeys({
  describe,
  test,
  expect,
  race,
  fails,
  enroll,
  parallel,
}: AdapterSuite): void {
  describe("passkeys", () => {
    test("are listed, found and counted", ["createAuthenticator"], async (adapter) => {
      const { id } = await enroll(adapter);
      const passkey = newPasskey(id);
      await adapter.linkAccount(
        newAccount(id, {
          provider: "passkey",
          type: "webauthn",
          providerAccountId: passkey.providerAccountId,
        }),
      );
      expect(await adapter.listAuthenticatorsByUserId(id)).toEqual([]);
      await adapter.createAuthenticator(passkey);
      const { credentialID } = passkey;
      expect((await adapter.getAuthenticator(credentialID))?.userId).toBe(id);
      expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
      expect((await adapter.updateAuthenticatorCounter(credentialID, 7)).counter).toBe(7);
      expect((await adapter.getAuthenticator(credentialID))?.counter).toBe(7);
      expect((await adapter.getAuthenticator(btoa(randomHex(16)))) ?? null).toBe(null);
      expect(await adapter.listAuthenticatorsByUserId(randomUUID())).toEqual([]);
      const unknown = btoa(randomHex(16));
      expect(await fails(() => adapter.updateAuthenticatorCounter(unknown, 1))).toBe(true);
    });

    test("of odd ids", ["odd-text", "createAuthenticator", "getAuthenticator"], async (adapter) => {
      const start = randomHex(4);
      const { id } = await enroll(adapter);
      const ids = [...new Set(ODD_TEXTS)].map((text) => `${text}${start}`);
      for (const credentialID of ids) {
        await adapter.createAuthenticator({ ...newPasskey(id), credentialID });
      }
      for (const credentialID of ids) {
        expect((await adapter.getAuthenticator(credentialID))?.credentialID).toBe(credentialID);
      }
      expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(ids.length);
    });

    test("are registered once", ["createAuthenticator", "unique-account"], async (adapter) => {
      const users = await Promise.all(Array.from({ length: parallel }, () => enroll(adapter)));
      const known = newPasskey(users[0]?.id ?? "");
      await adapter.createAuthenticator(known);
      expect(await fails(() => adapter.createAuthenticator(known))).toBe(true);
      const { credentialID } = newPasskey("");
      const made = await race(async (at) =>
        adapter.createAuthenticator({ ...newPasskey(users[at]?.id ?? ""), credentialID }),
      );
      expect(made).toBe(1);
    });
  });

  describe("passkeys, Keyhook's own", () => {
    test(
      "come with their person and account, all or none",
      ["createUserWithAccount", "createAuthenticator"],
      async (adapter) => {
        const come = (given: AdapterUser, passkey: AdapterAuthenticator) =>
          adapter.createUserWithAccount(
            given,
            newAccount(given.id, {
              type: "webauthn",
              providerAccountId: passkey.providerAccountId,
            }),
            passkey,
          );
        const user = newUser();
        const passkey = newPasskey(user.id);
        expect((await come(user, passkey)).id).toBe(user.id);
        expect(await adapter.getAuthenticator(passkey.credentialID)).toEqual(passkey);
        expect((await adapter.listAuthenticatorsByUserId(user.id)).length).toBe(1);

        // The passkey is somebody's: neither the person nor the account is there.
        const other = newUser();
        const { credentialID } = passkey;
        const borrowed = { ...newPasskey(other.id), credentialID };
        expect(await fails(() => come(other, borrowed))).toBe(true);
        expect(await adapter.getUserByEmail(other.email)).toBe(null);
        expect(await adapter.getAccount(borrowed.providerAccountId, "github")).toBe(null);
        expect((await adapter.getAuthenticator(credentialID))?.userId).toBe(user.id);

        // The address is somebody's: the passkey is free.
        const namesake = newUser({ email: user.email });
        const unused = newPasskey(namesake.id);
        expect(await fails(() => come(namesake, unused))).toBe(true);
        expect(await adapter.getAuthenticator(unused.credentialID)).toBe(null);
        await adapter.createAuthenticator({ ...unused, userId: user.id });
      },
    );

    test("are noted when used, by one of many", ["useAuthenticator"], async (adapter) => {
      const { id } = await enroll(adapter);
      const passkey = newPasskey(id);
      const { credentialID } = passkey;
      await adapter.createAuthenticator(passkey);
      const use = (from: number, counter: number) =>
        adapter.useAuthenticator(credentialID, from, { counter, credentialBackedUp: false });
      expect(await use(0, 0)).toEqual({ ...passkey, credentialBackedUp: false });
      expect(await race(async (at) => use(0, at + 1))).toBe(1);
      expect(await use(0, 99)).toBe(null);
      const unknown = btoa(randomHex(16));
      const change = { counter: 1, credentialBackedUp: false };
      expect(await adapter.useAuthenticator(unknown, 0, change)).toBe(null);
    });

    test("are removed by their owner, once", ["deleteAuthenticator"], async (adapter) => {
      const { id } = await enroll(adapter);
      const passkey = newPasskey(id);
      const { credentialID } = passkey;
      await adapter.createAuthenticator(passkey);
      const other = await enroll(adapter);
      expect((await adapter.deleteAuthenticator(credentialID, other.id)) ?? null).toBe(null);
      expect((await adapter.getAuthenticator(credentialID))?.userId).toBe(id);
      expect(await race(async () => adapter.deleteAuthenticator(credentialID, id))).toBe(1);
      expect(await adapter.getAuthenticator(credentialID)).toBe(null);
      expect(await adapter.listAuthenticatorsByUserId(id)).toEqual([]);
      // It is nobody's now.
      await adapter.createAuthenticator({ ...passkey, userId: other.id });
      expect((await adapter.listAuthenticatorsByUserId(other.id)).length).toBe(1);
    });

    test("leave one of two that are removed together", ["removeWay"], async (adapter) => {
      const { id } = await enroll(adapter);
      const ways = [newPasskey(id), newPasskey(id)].map((passkey) => ({
        passkey,
        account: newAccount(id, {
          type: "webauthn",
          providerAccountId: passkey.providerAccountId,
        }),
      }));
      for (const { passkey, account } of ways) {
        await adapter.linkAccount(account);
        await adapter.createAuthenticator(passkey);
      }
      const remove = async (at: number) =>
        adapter.removeWay(
          id,
          { account: ways[at]!.account, credentialID: ways[at]!.passkey.credentialID },
          ({ accounts, passkeys }) => accounts.length > 0 && passkeys.length > 0,
        );
      const ends = await Promise.all([remove(0), remove(1), remove(0), remove(1)]);
      expect(ends.filter((end) => end === "removed").length).toBe(1);
      expect((await adapter.listAccountsByUserId(id)).length).toBe(1);
      expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
      const left = ends.indexOf("removed") % 2 === 0 ? 1 : 0;
      expect(await remove(left)).toBe("last");
      expect(await remove(1 - left)).toBe("absent");
      // What is claimed anew is not taken for what was on its way out.
      await adapter.linkAccount(ways[1 - left]!.account);
      await adapter.createAuthenticator(ways[1 - left]!.passkey);
      expect(await remove(left)).toBe("removed");
      expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
    });
  });
}
