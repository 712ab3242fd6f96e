import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import { type AdapterTrait, testAdapter } from "../../src/testing/testing.ts";
import type { Adapter } from "../../src/types.ts";
import { createTestAuth, credentials, locationOf, ORIGIN } from "../_app.ts";
import { createAuthenticator } from "../flows/_authenticator.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";

interface Published {
  name: string;
  without: readonly AdapterTrait[];
  /** Whether the adapter has methods that Auth.js does not know. The adapter's README documents what they do. */
  isExtended?: boolean;
  /** Converts the adapter's results to what the conformance suite expects. */
  conform?(adapter: Adapter): Adapter;
  open(): Promise<{ adapter: Adapter; close(): unknown }>;
}

// The adapters have their own peer dependencies and need servers: `npm run test:published` installs
// them.
const folder = new URL("./published/", import.meta.url);
const isInstalled = existsSync(new URL("node_modules/@auth/core", folder));
if (!isInstalled) {
  if (process.env.KEYHOOK_PUBLISHED) throw new Error("The published adapters are not installed.");
  console.warn("the published adapters are not installed: skipped (npm run test:published)");
}
const { published }: { published: readonly Published[] } = isInstalled
  ? ((await import(new URL("adapters.ts", folder).href)) as never)
  : { published: [] };

it.skipIf(!isInstalled)("the list of published adapters is complete", () => {
  expect(published.length).toBeGreaterThan(4);
});

const where = (response: Response) => response.headers.get("location");
const refused = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

for (const {
  name,
  without,
  isExtended = false,
  conform = (it: Adapter) => it,
  open,
} of published) {
  describe(name, () => {
    const opened = open();
    opened.catch(() => {});
    afterAll(async () => {
      await (await opened).close();
    });

    describe("conformance suite of adapters", () => {
      testAdapter(
        async () => conform((await opened).adapter),
        { describe, expect, it },
        { without },
      );
    });

    for (const strategy of ["database", "hybrid", "jwt"]) {
      it(`users sign in, link an account and use e-mail links with ${name} (${strategy})`, async () => {
        const { adapter } = await opened;
        const testApp = createClaimsApp({ strategy, adapter });
        const start = Math.random().toString(36).slice(2);
        const ada = { sub: `ada-${start}`, email: `ada-${start}@example.com` };
        expect(where(await testApp.signIn(ada))).toBe(`${ORIGIN}/`);
        const id = await testApp.getUserId();
        expect(id).toBeDefined();
        // A second account, linked explicitly.
        expect(where(await testApp.signIn({ sub: `gh-${start}` }, testApp.browser, true))).toBe(
          `${ORIGIN}/`,
        );
        expect(String(await testApp.getUserId())).toBe(String(id));
        const other = testApp.openBrowser();
        await testApp.signIn({ sub: `gh-${start}` }, other);
        expect(String(await testApp.getUserId(other))).toBe(String(id));
        // Another user with the same address.
        const stranger = testApp.openBrowser();
        expect(where(await testApp.signIn({ ...ada, sub: "other" }, stranger))).toBe(refused);
        // A new user by e-mail, who then signs in again.
        const reader = testApp.openBrowser();
        await testApp.signInByEmail(`eve-${start}@example.com`, reader);
        const eve = await testApp.getUserId(reader);
        await testApp.signInByEmail(`eve-${start}@example.com`, reader);
        expect([String(await testApp.getUserId(reader)), eve === undefined]).toEqual([
          String(eve),
          false,
        ]);
        await testApp.browser.signOut();
        expect(await testApp.getUserId()).toBeUndefined();
        expect(testApp.log.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
      });
    }

    for (const strategy of ["database", "hybrid", "jwt"]) {
      it.skipIf(isExtended)(
        `addresses are proved, claimed and refused with ${name} (${strategy})`,
        async () => {
          const { adapter } = await opened;
          const app = createClaimsApp({ strategy, adapter, errors: "allowed" });
          const at = (part: string) => `${part}-${Math.random().toString(36).slice(2)}@example.com`;
          const home = `${ORIGIN}/`;

          // Access could not be revoked: no adapter of Auth.js removes all accounts of a user.
          const [denied, silent, attested, flagged] = [at("no"), at("mute"), at("yes"), at("flag")];
          const claimed = { sub: denied, email: denied, email_verified: false };
          expect(where(await app.signIn(claimed))).toBe(
            `${ORIGIN}/auth/signin?error=EmailNotVerified`,
          );
          expect((await adapter.getUserByEmail?.(denied)) ?? null).toBeNull();

          // The user of a provider that reports nothing, until the owner of the address proves it
          // by e-mail.
          const squatter = app.openBrowser();
          await app.signIn({ sub: silent, email: silent }, squatter);
          const id = String(await app.getUserId(squatter));
          await app.signInByEmail(silent);
          expect(String(await app.getUserId())).toBe(id);
          expect(await squatter.session()).toBeNull();
          const user = await adapter.getUserByEmail?.(silent);
          expect(new Date(user?.emailVerified as never).getTime()).toBeGreaterThan(0);

          // An attested address: the e-mail link signs in the same user.
          const owner = app.openBrowser();
          await app.signIn({ sub: attested, email: attested, email_verified: true }, owner);
          const mailed = app.openBrowser();
          await app.signInByEmail(attested, mailed);
          expect(String(await app.getUserId(mailed))).toBe(String(await app.getUserId(owner)));

          // The flag links an account to the user who has proved the address.
          const first = app.openBrowser();
          await app.signInByEmail(flagged, first);
          const trusted = app.openBrowser();
          const verified = { sub: flagged, email: flagged, email_verified: true };
          expect(where(await app.signIn(verified, trusted, false, "trusted"))).toBe(home);
          expect(String(await app.getUserId(trusted))).toBe(String(await app.getUserId(first)));
          const eve = app.openBrowser();
          const unverified = { sub: at("eve"), email: flagged, email_verified: false };
          expect(where(await app.signIn(unverified, eve, false, "trusted"))).toBe(refused);
          expect(await eve.session()).toBeNull();
        },
      );
    }

    for (const strategy of ["database", "hybrid", "jwt"]) {
      it(`passkeys are stored in the format of Auth.js with ${name} (${strategy})`, async ({
        skip,
      }) => {
        const { adapter } = await opened;
        skip(!adapter.createAuthenticator, "the adapter has no methods for passkeys");
        const app = createPasskeyApp({
          adapter,
          strategy,
          authenticator: createAuthenticator({ counts: true }),
        });
        const email = `${Math.random().toString(36).slice(2)}@example.com`;
        const home = (response: Response) => expect(locationOf(response)).toBe("/");
        home(await app.register(email));
        const id = String(await app.getUserId());
        // Another passkey, registered while signed in.
        const { options } = await app.fetchOptions({ action: "register" });
        home(await app.respond("register", await app.authenticator.create(options)));
        const listed = (await adapter.listAuthenticatorsByUserId?.(id)) ?? [];
        expect(listed.length).toBe(2);

        for (const key of app.authenticator.held) {
          const browser = app.openBrowser();
          const { options: asked } = await app.fetchOptions({ action: "authenticate" }, browser);
          const answer = await app.authenticator.get(asked, {}, key);
          home(await app.respond("authenticate", answer, browser));
          expect(String(await app.getUserId(browser))).toBe(id);

          // The format of Auth.js: standard base64, comma-separated transports, and the counter.
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

        // A repeated counter, as from a copied key, is rejected.
        const [copy] = app.authenticator.held;
        const thief = app.openBrowser();
        const { options: asked } = await app.fetchOptions({ action: "authenticate" }, thief);
        const stale = await app.authenticator.get(asked, { counter: 1 }, copy);
        const refusedAt = locationOf(await app.respond("authenticate", stale, thief));
        expect(refusedAt).toContain("error=WebAuthnVerificationError");
        expect(await app.getUserId(thief)).toBeUndefined();
        app.log.expectErrors("WebAuthnVerificationError");
      });
    }

    it(`an e-mail link signs in once, and credentials have stored sessions with ${name}`, async () => {
      const { adapter } = await opened;
      const email = `${Math.random().toString(36).slice(2)}@example.com`;
      // Some databases have UUIDs as ids, and refuse to look up any other text.
      const grace = { id: crypto.randomUUID(), name: "Grace", email: `grace-${email}` };
      const app = createTestAuth({
        ...{ adapter, preset: standardPreset, strategy: "database", errors: "allowed" },
        mail: { confirm: "never" },
        providers: [credentials({ authorize: () => grace })],
      });
      const link = await app.requestLink(email);
      expect(locationOf(await app.browser.get(link))).toBe("/");
      const id = String(await app.getUserId());
      await app.browser.signOut();
      expect(locationOf(await app.browser.get(link))).toContain("error=Verification");
      expect(await app.browser.session()).toBeNull();
      const other = app.openBrowser();
      await app.requestLink(email, other);
      await app.followLink(other);
      expect(String(await app.getUserId(other))).toBe(id);
      expect(await other.session()).toMatchObject({ user: { email } });

      const ids = new Set<string>();
      for (const browser of [app.openBrowser(), app.openBrowser()]) {
        await browser.signInWith("credentials", {});
        expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
        ids.add(String(await app.getUserId(browser)));
      }
      expect(ids.size).toBe(1);
      await other.signOut();
      expect(await other.session()).toBeNull();
    });

    it.skipIf(isExtended)("20 concurrent reads extend a session once", async () => {
      const { adapter } = await opened;
      const testApp = createClaimsApp({
        adapter,
        session: { maxAge: 3600, updateAge: 1 },
      });
      const start = Math.random().toString(36).slice(2);
      await testApp.signIn({ sub: start, email: `${start}@example.com` });
      await new Promise((resolve) => {
        // Some databases round to seconds.
        setTimeout(resolve, 1600);
      });
      testApp.steps.length = 0;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => testApp.browser.session<{ expires: string }>()),
      );
      expect(answers.every((session) => session !== null)).toBe(true);
      expect(testApp.steps.filter(([step]) => step === "updateSession").length).toBe(1);
    });
  });
}
