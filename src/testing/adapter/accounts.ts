import { randomHex, randomUUID } from "../../crypto/crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { newAccount, newUser, shown } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** Tests that an account belongs to exactly one user. */
export function testAccounts({
  describe,
  test,
  expect,
  race,
  each,
  enroll,
  parallel,
  rounds,
}: AdapterSuite): void {
  describe("Adapter: accounts", () => {
    test(
      "getUserByAccount returns the user the account is linked to",
      ["getUserByAccount", "linkAccount"],
      async (adapter) => {
        const user = await enroll(adapter);
        const account = newAccount(user.id);
        const { provider, providerAccountId } = account;
        await adapter.linkAccount(account);
        const found = await adapter.getUserByAccount({ provider, providerAccountId });
        expect(shown(found)).toEqual(shown(user));
        const elsewhere = await adapter.getUserByAccount({ provider: "google", providerAccountId });
        expect(elsewhere ?? null).toBe(null);
        const other = await adapter.getUserByAccount({ provider, providerAccountId: randomUUID() });
        expect(other ?? null).toBe(null);
      },
    );

    test(
      "getAccount returns the tokens that linkAccount stored",
      ["getAccount", "linkAccount"],
      async (adapter) => {
        const user = await enroll(adapter);
        const account = newAccount(user.id);
        await adapter.linkAccount(account);
        const found = await adapter.getAccount(account.providerAccountId, account.provider);
        expect(found?.access_token).toBe("access");
        expect(Number(found?.expires_at)).toBe(account.expires_at);
        expect((await adapter.getAccount(randomUUID(), account.provider)) ?? null).toBe(null);
      },
    );

    test(
      "unlinkAccount removes the account",
      ["unlinkAccount", "getUserByAccount", "linkAccount"],
      async (adapter) => {
        const user = await enroll(adapter);
        const account = newAccount(user.id);
        const { provider, providerAccountId } = account;
        await adapter.linkAccount(account);
        await adapter.unlinkAccount({ provider, providerAccountId });
        const found = await adapter.getUserByAccount({ provider, providerAccountId });
        expect(found ?? null).toBe(null);
      },
    );

    test(
      "linkAccount is atomic: of N concurrent callers exactly one links the account",
      ["unique-account", "getUserByAccount", "linkAccount"],
      async (adapter) => {
        for (let round = 0; round < rounds; round++) {
          const providerAccountId = randomUUID();
          const users = await Promise.all(Array.from({ length: parallel }, () => enroll(adapter)));
          const linked = await race(async (at) => {
            await adapter.linkAccount(newAccount(users[at]?.id ?? "", { providerAccountId }));
            return true;
          });
          expect(linked).toBe(1);
          const owner = await adapter.getUserByAccount({ provider: "github", providerAccountId });
          expect(users.filter(({ id }) => id === String(owner?.id)).length).toBe(1);
        }
      },
    );

    test(
      "linkAccount and getUserByAccount keep provider account ids with odd characters apart",
      ["odd-text", "getUserByAccount", "linkAccount"],
      async (adapter) => {
        const start = randomHex(4);
        const texts = [...new Set(ODD_TEXTS)];
        const owners = new Map<string, string>();
        await each(texts, async (text) => {
          const { id } = await enroll(adapter);
          owners.set(text, id);
          await adapter.linkAccount(newAccount(id, { provider: start, providerAccountId: text }));
        });
        await each(texts, async (text) => {
          const key = { provider: start, providerAccountId: text };
          expect((await adapter.getUserByAccount(key))?.id).toBe(owners.get(text));
        });
        const swapped = { provider: "a", providerAccountId: start };
        expect((await adapter.getUserByAccount(swapped)) ?? null).toBe(null);
      },
    );

    test(
      "listAccountsByUserId lists the accounts of that user only",
      ["listAccountsByUserId", "linkAccount", "unlinkAccount"],
      async (adapter) => {
        const [user, stranger] = [await enroll(adapter), await enroll(adapter)];
        const mine = newAccount(user.id);
        await adapter.linkAccount(mine);
        await adapter.linkAccount(newAccount(stranger.id));
        const listed = await adapter.listAccountsByUserId(user.id);
        expect(listed.map(({ providerAccountId }) => providerAccountId)).toEqual([
          mine.providerAccountId,
        ]);
        await adapter.unlinkAccount(mine);
        expect(await adapter.listAccountsByUserId(user.id)).toEqual([]);
      },
    );

    test(
      "updateAccount replaces the tokens it is given and leaves the other fields alone",
      ["updateAccount", "getAccount", "linkAccount"],
      async (adapter) => {
        const user = await enroll(adapter);
        const account = newAccount(user.id);
        const { provider, providerAccountId, type } = account;
        await adapter.linkAccount(account);
        const key = { provider, providerAccountId, type };
        await adapter.updateAccount({ ...key, userId: user.id, access_token: "new" });
        const { id: stranger } = await enroll(adapter);
        await adapter.updateAccount({ ...key, userId: stranger, access_token: "stolen" });
        const found = await adapter.getAccount(providerAccountId, provider);
        expect([found?.access_token, found?.refresh_token]).toEqual(["new", "refresh"]);
        expect(found?.userId).toBe(user.id);
      },
    );

    test(
      "createUserWithAccount is atomic: of N concurrent callers exactly one creates a user",
      ["createUserWithAccount", "getUser", "getUserByAccount"],
      async (adapter) => {
        for (let round = 0; round < rounds; round++) {
          const providerAccountId = randomUUID();
          const users = Array.from({ length: parallel }, () => newUser());
          const created = await race(async (at) => {
            const user = users[at] ?? newUser();
            return adapter.createUserWithAccount(user, newAccount(user.id, { providerAccountId }));
          });
          expect(created).toBe(1);
          const there = await Promise.all(users.map(({ id }) => adapter.getUser(id)));
          const owner = await adapter.getUserByAccount({ provider: "github", providerAccountId });
          expect(there.flatMap((user) => user?.id ?? [])).toEqual([owner?.id]);
        }
      },
    );
  });
}
