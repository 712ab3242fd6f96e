import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isSignedIn } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import {
  ADA,
  signIn,
  signInByLink,
  createCluster,
  MINUTE,
  listUsers,
  SESSION,
  type Storage,
  openBrowser,
} from "./_cluster.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => {
  op.reset();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

/** Deletes all rows of a store, as a restore of an old backup does. */
function lose(storage: Storage, ...stores: string[]): void {
  for (const store of stores) {
    const rows = storage.store(`adapter-${store}`);
    expect(rows.length, store).toBeGreaterThan(0);
    for (const [key] of rows) storage.entries.delete(key);
  }
}

/** Creates an adapter over the same storage, independent of the application. */
const createAdapter = (storage: Storage) => adapterOn(storage.backend, () => {});

async function arrived() {
  const cluster = createCluster({ op });
  const node = cluster.node({ errors: "allowed" });
  const browser = openBrowser(node);
  expect(await signIn(op, browser)).toBe("/");
  const [before] = listUsers(cluster.storage);
  return { cluster, storage: cluster.storage, node, browser, before };
}

/** Asserts that there is one user, found by its address and by its account. */
async function expectWhole(storage: Storage): Promise<void> {
  const [user, ...others] = listUsers(storage);
  expect(others).toEqual([]);
  const adapter = createAdapter(storage);
  expect((await adapter.getUserByEmail(ADA))?.id).toBe(user?.id);
  const account = { provider: "op", providerAccountId: "subject-1" };
  expect((await adapter.getUserByAccount(account))?.id).toBe(user?.id);
}

describe("F35: an index row points at a missing record", () => {
  it("F35: address, account and session of a missing user count as absent", async () => {
    const { storage, node, browser } = await arrived();
    lose(storage, "user");
    const adapter = createAdapter(storage);
    expect(await adapter.getUserByEmail(ADA)).toBeNull();
    const account = { provider: "op", providerAccountId: "subject-1" };
    expect(await adapter.getUserByAccount(account)).toBeNull();
    expect(await adapter.getAccount("subject-1", "op")).toBeNull();
    expect(await isSignedIn(browser)).toBe(false);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(node.log.errors).toEqual([]);
  });

  it.each([0, MINUTE])(
    "F35: the next sign-in repairs all rows of a missing user, %i ms later",
    async (later) => {
      const { storage, node, browser, before } = await arrived();
      lose(storage, "user");
      pass(later);
      expect(await signIn(op, browser)).toBe("/");
      expect(await isSignedIn(browser)).toBe(true);
      await expectWhole(storage);
      expect(listUsers(storage)[0]?.id).not.toBe(before?.id);
      expect(node.log.errors).toEqual([]);
    },
  );

  it("F35: concurrent sign-ins repair the rows and create one user", async () => {
    const { cluster, storage } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const browsers = Array.from({ length: 8 }, () => openBrowser(cluster.node()));
    const led = await Promise.all(browsers.map((browser) => signIn(op, browser)));
    expect(led).toContain("/");
    for (const browser of browsers) if (!(await isSignedIn(browser))) await signIn(op, browser);
    expect(await Promise.all(browsers.map(isSignedIn))).toEqual(browsers.map(() => true));
    await expectWhole(storage);
  });

  it("F35: the owner of the address can sign in by e-mail before the account does", async () => {
    const { cluster, storage, node } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const owner = openBrowser(node);
    expect(await signInByLink(cluster, owner)).toBe("/");
    expect(await isSignedIn(owner)).toBe(true);
    expect((await createAdapter(storage).getUserByEmail(ADA))?.id).toBe(listUsers(storage)[0]?.id);
    // The account whose user is missing does not sign in as the new user.
    const other = openBrowser(node);
    expect(await signIn(op, other)).toBe("/auth/signin?error=OAuthAccountNotLinked");
    expect(listUsers(storage)).toHaveLength(1);
  });

  it("F35: a new user can take the address and account of a missing user", async () => {
    const { storage } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const adapter = createAdapter(storage);
    const made = await adapter.createUser({ id: "new", email: ADA, emailVerified: null });
    expect((await adapter.getUserByEmail(ADA))?.id).toBe(made.id);
    const link = { provider: "op", type: "oidc", providerAccountId: "subject-1" } as const;
    await adapter.linkAccount({ ...link, userId: made.id });
    expect((await adapter.getUserByAccount(link))?.id).toBe(made.id);
  });

  it("F35: a sign-in with the account repairs a missing address row and duplicates no user", async () => {
    const { cluster, storage, node, before } = await arrived();
    lose(storage, "email");
    pass(MINUTE);
    expect(await signIn(op, openBrowser(node))).toBe("/");
    await expectWhole(storage);
    expect(await signInByLink(cluster, openBrowser(node))).toBe("/");
    expect(listUsers(storage).map(({ id }) => id)).toEqual([before?.id]);
  });

  it("F35: a user whose account row is missing signs in by e-mail and is not duplicated", async () => {
    const { cluster, storage, node, before } = await arrived();
    lose(storage, "account", "accounts-of");
    pass(MINUTE);
    expect(await signIn(op, openBrowser(node))).toBe("/auth/signin?error=OAuthAccountNotLinked");
    const owner = openBrowser(node);
    expect(await signInByLink(cluster, owner)).toBe("/");
    expect(listUsers(storage).map(({ id }) => id)).toEqual([before?.id]);
  });

  it("F35: deleting a user whose list rows are missing leaves no sign-in method", async () => {
    const { storage, node, browser, before } = await arrived();
    lose(storage, "accounts-of", "sessions-of");
    expect(await isSignedIn(browser)).toBe(true);
    await createAdapter(storage).deleteUser(before?.id ?? "");
    expect(await isSignedIn(browser)).toBe(false);
    pass(MINUTE);
    expect(await signIn(op, browser)).toBe("/");
    await expectWhole(storage);
    expect(node.log.errors).toEqual([]);
  });

  it("F35: deleting a user ignores list rows of missing records", async () => {
    const { storage, browser, before } = await arrived();
    lose(storage, "account", "session");
    await createAdapter(storage).deleteUser(before?.id ?? "");
    expect(listUsers(storage)).toEqual([]);
    expect(storage.store("adapter-accounts-of")).toEqual([]);
    expect(storage.store("adapter-sessions-of")).toEqual([]);
    pass(MINUTE);
    expect(await signIn(op, browser)).toBe("/");
    await expectWhole(storage);
  });
});
