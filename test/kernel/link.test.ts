import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { MissingCSRF } from "../../src/errors.ts";
import type { AdapterUser } from "../../src/types.ts";
import { ORIGIN } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { type Claims, createClaimsApp, type ClaimsApp } from "./_claims-app.ts";

const HOME = `${ORIGIN}/`;
const GONE = `${ORIGIN}/auth/signin?error=SessionRequired`;
const REFUSED = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

const where = (response: Response) => response.headers.get("location");

const ADA: Claims = { sub: "ada", name: "Ada", email: "ada@example.com", email_verified: true };
const EVE: Claims = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };

/** The adapter calls that creating and ending a session adds to the steps, by strategy. */
const SESSION = { jwt: [], database: ["createSession"], hybrid: ["createSession"] };
const ENDED = { jwt: [], database: ["deleteSession"], hybrid: ["deleteSession"] };

async function signedIn(testApp: ClaimsApp, claims: Claims): Promise<string> {
  expect(where(await testApp.signIn(claims))).toBe(HOME);
  const id = (await testApp.getUserId()) as string;
  testApp.callNames();
  testApp.steps.length = 0;
  return id;
}

for (const strategy of ["jwt", "database", "hybrid"] as const) {
  const session = SESSION[strategy];
  const ended = ENDED[strategy];

  describe(`linking with ${strategy} sessions`, () => {
    it("O3: a repeated sign-in leaves the tokens unchanged when the adapter has no updateAccount", async () => {
      const testApp = createClaimsApp({ strategy, without: ["updateAccount", "revokeUserAccess"] });
      await signedIn(testApp, ADA);
      await testApp.signIn({ ...ADA, access_token: "newer" }, testApp.openBrowser());
      expect(testApp.callNames()).toEqual([
        ...["getUserByAccount", "getAccount", ...session],
        // Looked up again, because the user may have removed the account in the meantime.
        ...["getUserByAccount", "getAccount", "signIn!"],
      ]);
      expect((await testApp.adapter.getAccount?.("ada", "claims"))?.access_token).toBe("access");
    });

    it("O3: signing in as another user without requesting a link replaces the session", async () => {
      const testApp = createClaimsApp({ strategy });
      const ada = await signedIn(testApp, ADA);
      const second = testApp.openBrowser();
      await testApp.signIn(EVE, second);
      const eve = await testApp.getUserId(second);
      testApp.callNames();
      expect(where(await testApp.signIn(EVE))).toBe(HOME);
      expect(testApp.callNames()).toEqual([
        ...["getUserByAccount", "getAccount", "updateAccount", ...session],
        ...["getUserByAccount", "getAccount", ...ended, "signIn!"],
      ]);
      expect(await testApp.getUserId()).toBe(eve);
      expect(eve).not.toBe(ada);
    });

    it("O4: a linked account signs in to its user from any browser", async () => {
      const testApp = createClaimsApp({ strategy });
      const ada = await signedIn(testApp, ADA);
      expect(where(await testApp.signIn(EVE, testApp.browser, true))).toBe(HOME);
      const other = testApp.openBrowser();
      await testApp.signIn(EVE, other);
      expect(await testApp.getUserId(other)).toBe(ada);
    });

    it("O0: refuses to link when the session that requested it has ended or is now another user's", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      await signedIn(testApp, ADA);
      await testApp.startSignIn(testApp.browser, true);
      await testApp.browser.signOut();
      expect(where(await testApp.finishSignIn(EVE))).toBe(GONE);
      expect(await testApp.getUserId()).toBeUndefined();

      await testApp.signIn(ADA);
      await testApp.startSignIn(testApp.browser, true);
      const asked = new Map(testApp.browser.cookies);
      const other = testApp.openBrowser();
      await testApp.signIn({ sub: "mallory", email: "mallory@example.com" }, other);
      const mallory = await testApp.getUserId(other);
      for (const [name, value] of other.cookies) {
        if (name.includes("session")) asked.set(name, value);
      }
      testApp.browser.cookies.clear();
      for (const [name, value] of asked) testApp.browser.cookies.set(name, value);
      expect(await testApp.getUserId()).toBe(mallory);
      expect(where(await testApp.finishSignIn(EVE))).toBe(GONE);
      const found = { provider: "claims", providerAccountId: "eve" };
      expect(await testApp.adapter.getUserByAccount?.(found)).toBeNull();
    });

    it.each(["", "false", "0", "no", "off", "link"])(
      "a field `link` of %j requests no link",
      async (link) => {
        const testApp = createClaimsApp({ strategy });
        await testApp.signIn(ADA);
        const ada = await testApp.getUserId();
        const started = await testApp.browser.signIn("claims", { link });
        const location = started.headers.get("location") ?? "";
        const state = new URL(location).searchParams.get("state") ?? "";
        await testApp.browser.signInWith("claims", { claims: JSON.stringify(EVE), state });
        const found = { provider: "claims", providerAccountId: EVE.sub };
        const owner = await testApp.adapter.getUserByAccount?.(found);
        expect(owner?.id).not.toBe(ada);
        expect(await testApp.getUserId()).toBe(owner?.id);
      },
    );

    it("refuses to start linking without a session", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      expect(where(await testApp.startSignIn(testApp.browser, true))).toBe(GONE);
    });

    it("links an account through auth.signIn() with `link: true`", async () => {
      const testApp = createClaimsApp({ strategy });
      const ada = await signedIn(testApp, ADA);
      const cookie = [...testApp.browser.cookies].map(([name, value]) => `${name}=${value}`);
      const request = new Request(`${ORIGIN}/settings`, { headers: { cookie: cookie.join("; ") } });
      const response = (await testApp.auth.signIn(request, "claims", { link: true })) as Response;
      const state = new URL(where(response) ?? "").searchParams.get("state") ?? "";
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
        testApp.browser.cookies.set(name, value);
      }
      const fields = { claims: JSON.stringify(EVE), state };
      expect(where(await testApp.browser.signInWith("claims", fields))).toBe(HOME);
      expect(await testApp.getUserId()).toBe(ada);
    });

    it("a form that is passed to auth.signIn() links only with this browser's CSRF token", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      await signedIn(testApp, ADA);
      const csrfToken = await testApp.browser.csrfToken();
      const cookie = [...testApp.browser.cookies].map(([name, value]) => `${name}=${value}`);
      const send = (fields: Record<string, string>, headers: Record<string, string> = {}) => {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
        const init = { method: "POST", headers: { cookie: cookie.join("; "), ...headers } };
        return testApp.auth.signIn(new Request(`${ORIGIN}/settings`, init), "claims", form);
      };
      await expect(send({ link: "true" })).rejects.toThrow(MissingCSRF);
      await expect(send({ link: "" })).rejects.toThrow(MissingCSRF);
      await expect(send({ link: "true", csrfToken: "0".repeat(64) })).rejects.toThrow(MissingCSRF);
      const strange = { origin: "https://evil.example" };
      await expect(send({ link: "true", csrfToken }, strange)).rejects.toThrow(MissingCSRF);
      expect(await send({ link: "true", csrfToken })).toHaveProperty("status", 302);
      expect(await send({})).toHaveProperty("status", 302);
    });

    it("M2: a user who registered with an unverified address loses all access when its owner signs in", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      const attacker = testApp.openBrowser();
      await testApp.signIn({ ...ADA, sub: "attacker", email_verified: false }, attacker);
      const id = await testApp.getUserId(attacker);
      testApp.steps.length = 0;
      expect(where(await testApp.signInByEmail("ada@example.com"))).toBe(HOME);
      const steps = testApp.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...["getUserByEmail", "revokeUserAccess", "updateUser!", ...session],
        "signIn!",
      ]);
      expect(steps[1]).toEqual(["revokeUserAccess", id, { emailVerified: expect.any(Date) }]);
      expect(await testApp.getUserId()).toBe(id);
      expect(await testApp.getUserId(attacker)).toBeUndefined();
      // The attacker's account is no longer a sign-in method.
      const again = testApp.openBrowser();
      expect(where(await testApp.signIn({ ...ADA, sub: "attacker" }, again))).toBe(REFUSED);
      expect(await testApp.getUserId(again)).toBeUndefined();
    });

    it("M2: a session from before the address was verified cannot link another account", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      const id = await signedIn(testApp, { ...ADA, sub: "attacker", email_verified: false });
      const owner = testApp.openBrowser();
      await testApp.signInByEmail("ada@example.com", owner);
      expect(await testApp.getUserId(owner)).toBe(id);
      expect(where(await testApp.startSignIn(testApp.browser, true))).toBe(GONE);
      // An attempt that started before the verification is refused as well.
      const early = createClaimsApp({ errors: "allowed", strategy });
      await early.signIn({ ...ADA, sub: "attacker", email_verified: false });
      await early.startSignIn(early.browser, true);
      await early.signInByEmail("ada@example.com", early.openBrowser());
      expect(where(await early.finishSignIn({ sub: "second" }))).toBe(GONE);
      const key = { provider: "claims", providerAccountId: "second" };
      expect(await early.adapter.getUserByAccount?.(key)).toBeNull();
      // The owner's own session may link.
      expect(where(await testApp.signIn({ sub: "own" }, owner, true))).toBe(HOME);
      expect(await testApp.getUserId(owner)).toBe(id);
    });

    it("M2: warns when the adapter cannot revoke the accounts of an unverified user", async () => {
      const testApp = createClaimsApp({ strategy, without: ["revokeUserAccess"] });
      await testApp.signIn({ ...ADA, email_verified: undefined }, testApp.openBrowser());
      await testApp.signInByEmail("ada@example.com");
      expect(testApp.log.warnings).toContain("adapter-cannot-reset");
    });

    it("M2: an account that signs in while its access is revoked gets no session", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      const claims = { ...ADA, sub: "attacker", email_verified: false };
      const id = await signedIn(testApp, claims);
      const attacker = testApp.openBrowser();
      await testApp.startSignIn(attacker);
      // The owner signs in after the look-up and before the session is created.
      testApp.gate = async (method) => {
        if (method === "updateAccount") await testApp.adapter.revokeUserAccess?.(id);
      };
      expect(where(await testApp.finishSignIn(claims, attacker))).toBe(REFUSED);
      expect(await testApp.getUserId(attacker)).toBeUndefined();
    });

    it("M2: an account that is linked while access is revoked is removed as well", async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      const claims = { ...ADA, sub: "attacker", email_verified: false };
      const id = await signedIn(testApp, claims);
      await testApp.startSignIn(testApp.browser, true);
      testApp.gate = async (method) => {
        const proof = { emailVerified: new Date(Date.now() + 1) };
        if (method === "linkAccount") await testApp.adapter.revokeUserAccess?.(id, proof);
      };
      const response = await testApp.finishSignIn({ sub: "second" });
      const key = { provider: "claims", providerAccountId: "second" };
      expect(where(response)).toBe(REFUSED);
      expect(await testApp.adapter.getUserByAccount?.(key)).toBeNull();
      if (strategy === "database") expect(await testApp.getUserId()).toBeUndefined();
    });

    it.each([
      [
        "the fields it was given, and null for all others",
        (given: object) => ({ name: null, email: null, ...given }),
      ],
      ["the fields it was given", (given: object) => given],
      ["nothing", () => undefined],
    ])("M2: a link signs in if the adapter's updateUser returns %s", async (_, answer) => {
      const own = adapterOn(memoryBackend());
      const adapter = {
        ...own,
        updateUser: async (given: AdapterUser) => {
          await own.updateUser(given);
          return answer(given) as AdapterUser;
        },
      };
      const testApp = createClaimsApp({ strategy, adapter, without: ["revokeUserAccess"] });
      const { email_verified: __, ...silent } = ADA;
      await testApp.signIn(silent, testApp.openBrowser());
      expect(where(await testApp.signInByEmail("ada@example.com"))).toBe(HOME);
      const user = await own.getUserByEmail("ada@example.com");
      expect(user?.emailVerified).toBeInstanceOf(Date);
      expect(await testApp.browser.session()).toMatchObject({
        user: { name: "Ada", email: "ada@example.com" },
      });
      const updated = testApp.steps.find(([name]) => name === "updateUser!");
      expect(updated?.[1]).toMatchObject({ user: { id: user?.id, email: "ada@example.com" } });
    });

    it("C: credentials are not linked", async () => {
      const testApp = createClaimsApp({
        strategy,

        providers: [
          {
            id: "credentials",
            name: "Password",
            type: "credentials",
            credentials: {},
            authorize: () => ({ id: "7", name: "Grace", email: "Grace@Example.com" }),
          },
        ],
      });
      expect(where(await testApp.browser.signInWith("credentials", {}))).toBe(HOME);
      expect(testApp.callNames()).toEqual(
        strategy === "jwt"
          ? ["signIn!"]
          : [
              ...[
                "getUserByAccount",
                "getAccount",
                "getUser",
                "getUserByEmail",
                "createUserWithAccount",
              ],
              ...["createUser!", "linkAccount!"],
              // A listener may have stored that the address is verified.
              ...["getUserByAccount", "getAccount", "createSession"],
              // Looked up again: if the address was proved in the meantime, the account is gone.
              ...["getUserByAccount", "getAccount"],
              "signIn!",
            ],
      );
      expect(await testApp.browser.session()).toMatchObject({ user: { name: "Grace" } });
    });
  });
}

describe("a first sign-in whose account cannot be stored", () => {
  const BROKEN = `${ORIGIN}/auth/error?error=Configuration`;
  const WITHOUT = ["createUserWithAccount", "revokeUserAccess"] as const;

  it.each([
    ["no `deleteUser`", [...WITHOUT, "deleteUser"] as const],
    ["a `deleteUser` that fails", WITHOUT],
  ])("an adapter with %s: the visitor and the log get that error", async (_, without) => {
    const testApp = createClaimsApp({
      without,
      gate(name) {
        if (/linkAccount|deleteUser/.test(name))
          throw new Error("value too long for type varchar(16)");
      },
    });
    expect(where(await testApp.signIn(ADA))).toBe(BROKEN);
    const [error] = testApp.log.errors.slice(-1);
    expect(error).toMatchObject({
      type: "AdapterError",
      cause: { method: "linkAccount", err: { message: "value too long for type varchar(16)" } },
    });
  });

  it("if another user took the address in the meantime, the sign-in is refused", async () => {
    const testApp = createClaimsApp({ without: WITHOUT });
    const { adapter } = testApp;
    let isFirst = true;
    testApp.gate = async (name) => {
      if (name !== "createUser" || !isFirst) return;
      isFirst = false;
      await adapter.createUser?.({ id: "2", email: "ada@example.com", emailVerified: null });
    };
    expect(where(await testApp.signIn(ADA))).toBe(REFUSED);
    expect(testApp.log.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
  });
});

describe("concurrent first sign-ins", () => {
  for (const without of [[], ["createUserWithAccount"]] as const) {
    it(`concurrent first sign-ins create one user ${without.length ? "without" : "with"} createUserWithAccount`, async () => {
      const testApp = createClaimsApp({ without });
      const browsers = Array.from({ length: 10 }, () => testApp.openBrowser());
      await Promise.all(browsers.map((browser) => testApp.startSignIn(browser)));
      const answers = await Promise.all(
        browsers.map((browser) => testApp.finishSignIn(ADA, browser)),
      );
      const ids = new Set(await Promise.all(browsers.map((browser) => testApp.getUserId(browser))));
      const entered = answers.filter((answer) => where(answer) === HOME);
      if (!without.length) expect(entered.length).toBe(10);
      // A browser whose sign-in was refused succeeds at the next attempt.
      for (const browser of browsers) expect(where(await testApp.signIn(ADA, browser))).toBe(HOME);
      ids.delete(undefined);
      expect(ids.size).toBe(1);
      expect(testApp.steps.filter(([name]) => name === "createUser!").length).toBe(1);
    });
  }
});
