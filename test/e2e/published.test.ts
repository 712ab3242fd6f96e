import { existsSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { credentials } from "../_setup.ts";
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

describe.skipIf(!isInstalled || isLeftOut).each([
  ["/api/auth", "/"],
  ["/auth", "/?base=/auth"],
])("next-auth/react, as published, at %s", (basePath, path) => {
  let browser: Browser;
  let site: Site;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await launch();
    site = await openSite({
      app: room,
      basePath,
      config: { providers: [credentials(), idp] },
      vite: {
        define: {
          "process.env.NEXTAUTH_URL": "undefined",
          "process.env.NEXTAUTH_URL_INTERNAL": "undefined",
          "process.env.VERCEL_URL": "undefined",
        },
      },
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

  it("reads providers, token and session", async () => {
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

  it("signs in, updates and signs out without leaving", async () => {
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

  it("signs in and out by leaving the page", async () => {
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

  it("leaves for an identity provider", async () => {
    const page = await open();
    await page.route("https://idp.example/**", (route) => route.fulfill({ body: "the IdP" }));
    await press(page, "idp");
    await page.waitForURL(/^https:\/\/idp\.example\//);
    const query = new URL(page.url()).searchParams;
    expect(query.get("redirect_uri")).toBe(`${site.origin}${basePath}/callback/idp`);
    expect(query.get("login_hint")).toBe("ada");
  });

  it("is told by the other tabs", async () => {
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

  it("leads to the sign-in page, and back", async () => {
    const page = await open();
    const target = `${site.origin}/secret${path.slice(1)}`;
    await page.goto(target);
    await page.waitForURL(/signin\?error=SessionRequired/);
    await page.getByLabel("username").fill("ada");
    await page.getByLabel("password").fill("lovelace");
    await page.getByRole("button").first().click();
    await page.waitForURL(target);
    await becomes(page, "Ada");
  });
});
