import { randomUUID } from "../../crypto/crypto.ts";
import { inHours, newAccount, newPasskey, shown } from "./rows.ts";
import type { AdapterSuite, Full } from "./suite.ts";

/** Tests that removing a user, or the user's access, leaves no record behind. */
export function testRemovals({ describe, test, expect, fails, enroll }: AdapterSuite): void {
  describe("Adapter: removal of users", () => {
    const enrollWithAccess = async (adapter: Full) => {
      const user = await enroll(adapter);
      const account = newAccount(user.id);
      await adapter.linkAccount(account);
      const sessionToken = randomUUID();
      await adapter.createSession({ sessionToken, userId: user.id, expires: inHours(1) });
      const { provider, providerAccountId } = account;
      return { user, account, sessionToken, key: { provider, providerAccountId } };
    };

    test(
      "deleteUser removes the user's accounts and sessions",
      ["cascade", "deleteUser"],
      async (adapter) => {
        const { user, account, sessionToken, key } = await enrollWithAccess(adapter);
        await adapter.deleteUser(user.id);
        expect((await adapter.getUser(user.id)) ?? null).toBe(null);
        expect((await adapter.getUserByEmail(user.email)) ?? null).toBe(null);
        expect((await adapter.getUserByAccount(key)) ?? null).toBe(null);
        expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
        const next = await enroll(adapter, { email: user.email });
        await adapter.linkAccount({ ...account, userId: next.id });
        expect(String((await adapter.getUserByAccount(key))?.id)).toBe(next.id);
      },
    );

    test(
      "revokeUserAccess removes every sign-in method and session, and keeps the user",
      ["revokeUserAccess"],
      async (adapter) => {
        const { user, account, sessionToken, key } = await enrollWithAccess(adapter);
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
  });
}
