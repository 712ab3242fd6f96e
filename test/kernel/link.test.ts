import { describe, expect, it } from "vitest";
import { type Claims, createHouse, type House, ORIGIN } from "./_house.ts";

const HOME = `${ORIGIN}/`;
const REFUSED = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

const where = (response: Response) => response.headers.get("location");

const ADA: Claims = { sub: "ada", name: "Ada", email: "ada@example.com", email_verified: true };
const EVE: Claims = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };

/** What a sign-in adds to the steps, by strategy. */
const SESSION = { jwt: [], database: ["createSession"] };
const ENDED = { jwt: [], database: ["deleteSession"] };

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

  describe(`linking, ${strategy}`, () => {
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

    it("O4: what was linked signs in from anywhere", async () => {
      const house = createHouse({ strategy });
      const ada = await signedIn(house, ADA);
      expect(where(await house.come(EVE, house.browser, true))).toBe(HOME);
      const other = house.newBrowser();
      await house.come(EVE, other);
      expect(await house.who(other)).toBe(ada);
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

    it("M2: whoever registered an unproved address keeps nothing", async () => {
      const house = createHouse({ strategy });
      const attacker = house.newBrowser();
      await house.come({ ...ADA, sub: "attacker", email_verified: false }, attacker);
      const id = await house.who(attacker);
      house.steps.length = 0;
      expect(where(await house.letter("ada@example.com"))).toBe(HOME);
      const steps = house.steps.splice(0);
      expect(steps.map(([name]) => name)).toEqual([
        ...["getUserByEmail", "resetUser", "updateUser!", ...session, "signIn!"],
      ]);
      expect(steps[1]).toEqual(["resetUser", id, { emailVerified: expect.any(Date) }]);
      expect(await house.who()).toBe(id);
      if (strategy === "database") expect(await house.who(attacker)).toBeUndefined();
      // The way in is gone.
      const again = house.newBrowser();
      expect(where(await house.come({ ...ADA, sub: "attacker" }, again))).toBe(REFUSED);
      expect(await house.who(again)).toBeUndefined();
    });

    it("M2: a session from before the first proof links nothing more to the owner's user", async () => {
      const house = createHouse({ strategy });
      const id = await signedIn(house, { ...ADA, sub: "attacker", email_verified: false });
      const owner = house.newBrowser();
      await house.letter("ada@example.com", owner);
      expect(await house.who(owner)).toBe(id);
      // With a session in a cookie the attacker's own browser cannot be told (README, Security).
      expect(where(await house.start(house.browser, true))).toBe(REFUSED);
      // An attempt that was begun before the proof does not help either.
      const early = createHouse({ strategy });
      await early.come({ ...ADA, sub: "attacker", email_verified: false });
      await early.start(early.browser, true);
      await early.letter("ada@example.com", early.newBrowser());
      expect(where(await early.finish({ sub: "second" }))).toBe(REFUSED);
      const key = { provider: "claims", providerAccountId: "second" };
      expect(await early.adapter.getUserByAccount?.(key)).toBeNull();
      // The owner's own session does.
      expect(where(await house.come({ sub: "own" }, owner, true))).toBe(HOME);
      expect(await house.who(owner)).toBe(id);
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
        const proof = { emailVerified: new Date(Date.now() + 1) };
        if (method === "linkAccount") await house.adapter.resetUser?.(id, proof);
      };
      const response = await house.finish({ sub: "second" });
      const key = { provider: "claims", providerAccountId: "second" };
      expect(where(response)).toBe(REFUSED);
      expect(await house.adapter.getUserByAccount?.(key)).toBeNull();
      if (strategy === "database") expect(await house.who()).toBeUndefined();
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
