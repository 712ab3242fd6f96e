import { randomUUID } from "../../crypto.ts";
import { inHours, newAccount, newPasskey, shown } from "./rows.ts";
import type { AdapterSuite, Full } from "./suite.ts";

/** Whoever goes leaves nothing behind. */
export function testDepartures({ describe, test, expect, fails, enroll }: AdapterSuite): void {
  describe("whoever goes", () => {
    const settle = async (adapter: Full) => {
      const user = await enroll(adapter);
      const account = newAccount(user.id);
      await adapter.linkAccount(account);
      const sessionToken = randomUUID();
      await adapter.createSession({ sessionToken, userId: user.id, expires: inHours(1) });
      const { provider, providerAccountId } = account;
      return { user, account, sessionToken, key: { provider, providerAccountId } };
    };

    test("leaves nothing behind", ["cascade", "deleteUser"], async (adapter) => {
      const { user, account, sessionToken, key } = await settle(adapter);
      await adapter.deleteUser(user.id);
      expect((await adapter.getUser(user.id)) ?? null).toBe(null);
      expect((await adapter.getUserByEmail(user.email)) ?? null).toBe(null);
      expect((await adapter.getUserByAccount(key)) ?? null).toBe(null);
      expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
      const next = await enroll(adapter, { email: user.email });
      await adapter.linkAccount({ ...account, userId: next.id });
      expect(String((await adapter.getUserByAccount(key))?.id)).toBe(next.id);
    });

    test("keeps no way in when reset", ["resetUser"], async (adapter) => {
      const { user, account, sessionToken, key } = await settle(adapter);
      const passkey = newPasskey(user.id);
      await adapter.createAuthenticator(passkey);
      const proof = { emailVerified: inHours(0) };
      const proved = await adapter.resetUser(user.id, proof);
      expect(shown(proved)).toEqual(shown({ ...user, ...proof }));
      expect(shown(await adapter.getUserByEmail(user.email))).toEqual(shown(proved));
      expect(shown(await adapter.resetUser(user.id))).toEqual(shown(proved));
      expect(await fails(() => adapter.resetUser(randomUUID()))).toBe(true);
      expect(await adapter.getUserByAccount(key)).toBe(null);
      expect(await adapter.getAccount(key.providerAccountId, key.provider)).toBe(null);
      expect(await adapter.getSessionAndUser(sessionToken)).toBe(null);
      expect(await adapter.getAuthenticator(passkey.credentialID)).toBe(null);
      expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual([]);
      await adapter.linkAccount(account);
      expect((await adapter.getUserByAccount(key))?.id).toBe(user.id);
    });
  });
}
