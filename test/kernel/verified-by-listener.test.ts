import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import type { Adapter } from "../../src/kernel.ts";
import {
  createIdentityProvider,
  createTestAuth,
  type TestAuthOptions,
} from "../../src/testing/testing.ts";
import { createMapAdapter, createRows } from "../spec/authjs/_map-adapter.ts";

const ADA = { name: "Ada", email: "ada@example.com" };

/** An application whose event listener stores that the user's address is verified, as in many applications. */
function createApplication(event: "createUser" | "linkAccount", config: TestAuthOptions) {
  const rows = createRows();
  const adapter = createMapAdapter(rows) as Adapter;
  const app = createTestAuth(createAuth, {
    adapter,
    events: {
      async [event]({ user }: { user: { id?: string } }) {
        await adapter.updateUser?.({ id: user.id!, emailVerified: new Date() });
      },
    },
    ...config,
  });
  return { ...app, rows };
}

describe("a linkAccount listener that stores the address as verified, at a later link", () => {
  it.each(["jwt", "database"])(
    "the user who links an account stays signed in, with the strategy %s",
    async (strategy) => {
      const rows = createRows();
      const adapter = createMapAdapter(rows) as Adapter;
      const idp = createIdentityProvider();
      const { browser } = createTestAuth(createAuth, {
        ...{ idp, adapter, session: { strategy } },
        providers: [
          idp.provider({ allowDangerousEmailAccountLinking: true }),
          idp.provider({ id: "second" }),
        ],
        events: {
          async linkAccount({ user, account }) {
            if (account.provider !== "second") return;
            await adapter.updateUser?.({ id: user.id!, emailVerified: new Date() });
          },
        },
      });
      await browser.signInAs(ADA);
      expect(await browser.session()).toMatchObject({ user: ADA });
      await browser.signInAs({ sub: "2", name: "Ada" }, "second", { link: "true" });
      expect(rows.accounts).toHaveLength(2);
      expect(await browser.session()).toMatchObject({ user: ADA });
    },
  );
});

describe("an application listener that stores the address as verified, with an Auth.js adapter", () => {
  describe.each(["createUser", "linkAccount"] as const)("in the event %s", (event) => {
    it.each(["jwt", "database", "hybrid"])(
      "the first sign-in starts a session that stays, with the strategy %s",
      async (strategy) => {
        const { browser, log } = createApplication(event, { session: { strategy } });
        await browser.signInAs(ADA);
        expect(await browser.session()).toMatchObject({ user: ADA });
        expect(await browser.session()).toMatchObject({ user: ADA });
        expect(log.errors).toEqual([]);
      },
    );

    it("the first sign-in starts a session that stays, even if addresses open users", async () => {
      const idp = createIdentityProvider();
      const { browser } = createApplication(event, {
        idp,
        session: { strategy: "jwt" },
        providers: [idp.provider({ allowDangerousEmailAccountLinking: true })],
      });
      await browser.signInAs(ADA);
      expect(await browser.session()).toMatchObject({ user: ADA });
    });
  });
});

describe("a linkAccount listener that stores the address as verified, with storeAdapter()", () => {
  it.each(["jwt", "database", "hybrid"])(
    "the first sign-in starts a session that stays, even if addresses open users, with %s",
    async (strategy) => {
      const idp = createIdentityProvider();
      const { auth, browser } = createTestAuth(createAuth, {
        ...{ idp, plugins: [memoryStore(), storeAdapter()], session: { strategy } },
        providers: [idp.provider({ allowDangerousEmailAccountLinking: true })],
        events: {
          async linkAccount({ user }) {
            const adapter = await auth.getAdapter();
            await adapter.updateUser?.({ id: user.id!, emailVerified: new Date() });
          },
        },
      });
      await browser.signInAs(ADA);
      expect(await browser.session()).toMatchObject({ user: ADA });
      expect(await browser.session()).toMatchObject({ user: ADA });
    },
  );
});

describe("the owner of an address who verifies it during another person's sign-in", () => {
  it("ends the other sign-in, even if the application has a createUser listener", async () => {
    const rows = createRows();
    const base = createMapAdapter(rows) as Required<Adapter>;
    const adapter: Adapter = {
      ...base,
      async createUserWithAccount(user, account) {
        rows.users.push({ ...user });
        await base.linkAccount(account);
        return user;
      },
      // Removes every account, and marks the address as verified in the same write.
      async revokeUserAccess(id, verification) {
        rows.accounts.splice(0);
        return base.updateUser({ id, ...verification });
      },
    };
    const idp = createIdentityProvider();
    const { browser, log } = createTestAuth(createAuth, {
      ...{ idp, adapter, session: { strategy: "jwt" } },
      providers: [
        idp.provider(),
        { id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => {} },
      ],
      events: {
        async createUser({ user }) {
          await adapter.revokeUserAccess?.(user.id!, { emailVerified: new Date() });
        },
      },
    });
    await expect(browser.signInAs(ADA)).rejects.toThrow("OAuthAccountNotLinked");
    expect(await browser.session()).toBeNull();
    expect(log.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
  });

  it.each(["jwt", "database"])(
    "leaves a sign-in whose account was removed in the meantime without a verified session, with the strategy %s",
    async (strategy) => {
      const rows = createRows();
      const adapter = createMapAdapter(rows) as Required<Adapter>;
      const idp = createIdentityProvider();
      const { browser } = createTestAuth(createAuth, {
        ...{ idp, adapter, session: { strategy } },
        providers: [idp.provider({ allowDangerousEmailAccountLinking: true })],
        events: {
          // The first verification with a passkey does this: first the account, then the address.
          async linkAccount({ user }) {
            rows.accounts.splice(0);
            await adapter.updateUser({ id: user.id!, emailVerified: new Date() });
          },
        },
      });
      await browser.signInAs(ADA);
      expect(await browser.session()).toBeNull();
    },
  );
});
