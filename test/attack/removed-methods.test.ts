import { describe, expect, it } from "vitest";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

/** The account of an attacker, who linked it in a session that Ada had left open. */
const EVE = { sub: "eve", name: "Eve" };

describe.each(["jwt", "database", "hybrid"])(
  "an account that its user removes during a sign-in with it, under the strategy %s",
  (strategy) => {
    it("gives no session of that user", async () => {
      const app = createClaimsApp({ strategy, record: true });
      await app.signInByEmail("ada@example.com");
      await app.signIn(EVE, app.browser, true);
      const attacker = app.openBrowser();
      await app.signIn(EVE, attacker);
      expect(await app.getUserId(attacker)).toBe(await app.getUserId());
      await attacker.signOut();

      const userId = (await app.getUserId()) ?? "";
      let isRemoved = false;
      app.gate = async (method) => {
        // After the last look-up of the account.
        const last = strategy === "jwt" ? "updateAccount" : "createSession";
        if (isRemoved || method !== last) return;
        isRemoved = true;
        await app.adapter.unlinkAccount?.({ provider: "claims", providerAccountId: "eve" });
      };
      await app.signIn(EVE, attacker);
      app.log.expectErrors("OAuthAccountNotLinked");
      expect(isRemoved).toBe(true);
      expect(await app.getUserId(attacker)).not.toBe(userId);
      expect(await attacker.session()).toBeNull();
    });
  },
);
