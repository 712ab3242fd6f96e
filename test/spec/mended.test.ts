import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuth } from "../../presets/index.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createBrowser } from "../../src/testing.ts";
import type { AdapterSession, AdapterUser, AuthConfig } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { createApp, oauth, oidc } from "../flows/_oauth.ts";
import { createHouse, type House, ORIGIN } from "../kernel/_house.ts";
import { type Op, startOp } from "../_op.ts";

const COOKIE = "authjs.session-token";
const DAY = 86_400_000;
const NOW = Date.parse("2026-06-01T12:00:00.000Z");
const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };
const EVE = { sub: "eve", name: "Eve", email: "eve@example.com" };
const REFUSED = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const where = (response: Response) => response.headers.get("location");
const owner = (house: House, { sub }: typeof ADA) =>
  house.adapter.getUserByAccount?.({ provider: "claims", providerAccountId: sub });

describe("BEHAVIOUR section 19, mended", () => {
  it("3: the query of a sign-in changes no protocol parameter", async () => {
    const app = createApp(op, [oidc(op)]);
    const evil = { redirect_uri: "https://evil.example", client_id: "evil", scope: "everything" };
    const query = `?${new URLSearchParams({ ...evil, response_type: "token", state: "known" })}`;
    const asked = new URL(await app.start("op", {}, query)).searchParams;
    const plain = new URL(await app.start("op")).searchParams;
    for (const name of ["redirect_uri", "client_id", "scope", "response_type"]) {
      expect(asked.getAll(name)).toEqual(plain.getAll(name));
    }
    expect(asked.get("state")).not.toBe("known");
    expect(String(asked)).not.toContain("evil");
  });

  for (const strategy of ["jwt", "database"] as const) {
    it(`4: an expired session is nobody's to link to (${strategy})`, async () => {
      // Of an adapter that goes on answering the row.
      const rows = new Map<string, { session: AdapterSession; user: AdapterUser }>();
      const full = adapterOn(memoryBackend());
      const adapter = {
        ...full,
        async getSessionAndUser(token: string) {
          const row = (await full.getSessionAndUser(token)) ?? rows.get(token) ?? null;
          if (row) rows.set(token, row);
          return row;
        },
        deleteSession: () => null,
      };
      const house = createHouse({ strategy, adapter });
      await house.come(ADA);
      expect(await house.who()).toBeDefined();
      const held = house.browser.cookies.get(COOKIE) ?? "";

      // It ends between the two halves of the attempt.
      vi.setSystemTime(NOW + 30 * DAY - 60_000);
      await house.start(house.browser, true);
      house.browser.cookies.set(COOKIE, held);
      vi.setSystemTime(NOW + 30 * DAY);
      expect(where(await house.finish(EVE))).toBe(REFUSED);
      expect(await owner(house, EVE)).toBeNull();

      // And before it.
      house.browser.cookies.set(COOKIE, held);
      expect(where(await house.start(house.browser, true))).toBe(REFUSED);
      expect(await house.who()).toBeUndefined();
    });

    it(`5: an attempt that somebody else began links nothing (${strategy})`, async () => {
      const house = createHouse({ strategy });
      await house.come(ADA);
      const ada = await house.who();
      const attacker = house.newBrowser();
      await house.come(EVE, attacker);
      await house.start(attacker, true);

      // The attacker's callback, followed in the victim's browser.
      const lured = house.newBrowser();
      for (const [name, value] of house.browser.cookies) lured.cookies.set(name, value);
      const fields = { claims: JSON.stringify({ sub: "evil" }), state: "state-of-the-attacker" };
      await lured.signInWith("claims", fields);
      expect(await owner(house, { ...EVE, sub: "evil" })).toBeNull();
      expect(await house.who(lured)).toBe(ada);

      // Nor in a browser that has the attempt's cookies and the victim's session: it says who asked.
      attacker.cookies.set(COOKIE, house.browser.cookies.get(COOKIE) ?? "");
      expect(where(await house.finish({ sub: "evil" }, attacker))).toBe(REFUSED);
      expect(await owner(house, { ...EVE, sub: "evil" })).toBeNull();
    });

    it(`6: a passkey's sign-in follows the signIn callback's answer (${strategy})`, async () => {
      for (const [answer, target] of [
        ["/terms", `${ORIGIN}/terms`],
        [false, `${ORIGIN}/auth/error?error=AccessDenied`],
      ] as const) {
        const house = createHouse({
          strategy,
          config: { callbacks: { signIn: () => answer } },
        });
        const response = await house.come(ADA, house.browser, false, "key");
        expect(where(response)).toBe(target);
        expect(house.names()).toEqual(["getUserByAccount", "getUserByEmail"]);
        expect(await house.who()).toBeUndefined();
      }
    });

    it(`16: the provider's flag needs its word for the address (${strategy})`, async () => {
      const house = createHouse({ strategy });
      await house.letter(ADA.email, house.newBrowser());
      const silent = await house.come(ADA, house.browser, false, "trusted");
      expect(where(silent)).toBe(REFUSED);
      const vouched = { ...ADA, email_verified: true };
      const response = await house.come(vouched, house.browser, false, "trusted");
      expect(where(response)).toBe(`${ORIGIN}/`);
    });

    it(`21: credentials make a session that can be read (${strategy})`, async () => {
      const house = createHouse({
        strategy,
        config: {
          providers: [
            {
              id: "credentials",
              name: "Password",
              type: "credentials",
              credentials: {},
              authorize: () => ({ id: "7", name: "Grace", email: "grace@example.com" }),
            },
          ],
        },
      });
      expect(where(await house.browser.signInWith("credentials", {}))).toBe(`${ORIGIN}/`);
      expect(await house.browser.session()).toMatchObject({ user: { name: "Grace" } });
      await house.browser.signOut();
      expect(await house.browser.session()).toBeNull();
    });

    it(`23: tokens of a returning account are stored anew, those not given stay (${strategy})`, async () => {
      const house = createHouse({ strategy });
      await house.come({ ...ADA, access_token: "first" });
      const account = await house.adapter.getAccount?.("ada", "claims");
      await house.adapter.updateAccount?.({ ...account, refresh_token: "kept" } as never);
      await house.come({ ...ADA, access_token: "second" }, house.newBrowser());
      expect(await house.adapter.getAccount?.("ada", "claims")).toEqual({
        ...account,
        access_token: "second",
        refresh_token: "kept",
      });
    });

    it(`25: emailVerified is set at the first proof, and never again (${strategy})`, async () => {
      const house = createHouse({ strategy });
      await house.letter(ADA.email);
      const id = (await house.who()) ?? "";
      vi.setSystemTime(NOW + DAY);
      await house.letter(ADA.email);
      await house.letter(ADA.email, house.newBrowser());
      expect((await house.adapter.getUser?.(id))?.emailVerified).toEqual(new Date(NOW));
    });
  }

  it("20: cookie, row and answer agree on when a stored session ends", async () => {
    const house = createHouse();
    await house.come(ADA);
    const token = house.browser.cookies.get(COOKIE) ?? "";
    for (const [day, end] of [
      [0.9, 30],
      [1, 31],
      [1.5, 31],
      [2.1, 32.1],
    ] as const) {
      vi.setSystemTime(NOW + day * DAY);
      const response = await house.browser.get("/auth/session");
      const ends = new Date(NOW + end * DAY);
      expect(((await response.json()) as { expires: string }).expires).toBe(ends.toISOString());
      expect((await house.adapter.getSessionAndUser?.(token))?.session.expires).toEqual(ends);
      const [cookie] = response.headers.getSetCookie().filter((set) => set.startsWith(COOKIE));
      // Set where the row has moved, and only there.
      expect(cookie === undefined).toBe(day === 0.9 || day === 1.5);
      if (cookie) expect(cookie).toContain(`Expires=${ends.toUTCString()}`);
    }
  });

  it("22 and row N: without an adapter a person has the same id at every sign-in", async () => {
    const subs: unknown[] = [];
    const users: unknown[] = [];
    const app = createApp(op, [oauth(op), oauth(op, { id: "other" })], {
      callbacks: {
        jwt({ token, user, isNewUser }) {
          if (user) subs.push([token.sub, isNewUser]);
          return token;
        },
      },
      events: { signIn: ({ user, isNewUser }) => void users.push([user.id, isNewUser]) },
    });
    for (const provider of ["op", "op", "other"]) {
      await app.signIn(provider);
      app.browser.cookies.clear();
    }
    const [first, again, other] = subs;
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), undefined]);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(users).toEqual(subs);
    expect(app.errors).toEqual([]);
  });

  it("row N: stored sessions without an adapter are a fault at boot", async () => {
    const config: AuthConfig = { session: { strategy: "database" }, logger: { error() {} } };
    const auth = createAuth({ ...config, secret: "x".repeat(32), env: {}, trustHost: true });
    expect(() => auth.inspect()).toThrow("there is no adapter");
    const browser = createBrowser((request) => auth.fetch(request));
    expect((await browser.get("/auth/session")).status).toBe(500);
  });
});
