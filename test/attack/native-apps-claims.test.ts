import { describe, expect, it } from "vitest";
import { bearer } from "../../plugins/security/bearer.ts";
import { nativeApps } from "../../plugins/security/native-apps.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { describeSignIn } from "../../plugins/strategies/_jwt/claims.ts";
import { standardPreset } from "../../presets/index.ts";
import { type AuthContext, defineStore } from "../../src/kernel.ts";
import { createTestAuth, ORIGIN, type TestAuthOptions } from "../_app.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { allow, APPS, redemption, type TokenResponse } from "../security/_native-apps.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const ADDRESS = "ada@example.com";
/** Claims Ada's address before she signs up. */
const EVE = { sub: "eve", name: "Eve", email: ADDRESS, email_verified: false };
/** From a provider that reports nothing about the address. */
const SILENT = { sub: "eve", name: "Eve", email: ADDRESS };

// The pages, and an API without a provider, where nothing opens a user by address.
function createApps(strategy: string, options: TestAuthOptions = {}) {
  const store = memoryBackend();
  const web = createClaimsApp({
    ...options,
    strategy,
    store,
    use: [defineStore(store), nativeApps({ apps: APPS }), ...(options.use ?? [])],
  });
  const api = createTestAuth({
    preset: standardPreset,
    store,
    strategy,
    trustHost: true,
    basePath: "/api/auth",
    providers: [],
    use: [bearer()],
  });
  return {
    web,
    async getCode() {
      return (await allow(web.browser)).searchParams.get("code") ?? "";
    },
    async redeem(code: string) {
      const body = new URLSearchParams(redemption(code));
      const request = new Request(`${ORIGIN}/auth/token`, { method: "POST", body });
      return (await (await web.auth.fetch(request)).json()) as TokenResponse;
    },
    async read(token: string) {
      const headers = { authorization: `Bearer ${token}` };
      const request = new Request(`${ORIGIN}/api/auth/session`, { headers });
      return (await (await api.auth.fetch(request)).json()) as object | null;
    },
    // Ada opens a link, in another browser.
    async prove() {
      await web.signInByEmail(ADDRESS, web.openBrowser());
    },
  };
}

describe.each(["jwt", "database", "hybrid"])(
  "a user who claims another user's address, under the strategy %s",
  (strategy) => {
    it.each([
      ["as not verified", EVE],
      ["by a provider that reports nothing", SILENT],
    ])(
      "loses the session of an app when the owner proves the address: claimed %s",
      async (_, claims) => {
        const apps = createApps(strategy);
        await apps.web.signIn(claims);
        const { access_token: token } = await apps.redeem(await apps.getCode());
        expect(await apps.read(token)).toMatchObject({ user: { name: "Eve" } });
        await apps.prove();
        expect(await apps.read(token)).toBeNull();
      },
    );

    it("gets no session from an approval during the proof", async () => {
      const apps = createApps(strategy);
      await apps.web.signIn(EVE);
      let code = "";
      apps.web.gate = async (method) => {
        if (method !== "revokeUserAccess" || code !== "") return;
        code = "asked";
        await new Promise((resolve) => void setTimeout(resolve, 5));
        code = await apps.getCode();
      };
      await apps.prove();
      expect(code).not.toBe("asked");
      expect(await apps.redeem(code)).toEqual({ error: "invalid_grant" });
    });

    it("gets no session from a code that is redeemed during the proof", async () => {
      const apps = createApps(strategy);
      await apps.web.signIn(EVE);
      const code = await apps.getCode();
      let isProved = false;
      let reads = 0;
      apps.web.gate = async (method) => {
        // The last look at the user before the session is created.
        const isLast =
          strategy === "jwt" ? method === "getUser" && ++reads === 2 : method === "createSession";
        if (!isLast || isProved) return;
        isProved = true;
        await apps.prove();
      };
      const { access_token: token, error } = await apps.redeem(code);
      expect(isProved).toBe(true);
      expect([token, error]).toEqual([undefined, "invalid_grant"]);
    });
  },
);

it("on an adapter that cannot revoke access, an approval during the proof gives no session", async () => {
  for (const strategy of ["jwt", "database", "hybrid"]) {
    const without = ["revokeUserAccess", "createUserWithAccount"] as const;
    const apps = createApps(strategy, { without });
    await apps.web.signIn(SILENT);
    let code = "";
    apps.web.gate = async (method) => {
      if (method !== "updateUser" || code !== "") return;
      code = "asked";
      await new Promise((resolve) => void setTimeout(resolve, 5));
      code = await apps.getCode();
    };
    await apps.prove();
    expect(code).not.toBe("asked");
    expect(await apps.redeem(code)).toEqual({ error: "invalid_grant" });
  }
});

it("a session that comes from an earlier one does not begin with a later proof of the address", () => {
  const kernel = { adapter: {}, config: { jwt: {}, session: {} }, routes: new Map() };
  const user = { id: "1", email: ADDRESS, emailVerified: new Date(2_000_000) };
  const describeOf = (times: { authTime?: number }) =>
    describeSignIn({ kernel, origin: ORIGIN } as unknown as AuthContext, { user, ...times });
  expect(describeOf({ authTime: 1000 }).auth_time).toBe(1000);
  expect(describeOf({}).auth_time).toBeGreaterThan(2000);
});
