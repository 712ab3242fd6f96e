import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { nativeApps } from "../../plugins/security/native-apps.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import { standardPreset } from "../../presets/index.ts";
import { type Adapter, defineStore } from "../../src/kernel.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, ORIGIN } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { ADA_AT_IDP } from "../oauth/_tokens.ts";
import { allow, APPS, redemption, type TokenResponse } from "../security/_native-apps.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

type Strategy = "jwt" | "database" | "hybrid";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

// The pages, where users sign in at the provider, and the API of the apps.
function createApps(strategy: Strategy, isStored: boolean, adapter?: Adapter) {
  const idp = createIdentityProvider();
  let sid = 0;
  idp.tamper.idToken = (claims) => ({ ...claims, sid: `sid-${++sid}` });
  const store = memoryBackend();
  const shared = {
    preset: standardPreset,
    ...(adapter && { adapter }),
    session: { strategy, ...(strategy === "hybrid" && { checkAge: 0 }) },
  };
  const plugins = () => [
    defineStore(store),
    ...(isStored && !adapter ? [storeAdapter()] : []),
    ...(adapter ? [databaseStrategy(), hybridStrategy()] : []),
    backchannelLogout({ checkAge: 0 }),
  ];
  const web = createTestAuth({
    ...shared,
    idp,
    providers: [idp.provider()],
    use: [...plugins(), nativeApps({ apps: APPS })],
  });
  const api = createTestAuth({
    ...shared,
    basePath: "/api/auth",
    providers: [],
    use: [...plugins(), bearer()],
  });
  const now = () => Math.floor(Date.now() / 1000);
  let serial = 0;
  return {
    web,
    async getCode() {
      return (await allow(web.browser)).searchParams.get("code") ?? "";
    },
    async redeem(code: string) {
      const body = new URLSearchParams(redemption(code));
      const request = new Request(`${ORIGIN}/auth/token`, { method: "POST", body });
      return ((await (await web.auth.fetch(request)).json()) as TokenResponse).access_token;
    },
    async read(token: string) {
      const headers = { authorization: `Bearer ${token}` };
      const request = new Request(`${ORIGIN}/api/auth/session`, { headers });
      return (await (await api.auth.fetch(request)).json()) as object | null;
    },
    /** Ends sessions, as the provider does. */
    async logOut(claims: { sub?: string; sid?: string }) {
      const times = { iat: now(), exp: now() + 120 };
      const token = await idp.sign(
        {
          ...{ iss: idp.issuer, aud: "client", jti: `jti-${++serial}`, events: { [EVENT]: {} } },
          ...times,
          ...claims,
        },
        { typ: "logout+jwt" },
      );
      const provider = web.openBrowser();
      const headers = { origin: idp.issuer };
      const fields = { logout_token: token };
      return (await provider.post("/auth/backchannel-logout/idp", fields, { headers })).status;
    },
  };
}

const CASES: [Strategy, boolean][] = [
  ["jwt", false],
  ["jwt", true],
  ["database", true],
  ["hybrid", true],
];

describe.each(CASES)(
  "a user with a native app, under %s (stored users: %s)",
  (strategy, isStored) => {
    it("loses the app's session when the provider ends all sessions of the user", async () => {
      const apps = createApps(strategy, isStored);
      await apps.web.browser.signInAs(ADA_AT_IDP);
      const token = await apps.redeem(await apps.getCode());
      expect(await apps.read(token)).toMatchObject({ user: { name: "Ada" } });
      expect(await apps.logOut({ sub: "ada-1" })).toBe(200);
      expect(await apps.read(token)).toBeNull();
      // A later sign-in is not affected.
      await apps.web.browser.signInAs(ADA_AT_IDP);
      const later = await apps.redeem(await apps.getCode());
      expect(await apps.read(later)).toMatchObject({ user: { name: "Ada" } });
    });

    it("gets no session from an approval before the provider ended all sessions", async () => {
      const apps = createApps(strategy, isStored);
      await apps.web.browser.signInAs(ADA_AT_IDP);
      const code = await apps.getCode();
      expect(await apps.logOut({ sub: "ada-1" })).toBe(200);
      const token = await apps.redeem(code);
      expect(token === undefined ? null : await apps.read(token)).toBeNull();
    });

    it("keeps the app's session when the provider ends only the session of the browser", async () => {
      const apps = createApps(strategy, isStored);
      await apps.web.browser.signInAs(ADA_AT_IDP);
      const token = await apps.redeem(await apps.getCode());
      expect(await apps.logOut({ sub: "ada-1", sid: "sid-1" })).toBe(200);
      expect(await apps.web.browser.session()).toBeNull();
      expect(await apps.read(token)).toMatchObject({ user: { name: "Ada" } });
    });
  },
);

it.each(["database", "hybrid"] as const)(
  "the session of an app ends with the provider's logout of its user in an adapter that cannot end all sessions, under %s",
  async (strategy) => {
    const { deleteSessionsByUserId: _, ...adapter } = adapterOn(memoryBackend());
    const apps = createApps(strategy, true, adapter);
    await apps.web.browser.signInAs(ADA_AT_IDP);
    const token = await apps.redeem(await apps.getCode());
    expect(await apps.logOut({ sub: "ada-1" })).toBe(200);
    expect(await apps.web.browser.session()).toBeNull();
    expect(await apps.read(token)).toBeNull();
  },
);
