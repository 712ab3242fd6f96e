import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser as TestBrowser } from "../../src/testing/testing.ts";
import { LOVELACE } from "../_app.ts";
import { isLeftOut, launch } from "../e2e/_chromium.ts";
import type { App, NodeApp } from "./_app.ts";

// The response to a visitor who has tried too often.
const LOCKED = { error: "CredentialsSignin", code: "rate_limited", retry_after: "900" };
const GERMAN = { headers: { "accept-language": "de" } };

/** Returns the action and the hidden fields of a form, as a browser without JavaScript posts them. */
function readForm(html: string, method: string) {
  const [form = ""] = new RegExp(`<form[^>]*data-method="${method}"[^]*?</form>`).exec(html) ?? [];
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const [, action = ""] = / action="([^"]*)"/.exec(form) ?? [];
  return {
    form,
    action,
    fields: Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
  };
}

/** Posts the form of a method, as a browser without JavaScript does. */
export async function postForm(browser: TestBrowser, path: string, method: string, typed = {}) {
  const html = await (await browser.get(path)).text();
  const { action, fields } = readForm(html, method);
  return browser.post(action, { ...fields, ...typed });
}

/** Waits until a page of Nuxt is interactive. Before that, its buttons act as without JavaScript. */
export async function whenHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { useNuxtApp } = globalThis as { useNuxtApp?: () => { isHydrating?: boolean } };
    return useNuxtApp?.().isHydrating === false;
  });
}

/** Tests an application's own sign-in page: `/login`, which renders what `useSignIn()` returns. */
export function testLogin(getBuilt: () => NodeApp): void {
  let app: App;
  beforeAll(async () => {
    app = await getBuilt().startAnother({ LOGIN_PAGE: "/login" });
  });
  afterAll(() => app?.close());

  it("the sign-in page, which a guarded page redirects to, is rendered with methods, token and texts in the visitor's language", async () => {
    const browser = app.open();
    const guarded = await browser.get("/locked");
    const target = guarded.headers.get("location") ?? "";
    expect(new URL(target).pathname).toBe("/login");
    const page = await browser.get(target, GERMAN);
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    const html = await page.text();
    expect(html).toContain("<h1>Anmelden</h1>");
    const { action, fields, form } = readForm(html, "credentials");
    expect(action).toBe(`${app.origin}/auth/callback/credentials`);
    expect(fields).toEqual({
      csrfToken: expect.stringMatching(/^[0-9a-f]{64}/) as string,
      callbackUrl: `${app.origin}/locked`,
    });
    expect(form).toMatch(/<input[^>]*type="password"/);
    expect(html).toContain('data-method="op"');
  });

  it("without JavaScript the forms sign in", async () => {
    const browser = app.open();
    const response = await postForm(browser, "/login?callbackUrl=/locked", "credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${app.origin}/locked`);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const stranger = app.open();
    const started = await postForm(stranger, "/login", "op");
    expect(started.headers.get("location")).toContain(app.op.issuer);
  });

  it("without JavaScript a wrong password leads back to the page, with a readable error", async () => {
    const browser = app.open();
    const form = { ...LOVELACE, password: "wrong" };
    const response = await postForm(browser, "/login?callbackUrl=/locked", "credentials", form);
    const target = new URL(response.headers.get("location") ?? "");
    expect(target.pathname).toBe("/login");
    const html = await (await browser.get(target.href, GERMAN)).text();
    expect(html).toContain("Die Anmeldung ist fehlgeschlagen. Prüfen Sie Ihre Angaben");
    expect(readForm(html, "credentials").fields).toMatchObject({
      callbackUrl: `${app.origin}/locked`,
    });
    expect(await browser.session()).toBeNull();
  });

  it("without JavaScript a visitor who is locked out sees for how long", async () => {
    const path = `/login?${new URLSearchParams(LOCKED)}`;
    const html = await (await app.open().get(path, GERMAN)).text();
    expect(html).toMatch(/id="message"[^>]*>[^<]*15 Minuten/);
  });

  it("rendered for all visitors the page contains nothing of the first visitor", async () => {
    for (const browser of [app.open(), app.open()]) {
      const page = await browser.get("/login/cached");
      expect(page.status).toBe(200);
      expect(page.headers.getSetCookie()).toEqual([]);
      expect(await page.text()).not.toContain("csrfToken");
    }
  });

  it("a form without its token signs no one in", async () => {
    const browser = app.open();
    const form = { ...LOVELACE, csrfToken: "" };
    await postForm(browser, "/login", "credentials", form);
    expect(await browser.session()).toBeNull();
  });

  describe.skipIf(isLeftOut)("the sign-in page in a browser", () => {
    let browser: Browser;
    let page: Page;
    const asked: string[] = [];
    const said: string[] = [];
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    const open = async (path: string, options = {}) => {
      const context = await browser.newContext({
        baseURL: app.origin,
        locale: "de-DE",
        ...options,
      });
      page = await context.newPage();
      asked.length = said.length = 0;
      page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
      page.on("console", (message) => {
        const isOurs = !message.text().includes("favicon.ico");
        if (isOurs && ["error", "warning"].includes(message.type())) said.push(message.text());
      });
      page.on("pageerror", (error) => void said.push(String(error)));
      await page.goto(path, { waitUntil: "networkidle" });
    };
    const fill = async (password: string) => {
      await page.fill('input[name="username"]', LOVELACE.username);
      await page.fill('input[name="password"]', password);
      await page.press('input[name="password"]', "Enter");
    };
    const hasMoved = async (path: string) => page.waitForURL(app.origin + path);

    it("sends no request when rendered, reports a wrong password in place, and signs in", async () => {
      await open("/login?callbackUrl=/asks");
      expect(asked.filter((path) => path.startsWith("/auth/"))).toEqual([]);
      await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
      await fill("wrong");
      await page.locator("#message", { hasText: "Prüfen Sie Ihre Angaben" }).waitFor();
      expect(await page.inputValue('input[name="username"]')).toBe(LOVELACE.username);
      expect(await page.evaluate(() => "isSame" in globalThis)).toBe(true);
      await fill(LOVELACE.password);
      await hasMoved("/asks");
      expect(await page.textContent("#asks")).toBe("Ada");
      await whenHydrated(page);
      await page.click("#leave");
      await hasMoved("/open");
      expect(await page.request.get("/auth/session").then(async (one) => one.json())).toBeNull();
      expect(said).toEqual([]);
    });

    it("shows in place how long a visitor is locked out", async () => {
      await open("/login");
      const url = `${app.origin}/login?${new URLSearchParams(LOCKED)}`;
      await page.route("**/auth/callback/credentials", async (route) =>
        route.fulfill({ status: 429, json: { url } }),
      );
      await fill("wrong");
      await page.locator("#message", { hasText: "15 Minuten" }).waitFor();
      expect(await page.textContent("#code")).toBe("rate_limited");
    });

    it("opens from a button on a page for all visitors, which sends no request; another button leads to a provider", async () => {
      await open("/open");
      expect(asked.filter((path) => path.startsWith("/auth/"))).toEqual([]);
      await page.click("#sign-in");
      await page.waitForURL(/\/login\?/);
      await page.locator('[data-method="credentials"]').waitFor();
      await fill(LOVELACE.password);
      await hasMoved("/open");
      await open("/open");
      await Promise.all([
        page.waitForRequest((request) => request.url().startsWith(app.op.issuer)),
        page.click("#sign-in-op"),
      ]);
    });

    it("a button that gets no response leads to the same target as without JavaScript", async () => {
      await open("/open");
      await page.route("**/auth/csrf", async (route) => route.abort());
      await page.click("#sign-in-op");
      await page.waitForURL(/\/login\?/);
    });

    it("is completed in the browser when rendered for all visitors", async () => {
      await open("/login/cached");
      await page.locator('[data-method="op"]').waitFor();
      await fill(LOVELACE.password);
      await hasMoved("/");
      await page.locator("#state", { hasText: "Ada" }).waitFor();
      expect(said).toEqual([]);
    });

    it("reads its data in the browser after a client-side navigation", async () => {
      await open("/open");
      await page.click('a[href="/login"]');
      await page.locator("h1", { hasText: "Anmelden" }).waitFor();
      expect(asked).toContain("/auth/signin");
      await page.locator('[data-method="credentials"]').waitFor();
      await fill(LOVELACE.password);
      await hasMoved("/");
      await page.locator("#state", { hasText: "Ada" }).waitFor();
    });

    it("has forms and buttons that work without JavaScript", async () => {
      await open("/open", { javaScriptEnabled: false });
      await page.click("#sign-in-op");
      await page.waitForURL(/\/login\?/);
      await fill("wrong");
      await page.locator("#message", { hasText: "Prüfen Sie Ihre Angaben" }).waitFor();
      await fill(LOVELACE.password);
      await hasMoved("/asks");
      expect(await page.textContent("#asks")).toBe("Ada");
      await page.click("#leave");
      await page.waitForURL(/\/auth\/signout/);
    });
  });
}
