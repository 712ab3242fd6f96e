import { describe, expect, it } from "vitest";
import type { AdapterUser, Session } from "../../src/kernel.ts";
import { createTestAuth, credentials, locationOf, ORIGIN, Rows, plainAdapter } from "../_app.ts";
import { type ClaimsApp, createClaimsApp } from "../kernel/_claims-app.ts";
import { createMailApp, createTestAdapter } from "./_mail.ts";
import { createPasskeyApp } from "./_passkey.ts";

const JÖRG = "jörg@xn--bcher-kva.example";
const SPELLINGS = [
  JÖRG,
  "jörg@bücher.example",
  " JÖRG@BÜCHER.EXAMPLE ",
  "jo\u0308rg@bu\u0308cher.example",
  "jörg@ｂücher．ｅｘａｍｐｌｅ",
];
/** Spellings that only a visitor may type. */
const TYPED = [...SPELLINGS, "ｊörg@bücher.example"];
const NO_ADDRESSES = [
  "jörg@bücher",
  "jörg@büc\u200bher.example",
  "jörg@bu\u0335cher.example",
  "jörg@10.0.0.1",
  "jörg@bücher.example,evil.example@x",
  "jörg",
  "",
];
const LOOK_ALIKES = ["ｊörg@bücher.example", "jör𝗀@bücher.example"];

const STORED_BY: [flow: string, sign: (email: string) => Promise<AdapterUser[]>][] = [
  [
    "OAuth and other flows by account",
    async (email) => {
      const rows = new Rows();
      const app = createClaimsApp({ adapter: plainAdapter(rows), strategy: "jwt", record: false });
      await app.signIn({ sub: "1", email });
      return rows.users;
    },
  ],
  [
    "credentials with stored sessions",
    async (email) => {
      const adapter = createTestAdapter();
      const accounts = { getUserByAccount: () => null, linkAccount: () => {} };
      const app = createTestAuth({
        adapter: { ...adapter, ...accounts },
        strategy: "database",
        providers: [credentials({ authorize: () => ({ id: "own-1", email }) })],
        use: [(await import("../../plugins/strategies/database.ts")).databaseStrategy()],
      });
      await app.browser.signInWith("credentials", {});
      return [...adapter.users.values()];
    },
  ],
];

describe("an address in another spelling", () => {
  describe.each(STORED_BY)("of %s", (_, sign) => {
    it.each(SPELLINGS)("%j is stored in canonical form", async (email) => {
      expect((await sign(email)).map((user) => user.email)).toEqual([JÖRG]);
    });

    it.each([...NO_ADDRESSES, ...LOOK_ALIKES])(
      "%j is not an address, and null is stored",
      async (email) => {
        expect((await sign(email)).map((user) => user.email)).toEqual([null]);
      },
    );
  });

  it.each(TYPED)(
    "an e-mail for %j is sent to the canonical form, which is stored",
    async (email) => {
      const app = createMailApp();
      await app.requestLink(email);
      expect(app.mails.map(({ identifier, mail }) => [identifier, mail.to])).toEqual([
        [JÖRG, JÖRG],
      ]);
      expect([...app.adapter.tokens.values()].map(({ identifier }) => identifier)).toEqual([JÖRG]);
      expect(locationOf(await app.followLink())).toBe("/");
      expect([...app.adapter.users.values()].map((user) => user.email)).toEqual([JÖRG]);
    },
  );

  it.each(TYPED)("%j of a passkey registration is stored in canonical form", async (email) => {
    const app = createPasskeyApp();
    await app.register(email);
    expect(await app.browser.session()).toMatchObject({ user: { email: JÖRG } });
  });

  it("a passkey registration by `getUserInfo` shows and stores the canonical form", async () => {
    const getUserInfo = () => ({ user: { email: SPELLINGS[2] ?? "" }, exists: false });
    const app = createPasskeyApp({ passkey: { getUserInfo } });
    const { options } = await app.fetchOptions({ action: "register" });
    expect(options.user.name).toBe(JÖRG);
    await app.register();
    expect(await app.browser.session()).toMatchObject({ user: { email: JÖRG } });
  });

  it.each(NO_ADDRESSES)("%j of a passkey registration is refused", async (email) => {
    const app = createPasskeyApp();
    const query = new URLSearchParams({ action: "register", email });
    const response = await app.browser.get(`/auth/webauthn-options/passkey?${query}`);
    expect(response.status).toBe(400);
  });

  it.each(SPELLINGS)("%j opens the user with the address", async (email) => {
    const app = createClaimsApp();
    await app.signIn({ sub: "1", email: JÖRG });
    const eve = app.openBrowser();
    const refused = await app.signIn({ sub: "2", email, email_verified: true }, eve);
    expect(locationOf(refused)).toContain("OAuthAccountNotLinked");
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("all spellings count as one address", async () => {
    const { rateLimit } = await import("../../plugins/security/rate-limit.ts");
    const app = createMailApp({ use: [rateLimit({ rules: { "email-account": { max: 2 } } })] });
    for (const email of TYPED) await app.requestLink(email);
    expect(app.mails).toHaveLength(2);
  });
});

describe("a provider's report about an address that only resembles another one", () => {
  const owner = async (app: ClaimsApp, email: string) => {
    await app.signInByEmail(email);
    return app.openBrowser();
  };

  it.each([["\u212aelvin@example.com"], ["ｋelvin@example.com"], ["𝐤elvin@example.com"]])(
    "%j, reported as verified, is not kelvin@example.com",
    async (email) => {
      const app = createClaimsApp();
      const browser = await owner(app, "kelvin@example.com");
      await app.signIn({ sub: "2", email, email_verified: true }, browser, false, "trusted");
      expect(await app.getUserId(browser)).not.toBe(await app.getUserId());
      expect((await browser.session<Session>())?.user?.email ?? null).toBeNull();
    },
  );

  it.each([["Kelvin@Example.com"], [" kelvin@example.com "], ["kelvin@ｅｘａｍｐｌｅ.com"]])(
    "%j, reported as verified, is the same mailbox, and links",
    async (email) => {
      const app = createClaimsApp();
      const browser = await owner(app, "kelvin@example.com");
      await app.signIn({ sub: "2", email, email_verified: true }, browser, false, "trusted");
      expect(await app.getUserId(browser)).toBe(await app.getUserId());
    },
  );
});

describe("a user who was stored with the host in Unicode", () => {
  const older = { id: "1", email: "jörg@bücher.example", emailVerified: new Date() };

  it.each(TYPED)("signs in by e-mail as %j", async (email) => {
    const adapter = createTestAdapter();
    adapter.users.set("1", { ...older });
    const app = createMailApp({ adapter });
    await app.requestLink(email);
    expect(locationOf(await app.followLink())).toBe("/");
    expect([...adapter.users.keys()]).toEqual(["1"]);
    expect(await app.getUserId()).toBe("1");
  });

  it("keeps the address: no other account creates a user with it", async () => {
    const rows = new Rows();
    rows.users.push({ ...older });
    const adapter = plainAdapter(rows);
    const app = createClaimsApp({ adapter, strategy: "jwt", record: false });
    await app.signIn({ sub: "2", email: JÖRG });
    app.log.expectErrors("OAuthAccountNotLinked");
    expect(rows.users).toHaveLength(1);
  });

  it("a link that was sent before is redeemed, once", async () => {
    const adapter = createTestAdapter();
    adapter.users.set("1", { ...older });
    const app = createMailApp({ adapter, mail: { confirm: "never" } });
    const link = await app.requestLink(older.email);
    const [row] = [...adapter.tokens.values()];
    adapter.tokens.clear();
    await adapter.createVerificationToken?.({ ...row!, identifier: older.email });
    const url = new URL(link, ORIGIN);
    url.searchParams.set("email", older.email);
    const path = url.pathname + url.search;
    expect(locationOf(await app.browser.get(path))).toBe("/");
    expect(await app.getUserId()).toBe("1");
    expect(locationOf(await app.openBrowser().get(path))).toContain("error=Verification");
    app.log.expectErrors("Verification");
  });
});
