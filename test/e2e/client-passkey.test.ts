import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { AuthClient } from "../../src/client.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";
import { openSite, type Site } from "./_site.ts";

/** A global of the page. */
declare const keyhook: AuthClient;

describe.skipIf(isLeftOut)("the client with passkeys in a browser", () => {
  let browser: Browser;
  let site: Site;
  let contexts: BrowserContext[] = [];

  beforeAll(async () => {
    browser = await launch();
    site = await openSite({
      app: "plain",
      config: {
        experimental: { enableWebAuthn: true },
        adapter: adapterOn(memoryBackend()),
        providers: [passkeyPlugin()],
      },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  afterEach(async () => {
    await closeAll(contexts);
    contexts = [];
  });

  /** Opens a page with an authenticator that confirms every ceremony. */
  async function open(isUserVerified = true): Promise<Page> {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable", { enableUI: false });
    await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${site.origin}/?ssr`);
    return page;
  }

  const who = (page: Page) => page.locator("#who").textContent();

  it("registerPasskey and signInWithPasskey work with and without leaving the page", async () => {
    const page = await open();
    expect(
      await page.evaluate(() =>
        keyhook.registerPasskey({ email: "ada@example.com", redirect: false }),
      ),
    ).toMatchObject({ ok: true, status: 200 });
    expect(await page.evaluate(() => keyhook.getSession())).toMatchObject({
      user: { email: "ada@example.com" },
    });
    await page.evaluate(() => keyhook.signOut({ redirect: false }));
    await expect.poll(() => who(page)).toBe("unauthenticated");
    expect(await page.evaluate(() => keyhook.signInWithPasskey({ redirect: false }))).toMatchObject(
      { ok: true },
    );
    expect(await who(page)).not.toBe("unauthenticated");
    await page.evaluate(() => keyhook.signOut({ redirect: false }));
    await page.evaluate(() => void keyhook.signIn("passkey", { redirectTo: "/home?ssr" }));
    await page.waitForURL(`${site.origin}/home?ssr`);
    expect(await who(page)).not.toBe("unauthenticated");
  });

  it("signInWithPasskey resolves with NotAllowedError when the user declines or has no passkey", async () => {
    const page = await open(false);
    expect(await page.evaluate(() => keyhook.signInWithPasskey({ redirect: false }))).toEqual({
      ok: false,
      error: "NotAllowedError",
      status: 0,
      url: null,
    });
    expect(await who(page)).toBe("unauthenticated");
  });
});
