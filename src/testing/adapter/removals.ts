import { randomUUID } from "../../crypto/crypto.ts";
import type { Adapter } from "../../types/adapter.ts";
import { address, inHours, newAccount, newPasskey, newUser, shown } from "./rows.ts";
import type { AdapterSuite, AdapterWith } from "./suite.ts";

/** Tests that removing a user, or the user's access, leaves no record behind. */
export function testRemovals({ describe, test, expect, fails, enroll }: AdapterSuite): void {
  describe("Adapter: removal of users", () => {
    const enrollWithAccount = async (adapter: AdapterWith<"linkAccount">) => {
      const user = await enroll(adapter);
      const account = newAccount(user.id);
      await adapter.linkAccount(account);
      const { provider, providerAccountId } = account;
      return { user, account, key: { provider, providerAccountId } };
    };
    const begin = async (adapter: AdapterWith<"createSession">, userId: string) => {
      const sessionToken = randomUUID();
      await adapter.createSession({ sessionToken, userId, expires: inHours(1) });
      return sessionToken;
    };

    test(
      "deleteUser removes the user and the user's accounts",
      ["cascade", "deleteUser", "getUser", "getUserByEmail", "linkAccount", "getUserByAccount"],
      async (adapter) => {
        const { user, account, key } = await enrollWithAccount(adapter);
        await adapter.deleteUser(user.id);
        expect((await adapter.getUser(user.id)) ?? null).toBe(null);
        expect((await adapter.getUserByEmail(user.email)) ?? null).toBe(null);
        expect((await adapter.getUserByAccount(key)) ?? null).toBe(null);
        const next = await enroll(adapter, { email: user.email });
        await adapter.linkAccount({ ...account, userId: next.id });
        expect(String((await adapter.getUserByAccount(key))?.id)).toBe(next.id);
      },
    );

    test(
      "deleteUser ends the user's sessions",
      ["cascade", "deleteUser", "createSession", "getSessionAndUser"],
      async (adapter) => {
        const { id } = await enroll(adapter);
        const sessionToken = await begin(adapter, id);
        await adapter.deleteUser(id);
        expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
      },
    );

    test(
      "revokeUserAccess removes every sign-in method and session, and keeps the user",
      [
        "revokeUserAccess",
        "createAuthenticator",
        "getUserByEmail",
        "getUserByAccount",
        "getAccount",
        "getSessionAndUser",
        "getAuthenticator",
        "listAuthenticatorsByUserId",
        "linkAccount",
        "createSession",
      ],
      async (adapter) => {
        const { user, account, key } = await enrollWithAccount(adapter);
        const sessionToken = await begin(adapter, user.id);
        const passkey = newPasskey(user.id);
        await adapter.createAuthenticator(passkey);
        const verified = { emailVerified: inHours(0) };
        const revoked = await adapter.revokeUserAccess(user.id, verified);
        expect(shown(revoked)).toEqual(shown({ ...user, ...verified }));
        expect(shown(await adapter.getUserByEmail(user.email))).toEqual(shown(revoked));
        expect(shown(await adapter.revokeUserAccess(user.id))).toEqual(shown(revoked));
        expect(await fails(() => adapter.revokeUserAccess(randomUUID()))).toBe(true);
        expect(await adapter.getUserByAccount(key)).toBe(null);
        expect(await adapter.getAccount(key.providerAccountId, key.provider)).toBe(null);
        expect(await adapter.getSessionAndUser(sessionToken)).toBe(null);
        expect(await adapter.getAuthenticator(passkey.credentialID)).toBe(null);
        expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual([]);
        await adapter.linkAccount(account);
        expect((await adapter.getUserByAccount(key))?.id).toBe(user.id);
      },
    );

    test(
      "revokeUserAccess keeps the accounts whose provider verified the user's address",
      ["revokeUserAccess", "getUserByAccount", "linkAccount", "getUser"],
      async (adapter) => {
        const { createUserWithAccount } = adapter as Adapter;
        // Without it, every account of a user would be removed, including the user's own.
        expect(typeof createUserWithAccount).toBe("function");
        const user = { ...newUser(), emailAttested: true };
        const attested = newAccount(user.id, { verifiedEmail: user.email });
        const others = [{ verifiedEmail: address() }, { verifiedEmail: false as const }, {}];
        const accounts = [attested, ...others.map((more) => newAccount(user.id, more))];
        await createUserWithAccount?.call(adapter, user, attested);
        expect((await adapter.getUser(user.id))?.emailAttested).toBe(true);
        for (const account of accounts.slice(1)) await adapter.linkAccount(account);
        await adapter.revokeUserAccess(user.id, { emailVerified: inHours(0) });
        const owners = [];
        for (const { provider, providerAccountId } of accounts) {
          owners.push(
            (await adapter.getUserByAccount({ provider, providerAccountId }))?.id ?? null,
          );
        }
        expect(owners).toEqual([user.id, null, null, null]);
      },
    );
  });
}
