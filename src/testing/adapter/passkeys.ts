import { randomHex, randomUUID } from "../../crypto/crypto.ts";
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { newAccount, newPasskey, newUser } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** Tests that passkeys are listed, found and counted. */
export function testPasskeys({
  describe,
  test,
  expect,
  race,
  fails,
  each,
  enroll,
  parallel,
}: AdapterSuite): void {
  describe("Adapter: passkeys", () => {
    test(
      "createAuthenticator stores a passkey that can be found, listed and counted",
      [
        "createAuthenticator",
        "linkAccount",
        "listAuthenticatorsByUserId",
        "getAuthenticator",
        "updateAuthenticatorCounter",
      ],
      async (adapter) => {
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
      },
    );

    test(
      "createAuthenticator and getAuthenticator keep credential ids with odd characters apart",
      ["odd-text", "createAuthenticator", "getAuthenticator", "listAuthenticatorsByUserId"],
      async (adapter) => {
        const start = randomHex(4);
        const { id } = await enroll(adapter);
        const ids = [...new Set(ODD_TEXTS)].map((text) => `${text}${start}`);
        await each(ids, async (credentialID) =>
          adapter.createAuthenticator({ ...newPasskey(id), credentialID }),
        );
        await each(ids, async (credentialID) => {
          expect((await adapter.getAuthenticator(credentialID))?.credentialID).toBe(credentialID);
        });
        expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(ids.length);
      },
    );

    test(
      "createAuthenticator is atomic: of N concurrent callers exactly one registers a credential id",
      ["createAuthenticator", "unique-account"],
      async (adapter) => {
        const users = await Promise.all(Array.from({ length: parallel }, () => enroll(adapter)));
        const known = newPasskey(users[0]?.id ?? "");
        await adapter.createAuthenticator(known);
        expect(await fails(() => adapter.createAuthenticator(known))).toBe(true);
        const { credentialID } = newPasskey("");
        const made = await race(async (at) =>
          adapter.createAuthenticator({ ...newPasskey(users[at]?.id ?? ""), credentialID }),
        );
        expect(made).toBe(1);
      },
    );
  });

  describe("Adapter: passkeys (methods of Keyhook)", () => {
    test(
      "createUserWithAccount creates the user, the account and the passkey, or none of them",
      [
        "createUserWithAccount",
        "createAuthenticator",
        "getAuthenticator",
        "listAuthenticatorsByUserId",
        "getUserByEmail",
        "getAccount",
      ],
      async (adapter) => {
        const create = (given: AdapterUser, passkey: AdapterAuthenticator) =>
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
        expect((await create(user, passkey)).id).toBe(user.id);
        expect(await adapter.getAuthenticator(passkey.credentialID)).toEqual(passkey);
        expect((await adapter.listAuthenticatorsByUserId(user.id)).length).toBe(1);

        // The passkey belongs to another user, so neither the user nor the account is created.
        const other = newUser();
        const { credentialID } = passkey;
        const borrowed = { ...newPasskey(other.id), credentialID };
        expect(await fails(() => create(other, borrowed))).toBe(true);
        expect(await adapter.getUserByEmail(other.email)).toBe(null);
        expect(await adapter.getAccount(borrowed.providerAccountId, "github")).toBe(null);
        expect((await adapter.getAuthenticator(credentialID))?.userId).toBe(user.id);

        // The address belongs to another user, so the passkey stays unregistered.
        const namesake = newUser({ email: user.email });
        const unused = newPasskey(namesake.id);
        expect(await fails(() => create(namesake, unused))).toBe(true);
        expect(await adapter.getAuthenticator(unused.credentialID)).toBe(null);
        await adapter.createAuthenticator({ ...unused, userId: user.id });
      },
    );

    test(
      "recordAuthenticatorUse is atomic: of N concurrent callers exactly one updates the counter",
      ["recordAuthenticatorUse", "createAuthenticator"],
      async (adapter) => {
        const { id } = await enroll(adapter);
        const passkey = newPasskey(id);
        const { credentialID } = passkey;
        await adapter.createAuthenticator(passkey);
        const use = (from: number, counter: number) =>
          adapter.recordAuthenticatorUse(credentialID, from, {
            counter,
            credentialBackedUp: false,
          });
        expect(await use(0, 0)).toEqual({ ...passkey, credentialBackedUp: false });
        expect(await race(async (at) => use(0, at + 1))).toBe(1);
        expect(await use(0, 99)).toBe(null);
        const unknown = btoa(randomHex(16));
        const change = { counter: 1, credentialBackedUp: false };
        expect(await adapter.recordAuthenticatorUse(unknown, 0, change)).toBe(null);
      },
    );

    test(
      "deleteAuthenticator removes a passkey once, and only for its owner",
      [
        "deleteAuthenticator",
        "createAuthenticator",
        "getAuthenticator",
        "listAuthenticatorsByUserId",
      ],
      async (adapter) => {
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
        // The credential id is free again.
        await adapter.createAuthenticator({ ...passkey, userId: other.id });
        expect((await adapter.listAuthenticatorsByUserId(other.id)).length).toBe(1);
      },
    );

    test(
      "removeSignInMethod keeps one of two sign-in methods that are removed concurrently",
      [
        "removeSignInMethod",
        "linkAccount",
        "createAuthenticator",
        "listAccountsByUserId",
        "listAuthenticatorsByUserId",
      ],
      async (adapter) => {
        const { id } = await enroll(adapter);
        const methods = [newPasskey(id), newPasskey(id)].map((passkey) => ({
          passkey,
          account: newAccount(id, {
            type: "webauthn",
            providerAccountId: passkey.providerAccountId,
          }),
        }));
        for (const { passkey, account } of methods) {
          await adapter.linkAccount(account);
          await adapter.createAuthenticator(passkey);
        }
        const remove = async (at: number) =>
          adapter.removeSignInMethod(
            id,
            { account: methods[at]!.account, credentialID: methods[at]!.passkey.credentialID },
            ({ accounts, passkeys }) => accounts.length > 0 && passkeys.length > 0,
          );
        const ends = await Promise.all([remove(0), remove(1), remove(0), remove(1)]);
        expect(ends.filter((end) => end === "removed").length).toBe(1);
        expect((await adapter.listAccountsByUserId(id)).length).toBe(1);
        expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
        const left = ends.indexOf("removed") % 2 === 0 ? 1 : 0;
        expect(await remove(left)).toBe("last");
        expect(await remove(1 - left)).toBe("not-found");
        // A method that is linked again is not mistaken for the one that is being removed.
        await adapter.linkAccount(methods[1 - left]!.account);
        await adapter.createAuthenticator(methods[1 - left]!.passkey);
        expect(await remove(left)).toBe("removed");
        expect((await adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
      },
    );
  });
}
