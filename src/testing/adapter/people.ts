import { randomHex, randomUUID } from "../../crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { address, inHours, newUser, shown } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** People are found, changed, and do not share an address. */
export function testPeople({
  describe,
  test,
  expect,
  race,
  fails,
  enroll,
  parallel,
  rounds,
}: AdapterSuite): void {
  describe("people", () => {
    test("are found by id and address", ["getUserByEmail", "getUser"], async (adapter) => {
      const given = newUser();
      const user = await adapter.createUser(given);
      expect(shown(user)).toEqual({ ...shown(given), id: String(user.id) });
      expect(shown(await adapter.getUser(String(user.id)))).toEqual(shown(user));
      expect(shown(await adapter.getUserByEmail(given.email))).toEqual(shown(user));
    });

    test("who are not there are null", ["lenient-ids", "getUser"], async (adapter) => {
      expect((await adapter.getUser(randomUUID())) ?? null).toBe(null);
    });

    test("whose address is not there are null", ["getUserByEmail"], async (adapter) => {
      expect((await adapter.getUserByEmail(address())) ?? null).toBe(null);
    });

    test("change in what is said, and in nothing else", ["updateUser"], async (adapter) => {
      const user = await enroll(adapter);
      const emailVerified = inHours(0);
      const changed = await adapter.updateUser({ id: user.id, name: "Countess", emailVerified });
      const expected = { ...shown(user), name: "Countess", emailVerified: emailVerified.getTime() };
      expect(shown(changed)).toEqual(expected);
      expect(shown(await adapter.getUser(user.id))).toEqual(expected);
    });

    test("move to another address", ["moves", "updateUser", "getUserByEmail"], async (adapter) => {
      const user = await enroll(adapter);
      const email = address();
      await adapter.updateUser({ id: user.id, email });
      expect((await adapter.getUserByEmail(email))?.email).toBe(email);
      expect((await adapter.getUserByEmail(user.email)) ?? null).toBe(null);
      expect((await enroll(adapter, { email: user.email })).email).toBe(user.email);
    });

    test("do not share an address", ["unique-email", "createUser"], async (adapter) => {
      const { email } = await enroll(adapter);
      expect(await fails(() => adapter.createUser(newUser({ email })))).toBe(true);
      for (let round = 0; round < rounds; round++) {
        const wanted = address();
        expect(await race(async () => adapter.createUser(newUser({ email: wanted })))).toBe(1);
      }
    });

    test("do not move to one address", ["unique-email", "updateUser"], async (adapter) => {
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
    });

    test("may have no address", ["odd-text", "getUserByEmail"], async (adapter) => {
      const email = null as unknown as string;
      const [one, other] = [await enroll(adapter, { email }), await enroll(adapter, { email })];
      expect(one.id === other.id).toBe(false);
      expect((await adapter.getUserByEmail("null")) ?? null).toBe(null);
    });

    test("of odd names and addresses", ["odd-text", "getUserByEmail"], async (adapter) => {
      const start = randomHex(4);
      const texts = [...new Set(ODD_TEXTS)].map((text) => `${text}${start}`);
      const made = new Map<string, string>();
      for (const email of texts)
        made.set(email, (await enroll(adapter, { email, name: email })).id);
      for (const email of texts) {
        const found = await adapter.getUserByEmail(email);
        expect([found?.id, found?.email, found?.name]).toEqual([made.get(email), email, email]);
      }
      expect((await adapter.getUserByEmail("")) ?? null).toBe(null);
    });
  });
}
