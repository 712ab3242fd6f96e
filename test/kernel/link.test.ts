import { describe, expect, it } from "vitest";
import type { AdapterUser } from "../../src/types.ts";
import { type Claims, createHouse, type House, ORIGIN } from "./_house.ts";

const HOME = `${ORIGIN}/`;
const REFUSED = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

const where = (response: Response) => response.headers.get("location");

const ADA: Claims = { sub: "ada", name: "Ada", email: "ada@example.com", email_verified: true };
const EVE: Claims = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };

/** What a sign-in adds to the steps, by strategy. */
const SESSION = { jwt: [], database: ["createSession"] };
const ENDED = { jwt: [], database: ["deleteSession"] };
const CURRENT = { jwt: ["getUser"], database: ["getSessionAndUser"] };

async function signedIn(house: House, claims: Claims): Promise<string> {
  expect(where(await house.come(claims))).toBe(HOME);
  const id = (await house.who()) as string;
  house.names();
  house.steps.length = 0;
  return id;
}

for (const strategy of ["jwt", "database"] as const) {
  const session = SESSION[strategy];
  const ended = ENDED[strategy];
  const current = CURRENT[strategy];

  describe(`linking, ${strategy}`, () => {
    it("O7: makes a person and their account", async () => {
      const house = createHouse({ strategy });
      expect(where(await house.come(ADA))).toBe(HOME);
      const steps = house.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...["getUserByAccount", "getUserByEmail", "createUserWithAccount"],
        ...["createUser!", "linkAccount!", ...session, "getUserByAccount", "signIn!"],
      ]);
      const [, user, account] = steps[2] as [string, AdapterUser, object];
      expect(user).toEqual({
        id: expect.any(String),
        name: "Ada",
        email: "ada@example.com",
        emailVerified: null,
      });
      expect(user.id).not.toBe("from-provider");
      expect(account).toEqual({
        provider: "claims",
        providerAccountId: "ada",
        type: "oauth",
        access_token: "access",
        userId: user.id,
      });
      expect(steps[3]).toEqual(["createUser!", { user }]);
      expect(steps[4]).toEqual([
        "linkAccount!",
        {
          user,
          account: {
            provider: "claims",
            providerAccountId: "ada",
            type: "oauth",
            access_token: "access",
          },
          profile: { id: "from-provider", name: "Ada", email: "ada@example.com" },
        },
      ]);
      expect(steps.at(-1)).toEqual([
        "signIn!",
        {
          user,
          account: expect.objectContaining({ scope: "all", providerAccountId: "ada" }),
          profile: { sub: "ada", name: "Ada" },
          isNewUser: true,
        },
      ]);
      expect(await house.who()).toBe(user.id);
      expect(house.errors).toEqual([]);
    });

    it("O7: by two calls where the adapter has only those", async () => {
      const house = createHouse({ strategy, without: ["createUserWithAccount", "resetUser"] });
      expect(where(await house.come(ADA))).toBe(HOME);
      expect(house.names()).toEqual([
        ...["getUserByAccount", "getUserByEmail", "createUser", "linkAccount"],
        ...["createUser!", "linkAccount!", ...session, "signIn!"],
      ]);
    });

    it("O7: without an address nobody is asked for one", async () => {
      const house = createHouse({ strategy });
      expect(where(await house.come({ sub: "nobody" }))).toBe(HOME);
      expect(house.names().slice(0, 2)).toEqual(["getUserByAccount", "createUserWithAccount"]);
    });

    it("O3: knows the account again, and stores its tokens anew", async () => {
      const house = createHouse({ strategy });
      const id = await signedIn(house, ADA);
      const other = house.newBrowser();
      await house.come({ ...ADA, access_token: "newer" }, other);
      expect(house.names()).toEqual([
        ...["getUserByAccount", "updateAccount", ...session, "getUserByAccount", "signIn!"],
      ]);
      expect(await house.who(other)).toBe(id);
      expect((await house.adapter.getAccount?.("ada", "claims"))?.access_token).toBe("newer");
    });

    it("O3: leaves the tokens where the adapter cannot lay them over", async () => {
      const house = createHouse({ strategy, without: ["updateAccount", "resetUser"] });
      await signedIn(house, ADA);
      await house.come({ ...ADA, access_token: "newer" }, house.newBrowser());
      expect(house.names()).toEqual(["getUserByAccount", ...session, "signIn!"]);
      expect((await house.adapter.getAccount?.("ada", "claims"))?.access_token).toBe("access");
    });

    it("O3: a signed-in browser that asked for nothing changes hands", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      const second = house.newBrowser();
      await house.come(EVE, second);
      const eve = await house.who(second);
      house.names();
      expect(where(await house.come(EVE))).toBe(HOME);
      expect(house.names()).toEqual([
        ...["getUserByAccount", "updateAccount", ...session],
        ...["getUserByAccount", ...ended, "signIn!"],
      ]);
      expect(await house.who()).toBe(eve);
      expect(eve).not.toBe(ada);
    });

    it("O7: a signed-in browser's other account is another person, unless it asked", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      expect(where(await house.come(EVE))).toBe(HOME);
      expect(await house.who()).not.toBe(ada);
      expect(house.names()).toContain("createUser!");
    });

    it("O4: links to who asked, whatever the address", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      expect(where(await house.come(EVE, house.browser, true))).toBe(HOME);
      const steps = house.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...[...current, "getUserByAccount", ...current, "linkAccount", "linkAccount!"],
        ...[...current, ...session, "getUserByAccount", ...ended, "signIn!"],
      ]);
      const linked = steps.find(([name]) => name === "linkAccount") as [string, object];
      expect(linked[1]).toMatchObject({ providerAccountId: "eve", userId: ada });
      expect(steps.at(-1)).toMatchObject(["signIn!", { user: { id: ada }, isNewUser: false }]);
      expect(await house.who()).toBe(ada);
      const other = house.newBrowser();
      await house.come(EVE, other);
      expect(await house.who(other)).toBe(ada);
    });

    it("O1: an account that is theirs already is no news", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      expect(where(await house.come(ADA, house.browser, true))).toBe(HOME);
      expect(house.names()).toEqual([
        ...[...current, "getUserByAccount", ...current, "updateAccount", ...session],
        ...["getUserByAccount", ...ended, "signIn!"],
      ]);
      expect(await house.who()).toBe(ada);
    });

    it("O2: refuses to link what is somebody else's", async () => {
      const house = createHouse({ strategy });
      await house.come(EVE, house.newBrowser());
      const ada = await signedIn(house, ADA);
      expect(where(await house.come(EVE, house.browser, true))).toBe(REFUSED);
      expect(house.names()).toEqual([...current, "getUserByAccount", ...current]);
      expect(await house.who()).toBe(ada);
    });

    it("O0: refuses when who asked is gone, or another", async () => {
      const house = createHouse({ strategy });
      await signedIn(house, ADA);
      await house.start(house.browser, true);
      await house.browser.signOut();
      expect(where(await house.finish(EVE))).toBe(REFUSED);
      expect(await house.who()).toBeUndefined();

      await house.come(ADA);
      await house.start(house.browser, true);
      const asked = new Map(house.browser.cookies);
      const other = house.newBrowser();
      await house.come({ sub: "mallory", email: "mallory@example.com" }, other);
      const mallory = await house.who(other);
      for (const [name, value] of other.cookies) {
        if (name.includes("session")) asked.set(name, value);
      }
      house.browser.cookies.clear();
      for (const [name, value] of asked) house.browser.cookies.set(name, value);
      expect(await house.who()).toBe(mallory);
      expect(where(await house.finish(EVE))).toBe(REFUSED);
      const found = { provider: "claims", providerAccountId: "eve" };
      expect(await house.adapter.getUserByAccount?.(found)).toBeNull();
    });

    it("refuses to begin linking where nobody is signed in", async () => {
      const house = createHouse({ strategy });
      expect(where(await house.start(house.browser, true))).toBe(REFUSED);
    });

    it("links by the server's verb as well", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      const cookie = [...house.browser.cookies].map(([name, value]) => `${name}=${value}`);
      const request = new Request(`${ORIGIN}/settings`, { headers: { cookie: cookie.join("; ") } });
      const response = (await house.auth.signIn(request, "claims", { link: true })) as Response;
      const state = new URL(where(response) ?? "").searchParams.get("state") ?? "";
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
        house.browser.cookies.set(name, value);
      }
      const fields = { claims: JSON.stringify(EVE), state };
      expect(where(await house.browser.signInWith("claims", fields))).toBe(HOME);
      expect(await house.who()).toBe(ada);
    });

    it("O5: refuses an address that is somebody's, though it be vouched for", async () => {
      const house = createHouse({ strategy });
      await house.letter(ADA.email as string, house.newBrowser());
      house.names();
      expect(where(await house.come(ADA))).toBe(REFUSED);
      expect(house.names()).toEqual(["getUserByAccount", "getUserByEmail", "getUserByAccount"]);
      expect(await house.who()).toBeUndefined();
    });

    const trusted = async (house: House, claims: Claims) => {
      const start = await house.browser.signIn("trusted");
      const state = new URL(where(start) ?? "").searchParams.get("state") ?? "";
      const fields = { claims: JSON.stringify(claims), state };
      return house.browser.signInWith("trusted", fields);
    };

    it("O6: links by an address that is proved on both sides", async () => {
      const house = createHouse({ strategy });
      const first = house.newBrowser();
      await house.letter(ADA.email as string, first);
      const ada = await house.who(first);
      house.names();
      expect(where(await trusted(house, ADA))).toBe(HOME);
      // No `createUser`: nobody was created.
      expect(house.names()).toEqual([
        ...["getUserByAccount", "getUserByEmail", "getUserByAccount"],
        ...["linkAccount", "linkAccount!"],
        ...[...session, "signIn!"],
      ]);
      expect(await house.who()).toBe(ada);
    });

    it("O5: not when the provider does not vouch for it", async () => {
      const house = createHouse({ strategy });
      await house.letter(ADA.email as string, house.newBrowser());
      expect(where(await trusted(house, { ...ADA, email_verified: false }))).toBe(REFUSED);
      const { email_verified: _, ...silent } = ADA;
      expect(where(await trusted(house, silent))).toBe(REFUSED);
    });

    it("O5: not when it was never proved to us", async () => {
      const house = createHouse({ strategy });
      await house.come(ADA, house.newBrowser());
      expect(where(await trusted(house, { ...ADA, sub: "other" }))).toBe(REFUSED);
    });

    it("M3: makes a person who has proved the address", async () => {
      const house = createHouse({ strategy });
      expect(where(await house.letter("ada@example.com"))).toBe(HOME);
      const steps = house.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...["getUserByEmail", "createUser", "createUser!", ...session, "signIn!"],
      ]);
      expect(steps[1]).toEqual([
        "createUser",
        { id: expect.any(String), email: "ada@example.com", emailVerified: expect.any(Date) },
      ]);
      expect(steps.at(-1)).toMatchObject(["signIn!", { isNewUser: true }]);
    });

    it("M1: knows them again, and their first proof stays the first", async () => {
      const house = createHouse({ strategy });
      await house.letter("ada@example.com");
      const ada = await house.who();
      const before = (await house.adapter.getUser?.(ada ?? ""))?.emailVerified;
      house.names();
      const other = house.newBrowser();
      await house.letter("ada@example.com", other);
      expect(house.names()).toEqual(["getUserByEmail", ...session, "signIn!"]);
      expect(await house.who(other)).toBe(ada);
      expect((await house.adapter.getUser?.(ada ?? ""))?.emailVerified).toEqual(before);
    });

    it("M1: ends the session that this browser had", async () => {
      const house = createHouse({ strategy });
      await signedIn(house, EVE);
      const old = house.browser.cookies.get("authjs.session-token") ?? "";
      await house.letter("ada@example.com");
      if (strategy === "database") {
        expect(await house.adapter.getSessionAndUser?.(old)).toBeNull();
      }
      expect(house.browser.cookies.get("authjs.session-token")).not.toBe(old);
    });

    it("M2: whoever registered an unproved address keeps nothing", async () => {
      const house = createHouse({ strategy });
      const attacker = house.newBrowser();
      await house.come({ ...ADA, sub: "attacker", email_verified: false }, attacker);
      const id = await house.who(attacker);
      house.steps.length = 0;
      expect(where(await house.letter("ada@example.com"))).toBe(HOME);
      const steps = house.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...["getUserByEmail", "resetUser", "updateUser", "updateUser!", ...session, "signIn!"],
      ]);
      expect(steps[2]).toEqual(["updateUser", { id, emailVerified: expect.any(Date) }]);
      expect(await house.who()).toBe(id);
      if (strategy === "database") expect(await house.who(attacker)).toBeUndefined();
      // The way in is gone.
      const again = house.newBrowser();
      expect(where(await house.come({ ...ADA, sub: "attacker" }, again))).toBe(REFUSED);
      expect(await house.who(again)).toBeUndefined();
    });

    it("M2: says so where the adapter cannot take the accounts away", async () => {
      const house = createHouse({ strategy, without: ["resetUser"] });
      await house.come(ADA, house.newBrowser());
      await house.letter("ada@example.com");
      expect(house.warnings).toContain("adapter-cannot-reset");
    });

    it("M2: an account that signs in at that very moment gets nowhere", async () => {
      const house = createHouse({ strategy });
      const claims = { ...ADA, sub: "attacker", email_verified: false };
      const id = await signedIn(house, claims);
      const attacker = house.newBrowser();
      await house.start(attacker);
      // The owner arrives after the look-up, and before the session.
      house.gate = async (method) => {
        if (method === "updateAccount") await house.adapter.resetUser?.(id);
      };
      expect(where(await house.finish(claims, attacker))).toBe(REFUSED);
      expect(await house.who(attacker)).toBeUndefined();
    });

    it("M2: an account that is linked at that very moment is taken away as well", async () => {
      const house = createHouse({ strategy });
      const claims = { ...ADA, sub: "attacker", email_verified: false };
      const id = await signedIn(house, claims);
      await house.start(house.browser, true);
      house.gate = async (method) => {
        if (method === "linkAccount") await house.adapter.resetUser?.(id);
      };
      const response = await house.finish({ sub: "second" });
      const key = { provider: "claims", providerAccountId: "second" };
      if (strategy === "database") {
        expect(where(response)).toBe(REFUSED);
        expect(await house.adapter.getUserByAccount?.(key)).toBeNull();
        expect(await house.who()).toBeUndefined();
      }
    });

    it("C: credentials are not linked", async () => {
      const house = createHouse({
        strategy,
        config: {
          providers: [
            {
              id: "credentials",
              name: "Password",
              type: "credentials",
              credentials: {},
              authorize: () => ({ id: "7", name: "Grace", email: "Grace@Example.com" }),
            },
          ],
        },
      });
      expect(where(await house.browser.signInWith("credentials", {}))).toBe(HOME);
      expect(house.names()).toEqual(
        strategy === "jwt"
          ? ["signIn!"]
          : [
              ...["getUserByAccount", "getUser", "getUserByEmail", "createUserWithAccount"],
              ...["createUser!", "linkAccount!", "createSession", "signIn!"],
            ],
      );
      expect(await house.browser.session()).toMatchObject({ user: { name: "Grace" } });
    });
  });
}

describe("two at once", () => {
  for (const without of [[], ["createUserWithAccount"]] as const) {
    it(`make one person (${without[0] ?? "at once"})`, async () => {
      const house = createHouse({ without });
      const browsers = Array.from({ length: 10 }, () => house.newBrowser());
      await Promise.all(browsers.map((browser) => house.start(browser)));
      const answers = await Promise.all(browsers.map((browser) => house.finish(ADA, browser)));
      const ids = new Set(await Promise.all(browsers.map((browser) => house.who(browser))));
      const entered = answers.filter((answer) => where(answer) === HOME);
      if (!without.length) expect(entered.length).toBe(10);
      // Whoever lost and was refused gets in at the next attempt.
      for (const browser of browsers) expect(where(await house.come(ADA, browser))).toBe(HOME);
      ids.delete(undefined);
      expect(ids.size).toBe(1);
      expect(house.steps.filter(([name]) => name === "createUser!").length).toBe(1);
    });
  }
});
