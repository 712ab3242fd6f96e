import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLeftOut, launch } from "../e2e/_chromium.ts";
import { type Smtp, startSmtp } from "../flows/_mail.ts";
import type { App, NodeApp } from "./_app.ts";
import { postForm, whenHydrated } from "./_login.ts";
import { follow } from "./_stores.ts";

const EMAIL = "grace@example.com";

/** Tests an application that stores its users in the mount `data` of its storage, with e-mail links and passkeys. */
export function testUsers(name: string, getBuilt: () => NodeApp): void {
  const records = fileURLToPath(new URL(`${name}/.data/records`, import.meta.url));
  let smtp: Smtp;
  let app: App;
  beforeAll(async () => {
    rmSync(records, { recursive: true, force: true });
    smtp = await startSmtp();
    const env = { SMTP_URL: smtp.url, LOGIN_PAGE: "/login" };
    app = await getBuilt().startAnother(env, "localhost");
  });
  afterAll(async () => {
    await app?.close();
    await smtp?.close();
  });

  it("an e-mail link signs in, and the session is a record that the server can end", async () => {
    const browser = app.open();
    const sent = await postForm(browser, "/login?callbackUrl=/locked", "nodemailer", {
      email: EMAIL,
    });
    expect(sent.headers.get("location")).toContain("verify-request");
    const [mail] = smtp.mails;
    expect(mail?.subject).toBeTruthy();
    const [link = ""] = /http:\/\/localhost:\S+/.exec(mail?.text ?? "") ?? [];
    const response = await follow(browser, link);
    expect(response.headers.get("location")).toBe(`${app.origin}/locked`);
    expect(await browser.session()).toMatchObject({ user: { email: EMAIL } });
    expect((await browser.get("/locked")).status).toBe(200);
    expect(existsSync(records)).toBe(true);
    const copy = app.open();
    for (const [key, value] of browser.cookies) copy.cookies.set(key, value);
    await browser.signOut();
    expect(await copy.session()).toBeNull();
  });

  it("the task removes expired records", async () => {
    const response = await app.open().get("/api/cleanup");
    expect(await response.json()).toEqual({ result: { removed: expect.any(Number) as number } });
  });

  describe.skipIf(isLeftOut)("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    it("a passkey is created on the sign-in page, and signs in", async () => {
      const context = await browser.newContext({ baseURL: app.origin });
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      await cdp.send("WebAuthn.enable", { enableUI: false });
      const options = {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      } as const;
      await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
      const form = page.locator('form[data-method="passkey"]');
      await page.goto("/login?callbackUrl=/asks", { waitUntil: "networkidle" });
      await form.locator('input[name="email"]').fill("ada@example.com");
      await form.locator('button[value="register"]').click();
      await page.waitForURL(`${app.origin}/asks`);
      await whenHydrated(page);
      await page.click("#leave");
      await page.waitForURL(`${app.origin}/open`);
      await page.goto("/login?callbackUrl=/asks", { waitUntil: "networkidle" });
      await form.locator("button").first().click();
      await page.waitForURL(`${app.origin}/asks`);
      const session = await context.request.get("/auth/session");
      expect(await session.json()).toMatchObject({ user: { email: "ada@example.com" } });
    });
  });
}
