import { existsSync } from "node:fs";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { credentials } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { OWN } from "../flows/_passkey.ts";
import { isLeftOut, launch } from "./_chromium.ts";
import { openSite, type Site } from "./_site.ts";

// Its peers conflict with those of this repository: `npm run test:published` installs it.
const room = new URL("./published/", import.meta.url);
const isInstalled = existsSync(new URL("node_modules/next-auth", room));
if (!isInstalled) {
  if (process.env.KEYHOOK_PUBLISHED) throw new Error("The published client is not installed.");
  console.warn("the published client is not installed: skipped (npm run test:published)");
}

const idp = {
  id: "idp",
  name: "IdP",
  type: "oauth",
  clientId: "id",
  clientSecret: "secret",
  authorization: "https://idp.example/authorize",
  token: "https://idp.example/token",
  userinfo: "https://idp.example/userinfo",
} as const;

const NEXT = {
  "process.env.NEXTAUTH_URL": "undefined",
  "process.env.NEXTAUTH_URL_INTERNAL": "undefined",
  "process.env.VERCEL_URL": "undefined",
};

describe.skipIf(!isInstalled || isLeftOut).each([
  ["/api/auth", "/"],
  ["/auth", "/?base=/auth"],
])("the published next-auth/react at %s", (basePath, path) => {
  let browser: Browser;
  let site: Site;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await launch();
    site = await openSite({
      app: room,
      basePath,
      config: { providers: [credentials(), idp] },
      vite: { define: NEXT },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  afterEach(() => context.close());

  async function open(): Promise<Page> {
    context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(site.origin + path);
    await becomes(page, "unauthenticated");
    return page;
  }

  const becomes = async (page: Page, text: string) => {
    await expect.poll(() => page.locator("#who").textContent()).toBe(text);
  };
  const press = (page: Page, id: string) => page.locator(`#${id}`).click();
  const result = async (page: Page, id: string): Promise<Record<string, unknown>> => {
    await press(page, id);
    await expect.poll(() => page.locator("#result").textContent()).not.toBe("");
    return JSON.parse((await page.locator("#result").textContent()) ?? "");
  };

  it("getProviders, getCsrfToken and getSession of next-auth/react work", async () => {
    const page = await open();
    expect(await result(page, "providers")).toMatchObject({
      credentials: {
        type: "credentials",
        signinUrl: `${site.origin}${basePath}/signin/credentials`,
      },
      idp: { type: "oauth", callbackUrl: `${site.origin}${basePath}/callback/idp` },
    });
    expect(await result(page, "csrf")).toMatch(/^[0-9a-f]{64}$/);
    expect(await result(page, "read")).toBeNull();
  });

  it("signIn, update and signOut of next-auth/react work without leaving the page", async () => {
    const page = await open();
    expect(await result(page, "wrong")).toMatchObject({
      error: "CredentialsSignin",
      code: "credentials",
      url: null,
    });
    await becomes(page, "unauthenticated");
    expect(await result(page, "in")).toMatchObject({ ok: true, status: 200 });
    await becomes(page, "Ada");
    expect(await result(page, "update")).toMatchObject({ user: { name: "Countess" } });
    await becomes(page, "Countess");
    expect(await result(page, "read")).toMatchObject({ user: { name: "Countess" } });
    expect(await result(page, "out")).toEqual({ url: page.url() });
    await becomes(page, "unauthenticated");
  });

  it("signIn and signOut of next-auth/react navigate to their targets", async () => {
    const page = await open();
    await press(page, "in-leaving");
    await page.waitForURL(`${site.origin}/home`);
    await page.goto(site.origin + path);
    await becomes(page, "Ada");
    await press(page, "out-leaving");
    await page.waitForURL(`${site.origin}/bye`);
    await page.goto(site.origin + path);
    await becomes(page, "unauthenticated");
  });

  it("signIn of next-auth/react navigates to the identity provider", async () => {
    const page = await open();
    await page.route("https://idp.example/**", (route) => route.fulfill({ body: "the IdP" }));
    await press(page, "idp");
    await page.waitForURL(/^https:\/\/idp\.example\//);
    const query = new URL(page.url()).searchParams;
    expect(query.get("redirect_uri")).toBe(`${site.origin}${basePath}/callback/idp`);
    expect(query.get("login_hint")).toBe("ada");
  });

  it("SessionProvider of next-auth/react updates other tabs", async () => {
    const page = await open();
    const other = await context.newPage();
    await other.goto(site.origin + path);
    await becomes(other, "unauthenticated");
    await result(page, "in");
    await becomes(page, "Ada");
    await result(page, "read");
    await becomes(other, "Ada");
    await result(other, "out");
    await becomes(page, "unauthenticated");
  });

  it("useSession({ required: true }) of next-auth/react redirects to the sign-in page and back", async () => {
    const page = await open();
    const target = `${site.origin}/secret${path.slice(1)}`;
    await page.goto(target);
    await page.waitForURL(/signin\?error=SessionRequired/);
    await page.getByLabel("username").fill("ada");
    await page.getByLabel("password").fill("lovelace");
    await page.getByLabel("password").press("Enter");
    await page.waitForURL(target);
    await becomes(page, "Ada");
  });
});

describe.skipIf(!isInstalled || isLeftOut).each([
  ["/api/auth", "Keyhook", "/"],
  ["/auth", "Auth.js", "/?base=/auth"],
])("the published next-auth/webauthn at %s with an adapter of %s", (basePath, kind, path) => {
  let browser: Browser;
  let site: Site;
  let context: BrowserContext;
  let page: Page;
  let cdp: CDPSession;
  let authenticatorId: string;
  let adapter: ReturnType<typeof adapterOn>;

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    adapter = adapterOn(memoryBackend());
    // The adapter assigns user ids itself, so that handles of passkeys are random.
    if (kind === "Auth.js")
      for (const name of OWN) delete (adapter as Partial<typeof adapter>)[name];
    site = await openSite({
      app: room,
      basePath,
      config: {
        adapter,
        session: { strategy: "jwt" },
        experimental: { enableWebAuthn: true },
        providers: [passkeyPlugin()],
      },
      vite: { define: NEXT },
    });
    context = await browser.newContext();
    page = await context.newPage();
    cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable", { enableUI: false });
    await plugIn();
    await open();
  });
  afterEach(async () => {
    await context.close();
    await site.stop();
  });

  async function plugIn(): Promise<void> {
    ({ authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
  }

  async function open(): Promise<void> {
    await page.goto(site.origin + path);
    await expect.poll(() => page.locator("#who").textContent()).not.toBe("loading");
  }

  async function result(id: string): Promise<Record<string, unknown>> {
    await page.locator(`#${id}`).click();
    await expect.poll(() => page.locator("#result").textContent()).not.toBe("");
    return JSON.parse((await page.locator("#result").textContent()) ?? "");
  }

  const who = async () =>
    (await (await context.request.get(`${site.origin}${basePath}/session`)).json())?.user?.email;

  it("signIn of next-auth/webauthn registers a new user and signs in with the passkey", async () => {
    expect(await result("key-new")).toMatchObject({ ok: true, status: 200, error: null });
    expect(await who()).toBe("ada@example.com");

    await context.clearCookies();
    expect(await who()).toBeUndefined();
    await open();
    expect(await result("key")).toMatchObject({ ok: true, status: 200, error: null });
    expect(await who()).toBe("ada@example.com");

    await context.clearCookies();
    await open();
    await page.locator("#key-leaving").click();
    await page.waitForURL(`${site.origin}/home`);
    expect(await who()).toBe("ada@example.com");
  });

  it("signIn of next-auth/webauthn adds a passkey to the signed-in user", async () => {
    await result("key-new");
    await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    await plugIn();
    expect(await result("key-another")).toMatchObject({ ok: true, error: null });
    const user = await adapter.getUserByEmail("ada@example.com");
    expect(await adapter.listAuthenticatorsByUserId(user?.id ?? "")).toHaveLength(2);
  });

  it("a passkey that next-auth/webauthn registered signs in on the page", async () => {
    await result("key-new");
    await context.clearCookies();
    await page.goto(`${site.origin}${basePath}/signin?callbackUrl=/home`);
    // The page offers passkeys automatically, and the virtual authenticator accepts the offer.
    await page.waitForURL(`${site.origin}/home`);
    expect(await who()).toBe("ada@example.com");
  });

  it("signIn of next-auth/webauthn resolves with an error for an unknown passkey", async () => {
    await result("key-new");
    const user = await adapter.getUserByEmail("ada@example.com");
    await adapter.deleteUser(user?.id ?? "");
    await context.clearCookies();
    await open();
    expect(await result("key")).toMatchObject({ error: "WebAuthnVerificationError", url: null });
    expect(await who()).toBeUndefined();
  });
});

describe.skipIf(!isInstalled || isLeftOut)(
  "the published next-auth/react with bearer tokens",
  () => {
    let browser: Browser;
    let site: Site;

    beforeAll(async () => {
      browser = await launch();
      site = await openSite({
        app: room,
        basePath: "/api/auth",
        use: [bearer()],
        vite: { define: NEXT },
      });
    });
    afterAll(async () => {
      await browser?.close();
      await site?.stop();
    });

    it("signIn, update and signOut of next-auth/react work with a fetch that sends the token", async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      // Like the keychain of a native application.
      await page.addInitScript(() => {
        const send = window.fetch;
        let token = "";
        window.fetch = async (input, init) => {
          const headers = new Headers(init?.headers);
          if (token) headers.set("authorization", `Bearer ${token}`);
          const response = await send(input, { ...init, headers, credentials: "omit" });
          token = response.headers.get("set-auth-token") ?? token;
          return response;
        };
      });
      await page.goto(site.origin);
      const becomes = async (text: string) => {
        await expect.poll(() => page.locator("#who").textContent()).toBe(text);
      };
      const result = async (id: string): Promise<Record<string, unknown>> => {
        await page.locator(`#${id}`).click();
        await expect.poll(() => page.locator("#result").textContent()).not.toBe("");
        return JSON.parse((await page.locator("#result").textContent()) ?? "");
      };
      await becomes("unauthenticated");
      expect(await result("wrong")).toMatchObject({ error: "CredentialsSignin", url: null });
      expect(await result("in")).toMatchObject({ ok: true, status: 200 });
      await becomes("Ada");
      expect(await result("update")).toMatchObject({ user: { name: "Countess" } });
      await becomes("Countess");
      expect(await result("out")).toMatchObject({ url: expect.any(String) });
      await becomes("unauthenticated");
      expect(await context.cookies()).toEqual([]);
      await context.close();
    });
  },
);
