import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";
import { openSite, type Site } from "./_site.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isLeftOut) browser = await launch();
});
afterAll(() => browser?.close());

/** Records every text of an element, starting with the first: the parser may add the element before its text. */
const NOTE = `window.seen = [];
new MutationObserver(() => {
  const text = document.querySelector("#who")?.textContent;
  if (text === "" && document.readyState === "loading") return;
  if (text !== undefined && text !== seen.at(-1)) seen.push(text);
}).observe(document, { childList: true, subtree: true, characterData: true });`;

describe.skipIf(isLeftOut).each(["react", "vue", "svelte"])(
  "the %s integration in a browser",
  (app) => {
    let site: Site;
    let contexts: BrowserContext[] = [];
    let complaints: string[] = [];

    beforeAll(async () => {
      site = await openSite({ app });
    });
    afterAll(() => site?.stop());
    afterEach(async () => {
      await closeAll(contexts);
      contexts = [];
      site.asked.length = 0;
      expect(complaints.splice(0)).toEqual([]);
    });

    async function visitor(): Promise<BrowserContext> {
      const context = await browser.newContext();
      contexts.push(context);
      await context.addInitScript(NOTE);
      context.on("console", (message) => {
        // Hydration mismatches are reported here.
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      context.on("weberror", (error) => complaints.push(String(error.error())));
      return context;
    }

    async function open(path: string, context?: BrowserContext): Promise<Page> {
      const page = await (context ?? (await visitor())).newPage();
      await page.goto(site.origin + path);
      return page;
    }

    const who = (page: Page) => page.locator("#who").textContent();
    const becomes = async (page: Page, text: string) => {
      await expect.poll(() => who(page)).toBe(text);
    };
    const seen = (page: Page) => page.evaluate<string[]>("seen");
    const result = (page: Page) => page.locator("#result").textContent();
    const reads = () => site.asked.filter((request) => request === "GET /session").length;

    it("the page shows the server's session without a request or a flicker", async () => {
      const context = await visitor();
      const first = await open("/?ssr", context);
      expect(await who(first)).toBe("unauthenticated");
      await first.locator("#in").click();
      await becomes(first, "Ada");
      site.asked.length = 0;
      const page = await open("/?ssr", context);
      await page.waitForLoadState("networkidle");
      expect(await (await page.request.get(`${site.origin}/?ssr`)).text()).toMatch(
        /<p id="who"[^>]*>(<!--.*?-->)*Ada/,
      );
      expect(await seen(page)).toEqual(["Ada"]);
      expect(reads()).toBe(0);
      await page.locator("#out").click();
      await becomes(page, "unauthenticated");
      await becomes(first, "unauthenticated");
    });

    it("the page requests the session once if the server omitted it, and hydrates without an error", async () => {
      const page = await open("/");
      await becomes(page, "unauthenticated");
      await page.waitForLoadState("networkidle");
      expect(await seen(page)).toEqual(["loading", "unauthenticated"]);
      expect(reads()).toBe(1);
    });

    it("signIn, update and signOut change the page, and a failed signIn does not", async () => {
      const page = await open("/?ssr");
      await page.locator("#wrong").click();
      await expect.poll(() => result(page)).toContain('"error":"CredentialsSignin"');
      expect(await result(page)).toContain('"ok":false');
      expect(await who(page)).toBe("unauthenticated");
      await page.locator("#in").click();
      await becomes(page, "Ada");
      expect(await result(page)).toContain('"ok":true');
      await page.locator("#update").click();
      await becomes(page, "Countess");
      await page.locator("#out").click();
      await becomes(page, "unauthenticated");
      expect(await seen(page)).toEqual(["unauthenticated", "Ada", "Countess", "unauthenticated"]);
    });

    it("a change in one tab updates the page in another tab", async () => {
      const context = await visitor();
      const [one, other] = [await open("/?ssr", context), await open("/", context)];
      await becomes(other, "unauthenticated");
      await one.locator("#in").click();
      await becomes(other, "Ada");
      await other.locator("#update").click();
      await becomes(one, "Countess");
      await other.locator("#out").click();
      await becomes(one, "unauthenticated");
      expect(reads()).toBe(2);
    });

    it("the page keeps the session during a failure and shows the error", async () => {
      const page = await open("/?ssr");
      await page.locator("#in").click();
      await becomes(page, "Ada");
      site.fault = 503;
      await page.evaluate(
        "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
      );
      await expect.poll(() => page.locator("#error").textContent()).toBe("503");
      expect(await who(page)).toBe("Ada");
      site.fault = undefined;
      await expect.poll(() => page.locator("#error").textContent(), { timeout: 8000 }).toBe("");
      complaints = complaints.filter((text) => !text.includes("503"));
    });

    it.each(["/secret?ssr", "/secret"])(
      "a page that requires a session redirects from %s to the sign-in page and back",
      async (path) => {
        const page = await open(path);
        await page.waitForURL(/\/auth\/signin/);
        const query = new URL(page.url()).searchParams;
        expect(query.get("error")).toBe("SessionRequired");
        expect(query.get("callbackUrl")).toBe(site.origin + path);
        await page.getByLabel("username").fill("ada");
        await page.getByLabel("password").fill("lovelace");
        await page.getByRole("button").click();
        await page.waitForURL(site.origin + path);
        await becomes(page, "authenticated");
      },
    );

    it("a page that requires a session is left when another tab signs out", async () => {
      const context = await visitor();
      const other = await open("/", context);
      await other.locator("#in").click();
      await becomes(other, "Ada");
      const page = await open("/secret?ssr", context);
      await becomes(page, "authenticated");
      await other.locator("#out").click();
      await page.waitForURL(/\/auth\/signin\?error=SessionRequired/);
    });
  },
);

describe.skipIf(isLeftOut)("SessionProvider for React", () => {
  it("SessionProvider adopts a new session prop once", async () => {
    const site = await openSite({ app: "react" });
    const page = await browser.newPage();
    const becomes = async (text: string) => {
      await expect.poll(() => page.locator("#who").textContent()).toBe(text);
    };
    await page.goto(`${site.origin}/?ssr`);
    await page.locator("#rendered").click();
    await becomes("Rendered");
    await page.locator("#in").click();
    await becomes("Ada");
    // The same session as before changes nothing.
    await page.locator("#rendered").click();
    await page.locator("#wrong").click();
    await expect.poll(() => page.locator("#result").textContent()).toContain("CredentialsSignin");
    await becomes("Ada");
    await page.locator("#rendered-nobody").click();
    await becomes("unauthenticated");
    await page.context().close();
    await site.stop();
  });
});

describe.skipIf(isLeftOut)("SignIn and SignOut components for Svelte", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ app: "svelte" });
  });
  afterAll(() => site?.stop());

  async function open(scripts = true): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: scripts });
    const page = await context.newPage();
    await page.goto(`${site.origin}/?ssr`);
    return page;
  }

  it("the SignIn component posts its fields, and the SignOut component signs out", async () => {
    const page = await open();
    const form = page.locator("form.signInButton.mine");
    await form.getByLabel("Name").fill("ada");
    await form.getByLabel("Password").fill("byron");
    await form.getByRole("button", { name: "Enter" }).click();
    await expect.poll(() => page.locator("#result").textContent()).toContain("CredentialsSignin");
    await form.getByLabel("Password").fill("lovelace");
    await form.getByRole("button").click();
    await expect.poll(() => page.locator("#who").textContent()).toBe("Ada");
    await page.locator("form.signOutButton button").click();
    await page.waitForURL(`${site.origin}/bye`);
    await expect.poll(() => page.locator("#who").textContent()).toBe("unauthenticated");
    await page.context().close();
  });

  it.each([true, false])(
    "the SignIn component without a provider redirects to the sign-in page (scripts: %s)",
    async (scripts) => {
      const page = await open(scripts);
      await page.locator("form.signInButton").nth(1).getByRole("button").click();
      await page.waitForURL(`${site.origin}/auth/signin?callbackUrl=*`);
      expect(new URL(page.url()).searchParams.get("callbackUrl")).toMatch(/\/members$/);
      await page.context().close();
    },
  );

  it("the SignIn component never puts a password into a URL, and can post to a form action", async () => {
    const page = await open(false);
    const forms = page.locator("form.signInButton");
    expect(await forms.nth(0).getAttribute("method")).toBe("post");
    const action = forms.nth(2);
    expect(await action.getAttribute("action")).toBe("/signin");
    expect(await action.getAttribute("method")).toBe("post");
    expect(
      await action
        .locator("input")
        .evaluateAll((all) => all.map((it) => [it.getAttribute("name"), it.getAttribute("value")])),
    ).toEqual([
      ["providerId", "credentials"],
      ["authorizationParams-a", "1"],
    ]);
    await page.context().close();
  });
});
