import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { Account, Adapter, User } from "../../src/kernel.ts";
import { createTestAuth } from "../../src/testing/testing.ts";
import { createMapAdapter, createRows } from "../spec/authjs/_map-adapter.ts";

const ADA = { name: "Ada", email: "ada@example.com" };

/** An application that stores users and accounts in its `signIn` callback, and has an adapter for the same tables. */
function createApplication(strategy: string) {
  const rows = createRows();
  const adapter = createMapAdapter(rows) as Required<Adapter>;
  const signIn = async ({ user, account }: { user: User; account: Account | null }) => {
    const { email, name } = user as { email: string; name?: string };
    const found = await adapter.getUserByEmail(email);
    const { id: userId } =
      found ?? (await adapter.createUser({ id: "", email, name, emailVerified: null }));
    const { provider, providerAccountId, type } = account as Account;
    const key = { provider, providerAccountId };
    if (!(await adapter.getUserByAccount(key))) await adapter.linkAccount({ ...key, type, userId });
    return true;
  };
  const app = createTestAuth(createAuth, {
    adapter,
    session: { strategy },
    callbacks: { signIn },
  });
  return { ...app, rows, adapter };
}

describe("a signIn callback that stores the user itself, as in Auth.js applications", () => {
  it.each(["jwt", "database"])(
    "a new user is stored once, and signed in, with the strategy %s",
    async (strategy) => {
      const { browser, rows } = createApplication(strategy);
      await browser.signInAs(ADA);
      expect(await browser.session()).toMatchObject({ user: ADA });
      expect(rows.users).toHaveLength(1);
      expect(rows.accounts).toHaveLength(1);
    },
  );

  it.each(["jwt", "database"])(
    "an account that it links to a stored user signs in as that user, with the strategy %s",
    async (strategy) => {
      const { browser, rows, adapter, log } = createApplication(strategy);
      await adapter.createUser({ id: "", email: ADA.email, name: "Countess", emailVerified: null });
      await browser.signInAs(ADA);
      expect(await browser.session()).toMatchObject({ user: { name: "Countess" } });
      expect(rows.users).toHaveLength(1);
      expect(log.errors).toEqual([]);
    },
  );
});
