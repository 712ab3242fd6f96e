import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Op, startOp } from "../_op.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import {
  ADA,
  come,
  comeByLink,
  createWorld,
  isIn,
  MINUTE,
  people,
  SESSION,
  type Storage,
  visit,
} from "./_world.ts";

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

/** Loses all rows of a shelf, as a restore from an old backup does. */
function lose(storage: Storage, ...shelves: string[]): void {
  for (const shelf of shelves) {
    const rows = storage.shelf(`adapter-${shelf}`);
    expect(rows.length, shelf).toBeGreaterThan(0);
    for (const [key] of rows) storage.entries.delete(key);
  }
}

/** The adapter, asked beside the application. */
const adapterOf = (storage: Storage) => adapterOn(storage.backend, () => {});

async function arrived() {
  const world = createWorld({ op });
  const node = world.node();
  const browser = visit(node);
  expect(await come(op, browser)).toBe("/");
  const [before] = people(world.storage);
  return { world, storage: world.storage, node, browser, before };
}

/** Who is there has the address, the account and the session, and nobody else is there. */
async function expectWhole(storage: Storage): Promise<void> {
  const [user, ...others] = people(storage);
  expect(others).toEqual([]);
  const adapter = adapterOf(storage);
  expect((await adapter.getUserByEmail(ADA))?.id).toBe(user?.id);
  const account = { provider: "op", providerAccountId: "subject-1" };
  expect((await adapter.getUserByAccount(account))?.id).toBe(user?.id);
}

describe("F35: an index points at nothing", () => {
  it("F35: the person is missing: address, account and session count as absent", async () => {
    const { storage, node, browser } = await arrived();
    lose(storage, "user");
    const adapter = adapterOf(storage);
    expect(await adapter.getUserByEmail(ADA)).toBeNull();
    const account = { provider: "op", providerAccountId: "subject-1" };
    expect(await adapter.getUserByAccount(account)).toBeNull();
    expect(await adapter.getAccount("subject-1", "op")).toBeNull();
    expect(await isIn(browser)).toBe(false);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(node.errors).toEqual([]);
  });

  it.each([0, MINUTE])("F35: the next sign-in repairs all of it, %i ms later", async (later) => {
    const { storage, node, browser, before } = await arrived();
    lose(storage, "user");
    pass(later);
    expect(await come(op, browser)).toBe("/");
    expect(await isIn(browser)).toBe(true);
    await expectWhole(storage);
    expect(people(storage)[0]?.id).not.toBe(before?.id);
    expect(node.errors).toEqual([]);
  });

  it("F35: many at once repair it, and one person comes of it", async () => {
    const { world, storage } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const browsers = Array.from({ length: 8 }, () => visit(world.node()));
    const led = await Promise.all(browsers.map((browser) => come(op, browser)));
    expect(led).toContain("/");
    for (const browser of browsers) if (!(await isIn(browser))) await come(op, browser);
    expect(await Promise.all(browsers.map(isIn))).toEqual(browsers.map(() => true));
    await expectWhole(storage);
  });

  it("F35: the owner of the address may be the first to come, by mail", async () => {
    const { world, storage, node } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const owner = visit(node);
    expect(await comeByLink(world, owner)).toBe("/");
    expect(await isIn(owner)).toBe(true);
    expect((await adapterOf(storage).getUserByEmail(ADA))?.id).toBe(people(storage)[0]?.id);
    // The account that pointed at nobody opens nobody's door.
    const other = visit(node);
    expect(await come(op, other)).toBe("/auth/signin?error=OAuthAccountNotLinked");
    expect(people(storage)).toHaveLength(1);
  });

  it("F35: somebody else may have the address of a person who is missing", async () => {
    const { storage } = await arrived();
    lose(storage, "user");
    pass(MINUTE);
    const adapter = adapterOf(storage);
    const made = await adapter.createUser({ id: "new", email: ADA, emailVerified: null });
    expect((await adapter.getUserByEmail(ADA))?.id).toBe(made.id);
    const link = { provider: "op", type: "oidc", providerAccountId: "subject-1" } as const;
    await adapter.linkAccount({ ...link, userId: made.id });
    expect((await adapter.getUserByAccount(link))?.id).toBe(made.id);
  });

  it("F35: the address's row is missing: the account lets in and repairs it, nobody is doubled", async () => {
    const { world, storage, node, before } = await arrived();
    lose(storage, "email");
    pass(MINUTE);
    expect(await come(op, visit(node))).toBe("/");
    await expectWhole(storage);
    expect(await comeByLink(world, visit(node))).toBe("/");
    expect(people(storage).map(({ id }) => id)).toEqual([before?.id]);
  });

  it("F35: the account's row is missing: the mailbox lets in, and nobody is doubled", async () => {
    const { world, storage, node, before } = await arrived();
    lose(storage, "account", "accounts-of");
    pass(MINUTE);
    expect(await come(op, visit(node))).toBe("/auth/signin?error=OAuthAccountNotLinked");
    const owner = visit(node);
    expect(await comeByLink(world, owner)).toBe("/");
    expect(people(storage).map(({ id }) => id)).toEqual([before?.id]);
  });

  it("F35: the lists are missing: all works, and a deletion leaves no way in", async () => {
    const { storage, node, browser, before } = await arrived();
    lose(storage, "accounts-of", "sessions-of");
    expect(await isIn(browser)).toBe(true);
    await adapterOf(storage).deleteUser(before?.id ?? "");
    expect(await isIn(browser)).toBe(false);
    pass(MINUTE);
    expect(await come(op, browser)).toBe("/");
    await expectWhole(storage);
    expect(node.errors).toEqual([]);
  });

  it("F35: a list names what is gone: a deletion passes over it", async () => {
    const { storage, browser, before } = await arrived();
    lose(storage, "account", "session");
    await adapterOf(storage).deleteUser(before?.id ?? "");
    expect(people(storage)).toEqual([]);
    expect(storage.shelf("adapter-accounts-of")).toEqual([]);
    expect(storage.shelf("adapter-sessions-of")).toEqual([]);
    pass(MINUTE);
    expect(await come(op, browser)).toBe("/");
    await expectWhole(storage);
  });
});
