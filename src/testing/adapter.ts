import { randomHex, randomUUID } from "../crypto.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterUser,
  VerificationToken,
} from "../types/adapter.ts";
import type { Awaitable } from "../types/models.ts";
import { ODD_TEXTS, type TestRunner } from "./store.ts";

/** Something that an adapter may not promise, since its database was not told to. */
export type AdapterTrait =
  /** Of many who ask for one address, one gets it. */
  | "unique-email"
  /** Of many who link one account, one gets it. */
  | "unique-account"
  /** Of many who redeem one token, one may. */
  | "one-time"
  /** Whatever can be written is found again, and nothing else is. */
  | "odd-text"
  /** Who moves to another address leaves the old one. */
  | "moves"
  /** With a person goes all that was theirs. */
  | "cascade"
  /** A look-up of what was never there answers `null` and does not throw. */
  | "lenient-ids";

/** What an adapter's suite may be told. */
export interface AdapterSuiteOptions {
  /** What is not promised; its tests are left out. */
  without?: readonly AdapterTrait[];
  /** Parallel callers in a race. Default 20. */
  parallel?: number;
  /** Races of each kind. Default 5. */
  rounds?: number;
  /** Milliseconds that one test may take. Default 30000. */
  timeout?: number;
}

type Full = Required<Adapter>;

const HOUR = 3_600_000;

// Databases keep whole seconds at least.
const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR);

const address = () => `${randomHex(8)}@example.com`;

const newUser = (more: Partial<AdapterUser> = {}): AdapterUser => ({
  id: randomUUID(),
  email: address(),
  name: "Ada Lovelace",
  image: "https://example.com/ada.png",
  emailVerified: null,
  ...more,
});

const newAccount = (userId: string, more: Partial<AdapterAccount> = {}): AdapterAccount => ({
  userId,
  provider: "github",
  providerAccountId: randomUUID(),
  type: "oauth",
  access_token: "access",
  refresh_token: "refresh",
  expires_at: 1_900_000_000,
  token_type: "bearer",
  scope: "read",
  ...more,
});

const newPasskey = (userId: string): AdapterAuthenticator => ({
  credentialID: btoa(randomHex(16)),
  userId,
  providerAccountId: randomUUID(),
  credentialPublicKey: btoa("key"),
  counter: 0,
  credentialDeviceType: "multiDevice",
  credentialBackedUp: true,
  transports: "internal,hybrid",
});

const timeOf = (date: unknown) => (date instanceof Date ? date.getTime() : date);

// What every adapter keeps of a user; ids may be numbers.
const shown = (user: AdapterUser | null | undefined) =>
  user && {
    id: String(user.id),
    email: user.email,
    name: user.name ?? null,
    image: user.image ?? null,
    emailVerified: timeOf(user.emailVerified) ?? null,
  };

/**
 * The contract of an adapter as a test suite: for whoever writes one. Methods it lacks are left out.
 * @example
 * import { describe, expect, it } from "vitest";
 * testAdapter(() => myAdapter(client), { describe, expect, it });
 */
export function testAdapter(
  make: () => Awaitable<Adapter>,
  { describe, it, expect }: TestRunner,
  options: AdapterSuiteOptions = {},
): void {
  const { without = [], parallel = 20, rounds = 5, timeout = 30_000 } = options;
  let made: Promise<Adapter> | undefined;
  const use = () => (made ??= (async () => make())());

  // A body that needs methods the adapter lacks, or a trait it was said not to have, proves nothing.
  const test = (
    name: string,
    needs: readonly (keyof Adapter | AdapterTrait)[],
    body: (adapter: Full) => Promise<void>,
  ): void => {
    if (without.some((trait) => needs.includes(trait))) return;
    it(
      name,
      async () => {
        const adapter = await use();
        const traits: readonly string[] = ["unique-email", "unique-account", "one-time"];
        const others: readonly string[] = ["odd-text", "moves", "cascade", "lenient-ids"];
        const methods = needs.filter((need) => ![...traits, ...others].includes(need));
        if (methods.some((method) => !adapter[method as keyof Adapter])) return;
        await body(adapter as Full);
      },
      timeout,
    );
  };

  // How many of many at once were let.
  const race = async (work: (at: number) => Promise<unknown>): Promise<number> => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: parallel }, async (_, at) => work(at)),
    );
    return outcomes.filter(
      (outcome) =>
        outcome.status === "fulfilled" && outcome.value !== null && outcome.value !== false,
    ).length;
  };
  const fails = async (work: () => Awaitable<unknown>): Promise<boolean> => {
    try {
      await work();
      return false;
    } catch {
      return true;
    }
  };
  const enroll = async (adapter: Full, more: Partial<AdapterUser> = {}) => {
    const user = await adapter.createUser(newUser(more));
    return { ...user, id: String(user.id) };
  };

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

  describe("accounts", () => {
    test("lead to their owner", ["getUserByAccount", "linkAccount"], async (adapter) => {
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
    });

    test("keep their tokens", ["getAccount", "linkAccount"], async (adapter) => {
      const user = await enroll(adapter);
      const account = newAccount(user.id);
      await adapter.linkAccount(account);
      const found = await adapter.getAccount(account.providerAccountId, account.provider);
      expect(found?.access_token).toBe("access");
      expect(Number(found?.expires_at)).toBe(account.expires_at);
      expect((await adapter.getAccount(randomUUID(), account.provider)) ?? null).toBe(null);
    });

    test("are unlinked", ["unlinkAccount", "getUserByAccount"], async (adapter) => {
      const user = await enroll(adapter);
      const account = newAccount(user.id);
      const { provider, providerAccountId } = account;
      await adapter.linkAccount(account);
      await adapter.unlinkAccount({ provider, providerAccountId });
      const found = await adapter.getUserByAccount({ provider, providerAccountId });
      expect(found ?? null).toBe(null);
    });

    test("belong to one person", ["unique-account", "getUserByAccount"], async (adapter) => {
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
    });

    test("of odd ids", ["odd-text", "getUserByAccount", "linkAccount"], async (adapter) => {
      const start = randomHex(4);
      const texts = [...new Set(ODD_TEXTS)];
      const owners = new Map<string, string>();
      for (const text of texts) {
        const { id } = await enroll(adapter);
        owners.set(text, id);
        await adapter.linkAccount(newAccount(id, { provider: start, providerAccountId: text }));
      }
      for (const text of texts) {
        const key = { provider: start, providerAccountId: text };
        expect((await adapter.getUserByAccount(key))?.id).toBe(owners.get(text));
      }
      const swapped = { provider: "a", providerAccountId: start };
      expect((await adapter.getUserByAccount(swapped)) ?? null).toBe(null);
    });

    test("get new tokens and keep the others", ["updateAccount", "getAccount"], async (adapter) => {
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
    });

    test("come with their person, once", ["createUserWithAccount", "getUser"], async (adapter) => {
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
    });
  });

  describe("sessions", () => {
    const begin = async (adapter: Full, expires = inHours(1)) => {
      const user = await enroll(adapter);
      const sessionToken = randomUUID();
      await adapter.createSession({ sessionToken, userId: user.id, expires });
      return { user, sessionToken, expires };
    };

    test("are found with their person", ["createSession", "getSessionAndUser"], async (adapter) => {
      const { user, sessionToken, expires } = await begin(adapter);
      const found = await adapter.getSessionAndUser(sessionToken);
      expect(shown(found?.user)).toEqual(shown(user));
      expect(found?.session.sessionToken).toBe(sessionToken);
      expect(String(found?.session.userId)).toBe(user.id);
      expect(timeOf(found?.session.expires)).toBe(expires.getTime());
      expect((await adapter.getSessionAndUser(randomUUID())) ?? null).toBe(null);
    });

    test("are extended", ["updateSession", "getSessionAndUser"], async (adapter) => {
      const { user, sessionToken } = await begin(adapter);
      const expires = inHours(5);
      await adapter.updateSession({ sessionToken, expires });
      const found = await adapter.getSessionAndUser(sessionToken);
      expect(timeOf(found?.session.expires)).toBe(expires.getTime());
      expect(String(found?.session.userId)).toBe(user.id);
    });

    test("are deleted, for good", ["deleteSession", "getSessionAndUser"], async (adapter) => {
      const { sessionToken } = await begin(adapter);
      await adapter.deleteSession(sessionToken);
      expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
      await fails(() => adapter.updateSession({ sessionToken, expires: inHours(5) }));
      expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
    });

    test("are extended once, from where they were", ["extendSession"], async (adapter) => {
      const { sessionToken, expires } = await begin(adapter);
      const ends = await Promise.all(
        Array.from({ length: parallel }, (_, at) =>
          adapter.extendSession(sessionToken, expires, inHours(2 + at)),
        ),
      );
      expect(new Set(ends.map((session) => session?.expires.getTime())).size).toBe(1);
      const found = await adapter.getSessionAndUser(sessionToken);
      expect(found?.session.expires.getTime()).toBe(ends[0]?.expires.getTime());
      await adapter.deleteSession(sessionToken);
      expect(await adapter.extendSession(sessionToken, expires, inHours(9))).toBe(null);
    });

    test("end all at once", ["deleteSessionsByUserId"], async (adapter) => {
      const { user, sessionToken } = await begin(adapter);
      const another = await begin(adapter);
      await adapter.deleteSessionsByUserId(user.id);
      expect(await adapter.getSessionAndUser(sessionToken)).toBe(null);
      expect((await adapter.getSessionAndUser(another.sessionToken)) !== null).toBe(true);
      const later = randomUUID();
      await adapter.createSession({ sessionToken: later, userId: user.id, expires: inHours(1) });
      expect((await adapter.getSessionAndUser(later))?.user.id).toBe(user.id);
    });
  });

  describe("one-time tokens", () => {
    const newToken = (): VerificationToken => ({
      identifier: address(),
      token: randomHex(32),
      expires: inHours(1),
    });

    test("work once", ["createVerificationToken", "useVerificationToken"], async (adapter) => {
      const given = newToken();
      const { identifier, token, expires } = given;
      await adapter.createVerificationToken(given);
      expect((await adapter.useVerificationToken({ identifier, token: "x" })) ?? null).toBe(null);
      const strange = { identifier: address(), token };
      expect((await adapter.useVerificationToken(strange)) ?? null).toBe(null);
      const used = await adapter.useVerificationToken({ identifier, token });
      expect([used?.identifier, used?.token, timeOf(used?.expires)]).toEqual([
        identifier,
        token,
        expires.getTime(),
      ]);
      expect((await adapter.useVerificationToken({ identifier, token })) ?? null).toBe(null);
    });

    test("work for one of many", ["one-time", "useVerificationToken"], async (adapter) => {
      for (let round = 0; round < rounds; round++) {
        const { identifier, token, expires } = newToken();
        await adapter.createVerificationToken({ identifier, token, expires });
        expect(
          await race(
            async () => (await adapter.useVerificationToken({ identifier, token })) ?? null,
          ),
        ).toBe(1);
      }
    });

    test("stand beside one another", ["createVerificationToken"], async (adapter) => {
      const one = newToken();
      const other = { ...newToken(), identifier: one.identifier };
      await adapter.createVerificationToken(one);
      await adapter.createVerificationToken(other);
      for (const { identifier, token } of [one, other]) {
        expect((await adapter.useVerificationToken({ identifier, token }))?.token).toBe(token);
      }
    });
  });

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
  });

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
      await adapter.resetUser(user.id);
      expect(shown(await adapter.getUserByEmail(user.email))).toEqual(shown(user));
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
