import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Adapter, SessionOptions } from "../../src/kernel.ts";
import { ADDRESS_STATES } from "../../src/signin/address.ts";
import { createTestAuth, fetchSession, isSignedIn, ORIGIN, unservedOAuth } from "../_app.ts";
import { createPasskeyApp, OWN } from "../flows/_passkey.ts";
import { type Claims, createClaimsApp } from "../kernel/_claims-app.ts";

const HOME = `${ORIGIN}/`;
const EMAIL = "ada@example.com";
const where = (response: Response) => response.headers.get("location");
/** Methods that an Auth.js adapter lacks. */
const KEYHOOK_ONLY: readonly (keyof Adapter)[] = [
  "createUserWithAccount",
  "deleteAuthenticator",
  "deleteSessionById",
  "deleteSessionsByUserId",
  "extendSession",
  "listAccountsByUserId",
  "listSessionsByUserId",
  "recordAuthenticatorUse",
  "removeSignInMethod",
  "revokeUserAccess",
  "updateAccount",
];

const stated = (sub: string, verified: boolean | undefined): Claims => ({
  sub,
  name: sub,
  email: EMAIL,
  email_verified: verified,
});

describe("states of addresses", () => {
  it.each([
    ["proved", { emailVerified: new Date(), emailAttested: false }],
    ["attested", { emailVerified: null, emailAttested: true }],
    ["claimed", { emailVerified: null, emailAttested: false }],
    ["unknown", { emailVerified: null }],
    ["unknown", { emailAttested: null }],
    ["unknown", { emailVerified: new Date(NaN) }],
    ["proved", { emailVerified: "2026-06-01T12:00:00.000Z" }],
  ])("the address of a user is %s with %j", (state, user) => {
    expect(ADDRESS_STATES.find(({ fits }) => fits(user as never))?.state).toBe(state);
  });
});

describe.each(["jwt", "database", "hybrid"])(
  "the first proof of an address by e-mail, %s strategy",
  (strategy) => {
    const create = (without: readonly (keyof Adapter)[] = []) =>
      createClaimsApp({ strategy, without, errors: "allowed" });

    it.each([
      ["not verified", false],
      ["nothing", undefined],
    ])(
      "ends the accounts and sessions of a user whose provider reports %s",
      async (_, verified) => {
        const app = create();
        const squatter = app.openBrowser();
        await app.signIn(stated("squatter", verified), squatter);
        // What the squatter adds also ends, although its provider has verified the squatter's own address.
        const second = { sub: "second", email: "squatter@example.com", email_verified: true };
        expect(where(await app.signIn(second, squatter, true))).toBe(HOME);
        const id = await app.getUserId(squatter);

        await app.signInByEmail(EMAIL);
        expect(await app.getUserId()).toBe(id);
        expect(await isSignedIn(squatter)).toBe(false);
        for (const sub of ["squatter", "second"]) {
          const again = app.openBrowser();
          await app.signIn({ sub }, again);
          expect(await app.getUserId(again)).not.toBe(id);
        }
      },
    );

    it("ends nothing of a user whose address the provider has attested", async () => {
      const app = create();
      const owner = app.openBrowser();
      await app.signIn(stated("ada", true), owner);
      await app.signIn({ sub: "second" }, owner, true);
      const id = await app.getUserId(owner);
      await app.signInByEmail(EMAIL);
      expect(await app.getUserId()).toBe(id);
      expect(await app.getUserId(owner)).toBe(id);
      for (const sub of ["ada", "second"]) {
        const again = app.openBrowser();
        await app.signIn({ sub }, again);
        expect(await app.getUserId(again)).toBe(id);
      }
    });

    it("keeps only the linked account whose provider has verified the address", async () => {
      const app = create();
      await app.signIn(stated("silent", undefined));
      const id = await app.getUserId();
      const linked = app.openBrowser();
      await app.signIn(stated("attested", true), linked, false, "trusted");
      expect(await app.getUserId(linked)).toBe(id);
      await app.signInByEmail(EMAIL, app.openBrowser());
      const again = app.openBrowser();
      await app.signIn({ sub: "attested" }, again, false, "trusted");
      expect(await app.getUserId(again)).toBe(id);
      const ended = app.openBrowser();
      await app.signIn({ sub: "silent" }, ended);
      expect(await app.getUserId(ended)).not.toBe(id);
      // This also holds after the user gets another address.
      await app.adapter.updateUser?.({ id: id as string, email: "countess@example.com" });
      const later = app.openBrowser();
      await app.signIn({ sub: "attested" }, later, false, "trusted");
      expect(await app.getUserId(later)).toBe(id);
    });

    it("ends passkeys that were registered for the address, with every adapter that can unlink accounts", async () => {
      for (const without of [[], OWN]) {
        const app = createPasskeyApp({
          ...{ strategy, without, mail: {}, errors: "allowed" },
          passkey: { registration: "open" },
        });
        const squatter = app.openBrowser();
        await app.register(EMAIL, {}, squatter);
        expect(await isSignedIn(squatter)).toBe(true);
        await app.requestLink(EMAIL);
        await app.followLink();
        const id = await app.getUserId();
        expect(id).toBeDefined();
        if (strategy === "jwt") expect(await isSignedIn(squatter)).toBe(false);
        const again = app.openBrowser();
        await app.signIn({}, again);
        expect(await isSignedIn(again)).toBe(false);
      }
    });

    it("refuses a new user whose provider reports the address as unverified, if the account could not be removed later", async () => {
      const app = create(KEYHOOK_ONLY);
      const response = await app.signIn(stated("ada", false));
      expect(where(response)).toBe(`${ORIGIN}/auth/signin?error=EmailNotVerified`);
      expect(await app.browser.session()).toBeNull();
      expect(app.callNames().filter((name) => name.startsWith("create"))).toEqual([]);
      expect(app.log.errors).toMatchObject([{ type: "EmailNotVerified" }]);
      const page = await (await app.browser.get("/auth/signin?error=EmailNotVerified")).text();
      expect(page).toContain("hasn’t verified your email address");
      // Without an address there is nothing to prove, and a verified address is no risk: both sign in.
      for (const claims of [{ sub: "x", email_verified: false }, stated("ada", true)]) {
        expect(where(await app.signIn(claims, app.openBrowser()))).toBe(HOME);
      }
    });

    it("the hook `signIn` receives what the provider reports", async () => {
      const seen: unknown[] = [];
      const app = createClaimsApp({
        strategy,
        callbacks: { signIn: ({ emailVerified }) => Boolean(seen.push(emailVerified)) },
      });
      for (const verified of [true, false, undefined]) {
        await app.signIn(
          { sub: `s${seen.length}`, email: `${seen.length}@example.com`, email_verified: verified },
          app.openBrowser(),
        );
      }
      expect(seen).toEqual([true, false, undefined]);
    });
  },
);

describe("stored sessions on adapters that cannot end them together", () => {
  it.each<[string, SessionOptions]>([
    ["random UUIDs", {}],
    ["tokens with their start", { absoluteMaxAge: 3600 }],
    ["tokens of the application", { generateSessionToken: () => `own-${Math.random()}` }],
  ])(
    "the session of a user who claimed the address ends with the first proof: %s",
    async (_, session) => {
      const app = createClaimsApp({ strategy: "database", without: KEYHOOK_ONLY, session });
      const squatter = app.openBrowser();
      await app.signIn(stated("squatter", undefined), squatter);
      expect(await isSignedIn(squatter)).toBe(true);
      const token = squatter.cookies.get("authjs.session-token") as string;
      await app.signInByEmail(EMAIL);
      expect(await isSignedIn(squatter)).toBe(false);
      // Later reads refuse the session too, and its record is removed.
      squatter.cookies.set("authjs.session-token", token);
      expect(await isSignedIn(squatter)).toBe(false);
      expect(await app.adapter.getSessionAndUser?.(token)).toBeNull();
      // The owner's own sessions continue, including those of a second proof.
      const second = app.openBrowser();
      await app.signInByEmail(EMAIL, second);
      for (const browser of [app.browser, second]) expect(await isSignedIn(browser)).toBe(true);
    },
  );

  it("a session whose provider has attested the address continues", async () => {
    const app = createClaimsApp({ strategy: "database", without: KEYHOOK_ONLY });
    const owner = app.openBrowser();
    await app.signIn(stated("ada", true), owner);
    await app.signInByEmail(EMAIL);
    expect(await isSignedIn(owner)).toBe(true);
  });
});

describe("an address that its user only claims", () => {
  it.each(["jwt", "database", "hybrid"])(
    "moves to a new user with a verified address, and sessions of the old user no longer show it (%s)",
    async (strategy) => {
      const app = createClaimsApp({ strategy });
      const squatter = app.openBrowser();
      await app.signIn(stated("squatter", false), squatter);
      const id = await app.getUserId(squatter);
      await app.signIn(stated("ada", true));
      expect(await app.browser.session()).toMatchObject({ user: { email: EMAIL } });
      expect(await app.getUserId()).not.toBe(id);
      expect(JSON.stringify(await squatter.session())).not.toContain(EMAIL);
      // The other user keeps the account, without the address.
      const again = app.openBrowser();
      await app.signIn({ sub: "squatter" }, again);
      expect(await app.getUserId(again)).toBe(id);
      expect(JSON.stringify(await again.session())).not.toContain(EMAIL);
    },
  );
});

describe("session tokens of users whose address is not verified", () => {
  it("a user is looked up at each read only while the address is not verified and a link could prove it", async () => {
    const app = createClaimsApp({ strategy: "jwt" });
    const looks = async () => {
      app.steps.length = 0;
      await app.browser.session();
      return app.callNames();
    };
    await app.signIn(stated("ada", true));
    expect(await looks()).toEqual([]);
    await app.signIn({ sub: "silent" });
    expect(await looks()).toEqual(["getUser"]);
  });

  it("a tap of `jwt` neither changes nor removes the claim", async () => {
    const app = createClaimsApp({
      strategy: "jwt",
      callbacks: {
        jwt: ({ token }) => ({ ...token, "keyhook.email_verified": true }),
      },
    });
    const squatter = app.openBrowser();
    await app.signIn(stated("squatter", false), squatter);
    await app.signInByEmail(EMAIL);
    expect(await (await fetchSession(squatter)).json()).toBeNull();
  });
});

describe("an adapter with revokeUserAccess that does not receive verified addresses", () => {
  const boot = (without: readonly (keyof Adapter)[], links: object = { mail: {} }) => {
    const providers = [unservedOAuth("idp")];
    const store = memoryBackend();
    const app = createTestAuth({ preset: standardPreset, store, without, ...links, providers });
    app.auth.inspect();
    return app.log.warnings;
  };

  it("boot warns of revokeUserAccess without createUserWithAccount if links are sent by e-mail", () => {
    expect(boot(["createUserWithAccount"])).toContain("adapter-not-told");
  });

  it.each([
    ["the adapter has both methods", []],
    ["the adapter has neither", KEYHOOK_ONLY],
    ["no address leads to its user", ["createUserWithAccount"], {}],
  ] as const)(
    "boot does not warn of the missing createUserWithAccount if %s",
    (_, without, links?: object) => {
      expect(boot(without, links)).not.toContain("adapter-not-told");
    },
  );
});

describe("providers that report nothing about addresses", () => {
  const boot = (
    over: object,
    without: readonly (keyof Adapter)[] = KEYHOOK_ONLY,
    links: object = { mail: {} },
  ) => {
    const app = createTestAuth({
      preset: standardPreset,
      store: memoryBackend(),
      without,
      ...links,
      providers: [{ ...unservedOAuth("silent"), ...over }],
    });
    app.auth.inspect();
    return app.log.warnings;
  };

  it("boot warns of them if a link could prove an address and the adapter could not remove accounts", () => {
    expect(boot({})).toContain("email-not-stated");
  });

  it.each([
    ["the provider says it", { emailVerified: () => true }, KEYHOOK_ONLY],
    ["the adapter can take accounts away", {}, []],
    ["no address leads to its user", {}, KEYHOOK_ONLY, {}],
  ])("boot does not warn if %s", (_, over, without, links?: object) => {
    expect(boot(over, without, links)).not.toContain("email-not-stated");
  });
});
