import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type AdapterTrait, testAdapter } from "../../src/testing.ts";
import type { Adapter } from "../../src/types.ts";
import { createAuthenticator } from "../flows/_authenticator.ts";
import { createPasskeyApp, locationOf } from "../flows/_passkey.ts";
import { createHouse, ORIGIN } from "../kernel/_house.ts";

interface Published {
  name: string;
  without: readonly AdapterTrait[];
  open(): Promise<{ adapter: Adapter; close(): unknown }>;
}

// They bring peers of their own and need servers: `npm run test:published` installs them.
const room = new URL("./published/", import.meta.url);
const isInstalled = existsSync(new URL("node_modules/@auth/core", room));
if (!isInstalled) {
  if (process.env.KEYHOOK_PUBLISHED) throw new Error("The published adapters are not installed.");
  console.warn("the published adapters are not installed: skipped (npm run test:published)");
}
const { published }: { published: readonly Published[] } = isInstalled
  ? ((await import(new URL("adapters.ts", room).href)) as never)
  : { published: [] };

it.skipIf(!isInstalled)("there are published adapters to prove", () => {
  expect(published.length).toBeGreaterThan(4);
});

const where = (response: Response) => response.headers.get("location");
const refused = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

for (const { name, without, open } of published) {
  describe(name, () => {
    const opened = open();
    opened.catch(() => {});
    afterAll(async () => {
      await (await opened).close();
    });

    describe("keeps the contract", () => {
      testAdapter(async () => (await opened).adapter, { describe, expect, it }, { without });
    });

    for (const strategy of ["database", "jwt"]) {
      it(`takes people the whole way (${strategy})`, async () => {
        const { adapter } = await opened;
        const house = createHouse({ strategy, adapter });
        const start = Math.random().toString(36).slice(2);
        const ada = { sub: `ada-${start}`, email: `ada-${start}@example.com` };
        expect(where(await house.come(ada))).toBe(`${ORIGIN}/`);
        const id = await house.who();
        expect(id).toBeDefined();
        // A second account, linked on purpose.
        expect(where(await house.come({ sub: `gh-${start}` }, house.browser, true))).toBe(
          `${ORIGIN}/`,
        );
        expect(String(await house.who())).toBe(String(id));
        const other = house.newBrowser();
        await house.come({ sub: `gh-${start}` }, other);
        expect(String(await house.who(other))).toBe(String(id));
        // Somebody else with the address.
        const stranger = house.newBrowser();
        expect(where(await house.come({ ...ada, sub: "other" }, stranger))).toBe(refused);
        // By letter: somebody new, and again.
        const reader = house.newBrowser();
        await house.letter(`eve-${start}@example.com`, reader);
        const eve = await house.who(reader);
        await house.letter(`eve-${start}@example.com`, reader);
        expect([String(await house.who(reader)), eve === undefined]).toEqual([String(eve), false]);
        await house.browser.signOut();
        expect(await house.who()).toBeUndefined();
        expect(house.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
      });
    }

    for (const strategy of ["database", "jwt"]) {
      it(`keeps passkeys as Auth.js does (${strategy})`, async ({ skip }) => {
        const { adapter } = await opened;
        skip(!adapter.createAuthenticator, "it keeps no passkeys");
        const app = createPasskeyApp({
          adapter,
          strategy,
          authenticator: createAuthenticator({ counts: true }),
        });
        const email = `${Math.random().toString(36).slice(2)}@example.com`;
        const home = (response: Response) => expect(locationOf(response)).toBe("/");
        home(await app.register(email));
        const id = String(await app.who());
        // Another one, signed in.
        const { options } = await app.ask({ action: "register" });
        home(await app.answer("register", await app.authenticator.create(options)));
        const listed = (await adapter.listAuthenticatorsByUserId?.(id)) ?? [];
        expect(listed.length).toBe(2);

        for (const key of app.authenticator.held) {
          const browser = app.newBrowser();
          const { options: asked } = await app.ask({ action: "authenticate" }, browser);
          const answer = await app.authenticator.get(asked, {}, key);
          home(await app.answer("authenticate", answer, browser));
          expect(String(await app.who(browser))).toBe(id);

          // What Auth.js reads: standard base64, names with commas between, and the uses.
          const credentialID = Buffer.from(key.id).toString("base64");
          const row = await adapter.getAuthenticator?.(credentialID);
          expect(row).toMatchObject({
            credentialID,
            providerAccountId: credentialID,
            counter: 1,
            credentialDeviceType: "multiDevice",
            transports: "internal,hybrid",
          });
          expect([String(row?.userId), Boolean(row?.credentialBackedUp)]).toEqual([id, true]);
          const publicKey = Buffer.from(row?.credentialPublicKey ?? "", "base64");
          expect(publicKey.toString("base64")).toBe(row?.credentialPublicKey);
          const { x = "" } = await crypto.subtle.exportKey("jwk", key.keys.publicKey);
          expect(publicKey.includes(Buffer.from(x, "base64url"))).toBe(true);
          const owner = await adapter.getUserByAccount?.({
            provider: "passkey",
            providerAccountId: credentialID,
          });
          expect(String(owner?.id)).toBe(id);
        }

        // The same key again, and a copy of it that counts from the beginning, open nothing.
        const [copy] = app.authenticator.held;
        const thief = app.newBrowser();
        const { options: asked } = await app.ask({ action: "authenticate" }, thief);
        const stale = await app.authenticator.get(asked, { counter: 1 }, copy);
        const refusedAt = locationOf(await app.answer("authenticate", stale, thief));
        expect(refusedAt).toContain("error=WebAuthnVerificationError");
        expect(await app.who(thief)).toBeUndefined();
      });
    }

    it("is extended once by 20 readers at once", async () => {
      const { adapter } = await opened;
      const house = createHouse({ adapter, config: { session: { maxAge: 3600, updateAge: 1 } } });
      const start = Math.random().toString(36).slice(2);
      await house.come({ sub: start, email: `${start}@example.com` });
      await new Promise((resolve) => {
        setTimeout(resolve, 1100);
      });
      house.steps.length = 0;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => house.browser.session<{ expires: string }>()),
      );
      expect(answers.every((session) => session !== null)).toBe(true);
      expect(house.steps.filter(([step]) => step === "updateSession").length).toBe(1);
    });
  });
}
