import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import type { AdapterSession, AdapterUser, AuthConfig } from "../../src/types.ts";
import { ORIGIN, SECRET } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createOAuthApp, oauth, oidc } from "../flows/_oauth.ts";
import { createClaimsApp, type ClaimsApp } from "../kernel/_claims-app.ts";

const COOKIE = "authjs.session-token";
const DAY = 86_400_000;
const NOW = Date.parse("2026-06-01T12:00:00.000Z");
const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };
const EVE = { sub: "eve", name: "Eve", email: "eve@example.com" };
const REFUSED = `${ORIGIN}/auth/signin?error=SessionRequired`;
const TAKEN = `${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`;

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const where = (response: Response) => response.headers.get("location");
const owner = (testApp: ClaimsApp, { sub }: typeof ADA) =>
  testApp.adapter.getUserByAccount?.({ provider: "claims", providerAccountId: sub });

describe("faults of Auth.js that Keyhook fixes", () => {
  it("3: the query of a sign-in does not change protocol parameters", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const evil = { redirect_uri: "https://evil.example", client_id: "evil", scope: "everything" };
    const query = `?${new URLSearchParams({ ...evil, response_type: "token", state: "known" })}`;
    const asked = new URL(await app.startSignIn("op", {}, query)).searchParams;
    const plain = new URL(await app.startSignIn("op")).searchParams;
    for (const name of ["redirect_uri", "client_id", "scope", "response_type"]) {
      expect(asked.getAll(name)).toEqual(plain.getAll(name));
    }
    expect(asked.get("state")).not.toBe("known");
    expect(String(asked)).not.toContain("evil");
  });

  for (const strategy of ["jwt", "database", "hybrid"] as const) {
    it(`4: an expired session cannot link accounts (${strategy})`, async () => {
      // With an adapter that still returns the row.
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
      // It is not extended when the attempt starts.
      const session = { freshAge: 0, updateAge: 30 * 86_400 };
      const testApp = createClaimsApp({ errors: "allowed", strategy, adapter, session });
      await testApp.signIn(ADA);
      expect(await testApp.getUserId()).toBeDefined();
      const held = testApp.browser.cookies.get(COOKIE) ?? "";

      // It expires between the start and the end of the attempt.
      vi.setSystemTime(NOW + 30 * DAY - 60_000);
      await testApp.startSignIn(testApp.browser, true);
      testApp.browser.cookies.set(COOKIE, held);
      vi.setSystemTime(NOW + 30 * DAY);
      expect(where(await testApp.finishSignIn(EVE))).toBe(REFUSED);
      expect(await owner(testApp, EVE)).toBeNull();

      // It expires before the attempt.
      testApp.browser.cookies.set(COOKIE, held);
      expect(where(await testApp.startSignIn(testApp.browser, true))).toBe(REFUSED);
      expect(await testApp.getUserId()).toBeUndefined();
    });

    it(`5: an attempt that another user started links nothing (${strategy})`, async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      await testApp.signIn(ADA);
      const ada = await testApp.getUserId();
      const attacker = testApp.openBrowser();
      await testApp.signIn(EVE, attacker);
      await testApp.startSignIn(attacker, true);

      // The attacker's callback, opened in the victim's browser.
      const lured = testApp.openBrowser();
      for (const [name, value] of testApp.browser.cookies) lured.cookies.set(name, value);
      const fields = { claims: JSON.stringify({ sub: "evil" }), state: "state-of-the-attacker" };
      await lured.signInWith("claims", fields);
      expect(await owner(testApp, { ...EVE, sub: "evil" })).toBeNull();
      expect(await testApp.getUserId(lured)).toBe(ada);

      // The same in a browser with the attempt's cookies and the victim's session, because the attempt names its user.
      attacker.cookies.set(COOKIE, testApp.browser.cookies.get(COOKIE) ?? "");
      expect(where(await testApp.finishSignIn({ sub: "evil" }, attacker))).toBe(REFUSED);
      expect(await owner(testApp, { ...EVE, sub: "evil" })).toBeNull();
    });

    it(`6: the result of the signIn callback applies to a passkey sign-in (${strategy})`, async () => {
      for (const [answer, target] of [
        ["/terms", `${ORIGIN}/terms`],
        [false, `${ORIGIN}/auth/error?error=AccessDenied`],
      ] as const) {
        const testApp = createClaimsApp({
          errors: "allowed",
          strategy,
          callbacks: { signIn: () => answer },
        });
        const response = await testApp.signIn(ADA, testApp.browser, false, "key");
        expect(where(response)).toBe(target);
        const lookUps = ["getUserByAccount", "getAccount", "getUserByEmail"];
        expect(testApp.callNames()).toEqual(lookUps);
        expect(await testApp.getUserId()).toBeUndefined();
      }
    });

    it(`16: the provider's flag links no address that it reports as unverified (${strategy})`, async () => {
      const testApp = createClaimsApp({ errors: "allowed", strategy });
      await testApp.signInByEmail(ADA.email, testApp.openBrowser());
      const denied = { ...ADA, email_verified: false };
      expect(where(await testApp.signIn(denied, testApp.browser, false, "trusted"))).toBe(TAKEN);
      const verified = { ...ADA, email_verified: true };
      const response = await testApp.signIn(verified, testApp.browser, false, "trusted");
      expect(where(response)).toBe(`${ORIGIN}/`);
    });

    it(`21: a credentials sign-in creates a session that can be read (${strategy})`, async () => {
      const testApp = createClaimsApp({
        strategy,

        providers: [
          {
            id: "credentials",
            name: "Password",
            type: "credentials",
            credentials: {},
            authorize: () => ({ id: "7", name: "Grace", email: "grace@example.com" }),
          },
        ],
      });
      expect(where(await testApp.browser.signInWith("credentials", {}))).toBe(`${ORIGIN}/`);
      expect(await testApp.browser.session()).toMatchObject({ user: { name: "Grace" } });
      await testApp.browser.signOut();
      expect(await testApp.browser.session()).toBeNull();
    });

    it(`23: tokens of a returning account are updated, and those not returned are kept (${strategy})`, async () => {
      const testApp = createClaimsApp({ strategy });
      await testApp.signIn({ ...ADA, access_token: "first" });
      const account = await testApp.adapter.getAccount?.("ada", "claims");
      await testApp.adapter.updateAccount?.({ ...account, refresh_token: "kept" } as never);
      await testApp.signIn({ ...ADA, access_token: "second" }, testApp.openBrowser());
      expect(await testApp.adapter.getAccount?.("ada", "claims")).toEqual({
        ...account,
        access_token: "second",
        refresh_token: "kept",
      });
    });

    it(`25: emailVerified is set by the first verification and never again (${strategy})`, async () => {
      const testApp = createClaimsApp({ strategy });
      await testApp.signInByEmail(ADA.email);
      const id = (await testApp.getUserId()) ?? "";
      vi.setSystemTime(NOW + DAY);
      await testApp.signInByEmail(ADA.email);
      await testApp.signInByEmail(ADA.email, testApp.openBrowser());
      expect((await testApp.adapter.getUser?.(id))?.emailVerified).toEqual(new Date(NOW));
    });
  }

  it("20: cookie, row and response agree on when a stored session expires", async () => {
    const testApp = createClaimsApp();
    await testApp.signIn(ADA);
    const token = testApp.browser.cookies.get(COOKIE) ?? "";
    for (const [day, end] of [
      [0.9, 30],
      [1, 31],
      [1.5, 31],
      [2.1, 32.1],
    ] as const) {
      vi.setSystemTime(NOW + day * DAY);
      const response = await testApp.browser.get("/auth/session");
      const ends = new Date(NOW + end * DAY);
      expect(((await response.json()) as { expires: string }).expires).toBe(ends.toISOString());
      expect((await testApp.adapter.getSessionAndUser?.(token))?.session.expires).toEqual(ends);
      const [cookie] = response.headers.getSetCookie().filter((set) => set.startsWith(COOKIE));
      // The cookie is set if the row has changed, and only then.
      expect(cookie === undefined).toBe(day === 0.9 || day === 1.5);
      if (cookie) expect(cookie).toContain(`Expires=${ends.toUTCString()}`);
    }
  });

  it("22 and row N: without an adapter a user has the same id at every sign-in", async () => {
    const subs: unknown[] = [];
    const users: unknown[] = [];
    const app = createOAuthApp(op, [oauth(op), oauth(op, { id: "other" })], {
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
    expect(app.log.errors).toEqual([]);
  });

  it("row N: stored sessions without an adapter are a boot fault", async () => {
    const config: AuthConfig = { session: { strategy: "database" }, logger: { error() {} } };
    const auth = createAuth({ ...config, secret: SECRET, env: {}, trustHost: true });
    expect(() => auth.inspect()).toThrow("there is no adapter");
    const browser = createBrowser((request) => auth.fetch(request));
    expect((await browser.get("/auth/session")).status).toBe(500);
  });
});
