import { randomHex, randomUUID } from "../../crypto/crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { address, inHours, newUser, shown } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** Tests that users are found and changed, and do not share an address. */
export function testUsers({
  describe,
  test,
  expect,
  race,
  fails,
  each,
  enroll,
  parallel,
  rounds,
}: AdapterSuite): void {
  describe("Adapter: users", () => {
    test(
      "getUser and getUserByEmail return the user that createUser stored",
      ["getUserByEmail", "getUser"],
      async (adapter) => {
        const given = newUser();
        const user = await adapter.createUser(given);
        expect(shown(user)).toEqual({ ...shown(given), id: String(user.id) });
        expect(shown(await adapter.getUser(String(user.id)))).toEqual(shown(user));
        expect(shown(await adapter.getUserByEmail(given.email))).toEqual(shown(user));
      },
    );

    test("getUser returns null for an unknown id", ["lenient-ids", "getUser"], async (adapter) => {
      expect((await adapter.getUser(randomUUID())) ?? null).toBe(null);
    });

    test(
      "getUserByEmail returns null for an unknown address",
      ["getUserByEmail"],
      async (adapter) => {
        expect((await adapter.getUserByEmail(address())) ?? null).toBe(null);
      },
    );

    test(
      "updateUser changes the fields it is given and leaves the others alone",
      ["updateUser", "getUser"],
      async (adapter) => {
        const user = await enroll(adapter);
        const emailVerified = inHours(0);
        const changed = await adapter.updateUser({ id: user.id, name: "Countess", emailVerified });
        const expected = {
          ...shown(user),
          name: "Countess",
          emailVerified: emailVerified.getTime(),
        };
        expect(shown(changed)).toEqual(expected);
        expect(shown(await adapter.getUser(user.id))).toEqual(expected);
      },
    );

    test(
      "updateUser moves a user to another address and frees the old one",
      ["moves", "updateUser", "getUserByEmail"],
      async (adapter) => {
        const user = await enroll(adapter);
        const email = address();
        await adapter.updateUser({ id: user.id, email });
        expect((await adapter.getUserByEmail(email))?.email).toBe(email);
        expect((await adapter.getUserByEmail(user.email)) ?? null).toBe(null);
        expect((await enroll(adapter, { email: user.email })).email).toBe(user.email);
      },
    );

    test(
      "createUser rejects an address in use: of N concurrent callers exactly one gets it",
      ["unique-email", "createUser"],
      async (adapter) => {
        const { email } = await enroll(adapter);
        expect(await fails(() => adapter.createUser(newUser({ email })))).toBe(true);
        for (let round = 0; round < rounds; round++) {
          const wanted = address();
          expect(await race(async () => adapter.createUser(newUser({ email: wanted })))).toBe(1);
        }
      },
    );

    test(
      "updateUser rejects an address in use: of N concurrent callers exactly one gets it",
      ["unique-email", "updateUser", "getUser"],
      async (adapter) => {
        for (let round = 0; round < rounds; round++) {
          const email = address();
          const users = await Promise.all(Array.from({ length: parallel }, () => enroll(adapter)));
          const moved = await race(async (at) =>
            adapter.updateUser({ id: users[at]?.id ?? "", email }),
          );
          expect(moved).toBe(1);
          const now = await Promise.all(users.map(({ id }) => adapter.getUser(id)));
          expect(now.filter((user) => user?.email === email).length).toBe(1);
        }
      },
    );

    test(
      "createUser accepts several users without an address",
      ["odd-text", "getUserByEmail"],
      async (adapter) => {
        const email = null as unknown as string;
        const [one, other] = [await enroll(adapter, { email }), await enroll(adapter, { email })];
        expect(one.id === other.id).toBe(false);
        expect((await adapter.getUserByEmail("null")) ?? null).toBe(null);
      },
    );

    test(
      "createUser and getUserByEmail keep names and addresses with odd characters apart",
      ["odd-text", "getUserByEmail"],
      async (adapter) => {
        const start = randomHex(4);
        const texts = [...new Set(ODD_TEXTS)].map((text) => `${text}${start}`);
        const made = new Map<string, string>();
        await each(texts, async (email) =>
          made.set(email, (await enroll(adapter, { email, name: email })).id),
        );
        await each(texts, async (email) => {
          const found = await adapter.getUserByEmail(email);
          expect([found?.id, found?.email, found?.name]).toEqual([made.get(email), email, email]);
        });
        expect((await adapter.getUserByEmail("")) ?? null).toBe(null);
      },
    );
  });
}
