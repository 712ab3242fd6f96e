import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StoreAdapter } from "../../plugins/adapters/store.ts";
import { releaseOwnedRecord } from "../../plugins/adapters/store/claims.ts";
import { openStores } from "../../plugins/adapters/store/records.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type StoreBackend, sweepStore } from "../../src/kernel.ts";
import { createStore } from "../../src/storage/store.ts";
import { SECRET } from "../_app.ts";
import { spaceOf } from "../_space.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { adapterOn } from "./_namespace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const expires = () => new Date(Date.now() + HOUR);

function open() {
  const entries = new Map<string, unknown>();
  const backend = memoryBackend(entries);
  const text = () => JSON.stringify([...entries.values()]);
  return { backend, entries, adapter: adapterOn(backend), text };
}

/** Returns the adapter of a process that dies before it changes an account. */
function dieAtAccount(backend: StoreBackend) {
  return adapterOn({
    ...backend,
    compareAndSet: (key, ...change) =>
      key.startsWith("adapter-account.")
        ? Promise.reject(new Error("The process is gone."))
        : backend.compareAndSet(key, ...change),
  });
}

const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };
const PASSKEY = {
  ...{ credentialID: "key-1", credentialPublicKey: "a2V5", counter: 0 },
  ...{ credentialDeviceType: "multiDevice" as const, credentialBackedUp: true },
  ...{ providerAccountId: "key-1", userId: ADA.id },
};

describe("records of storeAdapter", () => {
  it("storeAdapter stores session tokens only as hashes", async () => {
    const entries = new Map<string, unknown>();
    const testApp = createClaimsApp({ store: memoryBackend(entries) });
    await testApp.signIn({ sub: "ada", email: ADA.email });
    const token = testApp.browser.cookies.get("authjs.session-token") ?? "";
    expect(token).toHaveLength(36);
    expect(entries.size).toBeGreaterThan(3);
    expect(JSON.stringify([...entries.entries()])).not.toContain(token);
  });

  it("storeAdapter uses no external value as a key", async () => {
    const { entries, adapter } = open();
    await adapter.createUser(ADA);
    const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
    await adapter.linkAccount({ ...account, userId: ADA.id });
    await adapter.createSession({ sessionToken: "secret", userId: ADA.id, expires: expires() });
    const token = { identifier: ADA.email, token: "hash", expires: expires() };
    await adapter.createVerificationToken(token);
    expect(entries.size).toBeGreaterThanOrEqual(7);
    for (const key of entries.keys()) {
      expect(key).toMatch(/^adapter-[a-z-]+\.[a-z0-9]{8}(?:\.[0-9a-f]{64})+$/);
      expect(key).not.toMatch(/octo|github|secret|example/i);
    }
  });

  it("a user cannot remove a passkey or a session of another user", async () => {
    const { adapter } = open();
    const eve = { ...ADA, id: "eve-1", email: "eve@example.com" };
    for (const user of [ADA, eve]) await adapter.createUser(user);
    await adapter.createAuthenticator(PASSKEY);
    await adapter.createSession({ sessionToken: "secret", userId: ADA.id, expires: expires() });
    const [session] = await adapter.listSessionsByUserId(ADA.id, undefined);
    await adapter.deleteSessionById(eve.id, session?.id ?? "");
    expect(await adapter.getSessionAndUser("secret")).not.toBeNull();
    expect(await adapter.deleteAuthenticator(PASSKEY.credentialID, eve.id)).toBeNull();
    expect(await adapter.getAuthenticator(PASSKEY.credentialID)).toEqual(PASSKEY);
  });

  it("sessions without a description stay valid, and a description that is not text invalidates the record", async () => {
    const { backend, entries } = open();
    const errors: unknown[] = [];
    const adapter = adapterOn(backend, (error) => void errors.push(error));
    await adapter.createUser(ADA);
    const session = { sessionToken: "secret", userId: ADA.id, expires: expires() };
    await adapter.createSession(session, { description: "Firefox, Windows" });
    expect(await adapter.listSessionsByUserId(ADA.id)).toMatchObject([
      { description: "Firefox, Windows" },
    ]);
    const [key = "", entry] =
      [...entries].find(([name]) => name.startsWith("adapter-session.")) ?? [];
    const { value, ...rest } = entry as { value: string };
    const rewrite = (to: string) => {
      const changed = value.replace(',"description":"Firefox, Windows"', to);
      expect(changed).not.toBe(value);
      entries.set(key, { ...rest, value: changed });
    };
    rewrite("");
    expect(await adapter.getSessionAndUser("secret")).not.toBeNull();
    const [listed] = await adapter.listSessionsByUserId(ADA.id);
    expect(listed).not.toHaveProperty("description");
    expect(await adapter.deleteSessionById(ADA.id, listed?.id ?? "")).toBe(true);
    rewrite(',"description":{"length":1}');
    expect(await adapter.getSessionAndUser("secret")).toBeNull();
    expect(String(errors[0])).toContain("unreadable");
  });

  it("the next end of all sessions also ends the session that ended the others", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    const session = { sessionToken: "secret", userId: ADA.id };
    const ends: ((one: StoreAdapter) => Promise<unknown>)[] = [
      async (one) => one.deleteSessionsByUserId(ADA.id),
      async (one) => one.revokeUserAccess(ADA.id),
    ];
    for (const end of ends) {
      await adapter.createSession({ ...session, expires: expires() });
      await adapter.deleteOtherSessions(ADA.id, "secret");
      expect(await adapter.getSessionAndUser("secret")).not.toBeNull();
      // The first write takes effect, even if the process dies after it.
      const dying = adapterOn({
        ...backend,
        delete: () => Promise.reject(new Error("The process is gone.")),
      });
      await end(dying).catch(() => {});
      expect(await adapter.getSessionAndUser("secret")).toBeNull();
      await adapter.deleteSession("secret");
    }
  });

  it("the first write of a user's deletion makes all of the user's data absent", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
    await adapter.linkAccount({ ...account, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    await adapter.createSession({ sessionToken: "secret", userId: ADA.id, expires: expires() });
    const dying = adapterOn({
      ...backend,
      delete: () => Promise.reject(new Error("The process is gone.")),
    });
    await expect(dying.deleteUser(ADA.id)).rejects.toThrow();
    expect(await adapter.getUser(ADA.id)).toBeNull();
    expect(await adapter.getUserByEmail(ADA.email)).toBeNull();
    expect(await adapter.getUserByAccount(account)).toBeNull();
    expect(await adapter.getSessionAndUser("secret")).toBeNull();
    expect(await adapter.listSessionsByUserId(ADA.id)).toEqual([]);
    expect(await adapter.listAccountsByUserId(ADA.id)).toEqual([]);
    expect(await adapter.getAuthenticator("key-1")).toBeNull();
    expect(await adapter.listAuthenticatorsByUserId(ADA.id)).toEqual([]);
    const another = { sessionToken: "another", userId: ADA.id, expires: expires() };
    await expect(adapter.createSession(another)).rejects.toThrow("does not exist");
  });

  it("absent records are neither ended nor listed, and cause no error", async () => {
    const { adapter } = open();
    expect(await adapter.deleteSession("secret")).toBeNull();
    expect(await adapter.listSessionsByUserId("nobody")).toEqual([]);
    expect(await adapter.deleteOtherSessions("nobody", "secret")).toBe(0);
    expect(await adapter.limitSessions("nobody", 1)).toBe(0);
    expect(await adapter.updateSession({ sessionToken: "secret" })).toBeNull();
  });

  it("accounts and passkeys that another user's claim left in the index do not belong to this user", async () => {
    const { backend, adapter } = open();
    const eve = { ...ADA, id: "eve-1", email: "eve@example.com" };
    for (const user of [ADA, eve]) await adapter.createUser(user);
    const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
    await adapter.linkAccount({ ...account, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    const dying = adapterOn({
      ...backend,
      delete: () => Promise.reject(new Error("The process is gone.")),
    });
    await expect(dying.linkAccount({ ...account, userId: eve.id })).rejects.toThrow();
    await expect(dying.createAuthenticator({ ...PASSKEY, userId: eve.id })).rejects.toThrow();
    expect(await adapter.listAccountsByUserId(eve.id)).toEqual([]);
    expect(await adapter.listAuthenticatorsByUserId(eve.id)).toEqual([]);
    await adapter.deleteUser(eve.id);
    expect(await adapter.listAccountsByUserId(ADA.id)).toHaveLength(1);
    expect(await adapter.listAuthenticatorsByUserId(ADA.id)).toHaveLength(1);
  });

  it.each([
    ["by another user", "eve-1"],
    ["by the same user, later", ADA.id],
  ])(
    "an interrupted removal does not remove an account that was linked since %s",
    async (_, next) => {
      const { backend, adapter } = open();
      for (const user of [ADA, { ...ADA, id: "eve-1", email: "eve@example.com" }]) {
        await adapter.createUser(user);
      }
      const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
      await adapter.linkAccount({ ...account, userId: ADA.id });
      await adapter.createAuthenticator(PASSKEY);
      const dying = dieAtAccount(backend);
      const isEnough = () => true;
      await expect(dying.removeSignInMethod(ADA.id, { account }, isEnough)).rejects.toThrow();
      await adapter.unlinkAccount(account);
      if (next === ADA.id) vi.setSystemTime(Date.now() + 1000);
      await adapter.linkAccount({ ...account, userId: next });
      const { credentialID } = PASSKEY;
      expect(await adapter.removeSignInMethod(ADA.id, { credentialID }, isEnough)).toBe("removed");
      expect(await adapter.getUserByAccount(account)).toMatchObject({ id: next });
      expect(await adapter.listAccountsByUserId(next)).toHaveLength(1);
    },
  );

  it("the next removal completes an interrupted one", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
    await adapter.linkAccount({ ...account, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    const dying = dieAtAccount(backend);
    const isEnough = (rest: { accounts: readonly unknown[]; passkeys: readonly unknown[] }) =>
      rest.accounts.length + rest.passkeys.length > 0;
    await expect(dying.removeSignInMethod(ADA.id, { account }, isEnough)).rejects.toThrow();
    const { credentialID } = PASSKEY;
    // The removed account counts: the passkey is the last sign-in method.
    expect(await adapter.removeSignInMethod(ADA.id, { credentialID }, isEnough)).toBe("last");
    expect(await adapter.getUserByAccount(account)).toBeNull();
    expect(await adapter.getAuthenticator(credentialID)).toMatchObject({ userId: ADA.id });
  });

  it("a passkey is registered once, and its use is only recorded over the counter that was read", async () => {
    const { adapter } = open();
    await adapter.createUser(ADA);
    await adapter.createAuthenticator(PASSKEY);
    await expect(adapter.createAuthenticator(PASSKEY)).rejects.toThrow("already registered");
    const { credentialID, counter, credentialBackedUp } = PASSKEY;
    const use = (from: number, to: number) =>
      adapter.recordAuthenticatorUse(credentialID, from, { counter: to, credentialBackedUp });
    expect(await use(counter, counter + 2)).toMatchObject({ counter: counter + 2 });
    expect(await use(counter, counter + 1)).toBeNull();
    expect(await adapter.getAuthenticator(credentialID)).toMatchObject({ counter: counter + 2 });
  });

  it("deleteUser leaves no record of the user after a sweep", async () => {
    const { backend, entries, adapter, text } = open();
    await adapter.createUser(ADA);
    for (const providerAccountId of ["1", "2", "__proto__"]) {
      const account = { provider: "github", providerAccountId, type: "oauth" } as const;
      await adapter.linkAccount({ ...account, userId: ADA.id });
      await adapter.createAuthenticator({
        ...{ credentialID: `key-${providerAccountId}`, credentialPublicKey: "a2V5", counter: 0 },
        ...{ credentialDeviceType: "multiDevice", credentialBackedUp: true },
        ...{ providerAccountId, userId: ADA.id },
      });
      const sessionToken = `session-${providerAccountId}`;
      await adapter.createSession({ sessionToken, userId: ADA.id, expires: expires() });
      const token = { identifier: ADA.email, token: providerAccountId, expires: expires() };
      await adapter.createVerificationToken(token);
    }
    // A former address of the user, and a session that was extended.
    await adapter.updateUser({ id: ADA.id, email: "countess@example.com" });
    await adapter.updateUser({ id: ADA.id, email: ADA.email });
    await adapter.updateSession({ sessionToken: "session-1", expires: new Date(Date.now() + 9e9) });
    expect(entries.size).toBeGreaterThan(15);
    expect(await adapter.deleteUser(ADA.id)).toMatchObject({ email: ADA.email });
    expect(text()).not.toMatch(/example|github|key-|session-|ada/);
    expect(await adapter.deleteUser(ADA.id)).toBeNull();
    // Records that other processes may be writing are marked as expired and swept later.
    vi.setSystemTime(Date.now() + HOUR / 2);
    await sweepStore(backend);
    expect([...entries.keys()]).toEqual([]);
  });
});

describe("claims of storeAdapter", () => {
  const ACCOUNT = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;

  it("an address stays with its user when the user is created a second time", async () => {
    const { adapter } = open();
    await adapter.createUser(ADA);
    await expect(adapter.createUser(ADA)).rejects.toThrow("belongs to another user");
    expect(await adapter.getUserByEmail(ADA.email)).toMatchObject({ id: ADA.id });
    const other = { ...ADA, id: "eve-1" };
    await expect(adapter.createUser(other)).rejects.toThrow("belongs to another user");
    expect(await adapter.getUserByEmail(ADA.email)).toMatchObject({ id: ADA.id });
  });

  it("an address stays with its user when a user with the same id is created with another address", async () => {
    const { adapter, text } = open();
    await adapter.createUser(ADA);
    const twin = { ...ADA, email: "eve@example.com" };
    await expect(adapter.createUser(twin)).rejects.toThrow("belongs to another user");
    expect(await adapter.getUserByEmail(ADA.email)).toMatchObject({ id: ADA.id });
    expect(await adapter.getUserByEmail(twin.email)).toBeNull();
    expect(text()).not.toContain("eve@");
  });

  it("a refused registration leaves no record of its account and passkey", async () => {
    const { adapter, entries } = open();
    await adapter.createUser(ADA);
    const before = new Map(entries);
    const eve = { ...ADA, id: "eve-1" };
    const account = { ...ACCOUNT, userId: eve.id };
    const passkey = { ...PASSKEY, userId: eve.id };
    await expect(adapter.createUserWithAccount(eve, account, passkey)).rejects.toThrow(
      "belongs to another user",
    );
    const isLive = ([, entry]: [string, unknown]) =>
      (entry as { expires?: number }).expires === undefined ||
      ((entry as { expires: number }).expires ?? 0) > Date.now();
    expect([...entries].filter(isLive)).toEqual([...before]);
    expect(await adapter.getUserByAccount(ACCOUNT)).toBeNull();
    expect(await adapter.getAuthenticator("key-1")).toBeNull();
    // Other users can claim them at once.
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    expect(await adapter.getUserByAccount(ACCOUNT)).toMatchObject({ id: ADA.id });
  });

  it("an address that a user has left finds no user, even if its claim remains", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    const dying = adapterOn({
      ...backend,
      compareAndSet: (key, ...change) =>
        key.startsWith("adapter-email")
          ? Promise.reject(new Error("The process is gone."))
          : backend.compareAndSet(key, ...change),
    });
    const moved = { id: ADA.id, email: "countess@example.com" };
    await expect(dying.updateUser(moved)).rejects.toThrow();
    expect(await adapter.getUserByEmail(ADA.email)).toBeNull();
    expect(await adapter.getUserByEmail(moved.email)).toMatchObject({ id: ADA.id });
  });

  it("a claim of an account is only released by its own user and generation", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    const logger = { error() {} };
    const space = spaceOf(SECRET);
    const { accounts } = openStores({
      store: (namespace) => createStore({ namespace, backend: () => backend, logger, space }),
    });
    const key = [ACCOUNT.provider, ACCOUNT.providerAccountId] as const;
    const claim = { at: 0, what: { data: {} } };
    await releaseOwnedRecord(accounts, key, { ...claim, userId: "eve-1", generation: 0 });
    await releaseOwnedRecord(accounts, key, { ...claim, userId: ADA.id, generation: 1 });
    expect(await adapter.getUserByAccount(ACCOUNT)).toMatchObject({ id: ADA.id });
    await releaseOwnedRecord(accounts, key, { ...claim, userId: ADA.id, generation: 0 });
    expect(await adapter.getUserByAccount(ACCOUNT)).toBeNull();
  });

  it("a process that has cached an account finds its new user after the account is linked to another user", async () => {
    const { backend, adapter } = open();
    const eve = { ...ADA, id: "eve-1", email: "eve@example.com" };
    for (const user of [ADA, eve]) await adapter.createUser(user);
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    for (let round = 0; round < 2; round++) {
      expect(await adapter.getUserByAccount(ACCOUNT)).toMatchObject({ id: ADA.id });
    }
    const other = adapterOn(backend);
    await other.unlinkAccount(ACCOUNT);
    await other.linkAccount({ ...ACCOUNT, userId: eve.id });
    expect(await adapter.getUserByAccount(ACCOUNT)).toMatchObject({ id: eve.id });
    expect(await adapter.getAccount(ACCOUNT.providerAccountId, ACCOUNT.provider)).toMatchObject({
      userId: eve.id,
    });
    expect(await adapter.updateAccount({ ...ACCOUNT, userId: ADA.id, scope: "all" })).toBeNull();
  });

  it("a look-up of the account restores the lost claim of its address", async () => {
    const { adapter, entries } = open();
    await adapter.createUser(ADA);
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    for (let round = 0; round < 3; round++) {
      for (const key of entries.keys()) if (key.startsWith("adapter-email.")) entries.delete(key);
      await adapter.getUserByAccount(ACCOUNT);
      expect(await adapter.getUserByEmail(ADA.email)).toMatchObject({ id: ADA.id });
    }
  });

  it("tokens are merged over tokens that another process has written since the look-up", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    const account = { ...ACCOUNT, userId: ADA.id };
    await adapter.linkAccount({ ...account, access_token: "first" });
    await adapter.getAccount(ACCOUNT.providerAccountId, ACCOUNT.provider);
    await adapterOn(backend).updateAccount({ ...account, refresh_token: "refresh" });
    await adapter.updateAccount({ ...account, access_token: "second" });
    expect(await adapter.getAccount(ACCOUNT.providerAccountId, ACCOUNT.provider)).toMatchObject({
      access_token: "second",
      refresh_token: "refresh",
    });
  });

  it("the first write of a first verification makes all earlier data absent (R5)", async () => {
    const { backend, adapter } = open();
    await adapter.createUser(ADA);
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    const session = { sessionToken: "secret", userId: ADA.id, expires: expires() };
    await adapter.createSession(session);
    let isDead = false;
    const dying = adapterOn({
      ...backend,
      async compareAndSet(...change) {
        if (isDead) throw new Error("The process is gone.");
        isDead = true;
        return backend.compareAndSet(...change);
      },
      delete: () => Promise.reject(new Error("The process is gone.")),
    });
    const verification = { emailVerified: new Date() };
    await expect(dying.revokeUserAccess(ADA.id, verification)).rejects.toThrow();

    expect(await adapter.getUser(ADA.id)).toMatchObject(verification);
    expect(await adapter.getUserByAccount(ACCOUNT)).toBeNull();
    expect(await adapter.getAccount(ACCOUNT.providerAccountId, ACCOUNT.provider)).toBeNull();
    expect(await adapter.listAccountsByUserId(ADA.id)).toEqual([]);
    expect(await adapter.getAuthenticator("key-1")).toBeNull();
    expect(await adapter.listAuthenticatorsByUserId(ADA.id)).toEqual([]);
    expect(await adapter.getSessionAndUser("secret")).toBeNull();
    // Another user can register the same again.
    await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
    await adapter.createAuthenticator(PASSKEY);
    expect(await adapter.listAuthenticatorsByUserId(ADA.id)).toHaveLength(1);
  });
});

describe("records of storeAdapter that other software has written", () => {
  const packed = (dates: unknown, emailVerified: unknown = null) => ({
    data: { id: ADA.id, email: ADA.email, emailVerified },
    dates,
  });

  it.each([
    ["a list of dates that is not a list", packed("emailVerified")],
    ["a list of dates with values other than names", packed([1])],
    ["an invalid date, which would count as verified", packed(["emailVerified"], "x")],
    ["a date that is missing", packed(["created"])],
    ["data that is a list", { data: [] }],
    ["no data", {}],
  ])("a user with %s counts as absent", async (_, user) => {
    const errors: unknown[] = [];
    const entries = new Map<string, unknown>();
    const adapter = adapterOn(memoryBackend(entries), (error) => void errors.push(error));
    await adapter.createUser(ADA);
    const key = [...entries.keys()].find((name) => name.startsWith("adapter-user")) ?? "";
    const d = { rev: 0, epoch: 0, generation: 0, user };
    entries.set(key, { value: JSON.stringify({ v: 1, e: null, d }), expires: Infinity });
    expect(await adapter.getUser(ADA.id)).toBeNull();
    expect(errors).toMatchObject([{ type: "StoreError" }]);
  });
});
