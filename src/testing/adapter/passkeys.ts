import { randomHex, randomUUID } from "../../crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { newAccount, newPasskey } from "./rows.ts";
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
}
