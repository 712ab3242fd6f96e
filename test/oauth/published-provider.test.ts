import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { accessTokens, type AccessTokensAuth } from "../../plugins/oauth/access-tokens.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { providerLogout } from "../../plugins/oauth/provider-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";

// The packages are those of a Keyhook peer: `npm run test:published` installs them.
const room = new URL("./published/", import.meta.url);
const isInstalled = existsSync(new URL("node_modules/better-auth", room));
if (!isInstalled) {
  if (process.env.KEYHOOK_PUBLISHED) throw new Error("The published provider is not installed.");
  console.warn("the published provider is not installed: skipped (npm run test:published)");
}

const origin = "https://app.example.com";

/** What `published/provider.ts` starts. Its packages are not installed here, so it is not type-checked. */
interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  visit(url: string): Promise<string>;
  enter(): Promise<void>;
  leave(): Promise<void>;
  isSignedIn(): Promise<boolean>;
  close(): Promise<void>;
}

function createApp(provider: Provider, strategy: string) {
  const { issuer, clientId, clientSecret } = provider;
  const scope = "openid profile email offline_access";
  const authorization = { params: { scope } };
  const idp = { id: "idp", name: "IdP", type: "oidc", issuer, clientId, clientSecret } as const;
  // The ID tokens contain who signed in, and the userinfo contains the rest (OpenID Connect Core
  // section 5.4).
  return createTestAuth({
    preset: standardPreset,
    trustHost: true,
    origin,
    store: memoryBackend(),
    strategy,
    providers: [{ ...idp, authorization, idToken: false }],
    use: [
      defineStore(memoryBackend()),
      accessTokens(),
      providerLogout(),
      backchannelLogout({ checkAge: 0 }),
    ],
  });
}

describe.skipIf(!isInstalled).each(["jwt", "database", "hybrid"])(
  "with a second real OpenID Connect provider (better-auth), %s sessions",
  (strategy) => {
    let provider: Provider;
    let app: ReturnType<typeof createApp>;

    beforeAll(async () => {
      const file = new URL("provider.ts", room).href;
      const { startProvider } = (await import(/* @vite-ignore */ file)) as {
        startProvider(origin: string): Promise<Provider>;
      };
      provider = await startProvider(origin);
      app = createApp(provider, strategy);
    });
    beforeEach(() => {
      const send = globalThis.fetch;
      // The application has no address: requests of the provider are delivered in-process.
      vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
        const request = new Request(input, init);
        return request.url.startsWith(origin) ? app.auth.fetch(request) : send(request);
      });
    });
    afterEach(async () => {
      vi.unstubAllGlobals();
      await provider.enter();
    });
    afterAll(() => provider?.close());

    async function signIn(browser = app.browser) {
      const started = await browser.signIn("idp", { callbackUrl: "/page" });
      const { pathname, search } = new URL(
        await provider.visit(started.headers.get("location") ?? ""),
      );
      const response = await browser.get(pathname + search);
      expect(response.headers.get("location")).toBe(`${origin}/page`);
      expect(await browser.session()).toMatchObject({ user: { email: "ada@example.com" } });
    }

    function getToken(minValidity?: number) {
      const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
      const event = {
        req: new Request(`${origin}/page`, { headers: { cookie } }),
        res: { headers: new Headers() },
      };
      const auth = app.auth as typeof app.auth & AccessTokensAuth;
      const request = { provider: "idp", ...(minValidity !== undefined && { minValidity }) };
      return auth.getAccessToken(event, request);
    }

    it("20 calls that need a new access token refresh once, and once again with the rotated refresh token", async () => {
      await signIn();
      const { accessToken: first } = await getToken();
      const renew = async () => {
        // No token of this provider is valid for that long.
        const tokens = await Promise.all(Array.from({ length: 20 }, () => getToken(86_000)));
        return new Set(tokens.map(({ accessToken }) => accessToken));
      };
      const second = await renew();
      expect(second.size).toBe(1);
      expect(second.has(first)).toBe(false);
      const third = await renew();
      expect(third.size).toBe(1);
      const [token = ""] = third;
      const response = await fetch(`${provider.issuer}/oauth2/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await response.json()).toMatchObject({ email: "ada@example.com" });
    });

    it("a sign-out also ends the provider's session, and returns to its target", async () => {
      await signIn();
      const csrfToken = await app.browser.csrfToken();
      const response = await app.browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" });
      expect(await app.browser.session()).toBeNull();
      const url = response.headers.get("location") ?? "";
      expect(url.startsWith(`${provider.issuer}/oauth2/end-session?`)).toBe(true);
      const { pathname, search } = new URL(await provider.visit(url));
      const back = await app.browser.get(pathname + search);
      expect(back.headers.get("location")).toBe(`${origin}/bye`);
      expect(await provider.isSignedIn()).toBe(false);
    });

    it("a sign-out at the provider ends the application's session by a logout token", async () => {
      await signIn();
      await provider.leave();
      // `hybrid` trusts its cookie for a while.
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
      expect(await app.browser.session()).toBeNull();
    });
  },
);
