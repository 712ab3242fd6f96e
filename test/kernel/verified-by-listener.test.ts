import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { Adapter } from "../../src/kernel.ts";
import {
  createIdentityProvider,
  createTestAuth,
  type TestAuthOptions,
} from "../../src/testing/testing.ts";
import { createMapAdapter, createRows } from "../spec/authjs/_map-adapter.ts";

const ADA = { name: "Ada", email: "ada@example.com" };

/** An application whose listener of an event stores that the address of the user is verified, as many do. */
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

describe("a listener of linkAccount that stores the address as verified, at a later link", () => {
  it.each(["jwt", "database"])(
    "who links an account stays signed in, with the strategy %s",
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

describe("a listener of the application that stores the address as verified, with an adapter of Auth.js", () => {
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

    it("the first sign-in starts a session that stays where addresses open users too", async () => {
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
