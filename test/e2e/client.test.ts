import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { AuthClient, SessionWatch } from "../../src/client.ts";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";
import { openSite, type Site } from "./_site.ts";

/** Globals of the page. */
declare const keyhook: AuthClient;
declare const watch: SessionWatch;

describe.skipIf(isLeftOut)("the client in a browser", () => {
  let browser: Browser;
  let site: Site;
  let contexts: BrowserContext[] = [];

  beforeAll(async () => {
    browser = await launch();
    site = await openSite({ app: "plain" });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  afterEach(async () => {
    await closeAll(contexts);
    contexts = [];
    site.asked.length = 0;
    site.fault = undefined;
    site.delay = 0;
  });

  async function visitor(): Promise<BrowserContext> {
    const context = await browser.newContext();
    contexts.push(context);
    return context;
  }

  async function open(path = "/?ssr", context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await visitor())).newPage();
    await page.goto(site.origin + path);
    return page;
  }

  async function tabs(count: number, path = "/?ssr"): Promise<Page[]> {
    const context = await visitor();
    return Promise.all(Array.from({ length: count }, () => open(path, context)));
  }

  const enter = (page: Page, password = "lovelace") =>
    page.evaluate(
      (it) => keyhook.signIn("credentials", { username: "ada", password: it, redirect: false }),
      password,
    );
  const leave = (page: Page) => page.evaluate(() => keyhook.signOut({ redirect: false }));
  const who = (page: Page) => page.locator("#who").textContent();
  const become = async (pages: Page[], text: string) => {
    for (const page of pages) await expect.poll(() => who(page)).toBe(text);
  };
  const reads = () => site.asked.filter((request) => request === "GET /session").length;
  // A browser focuses a window when the user selects it. A headless browser focuses all windows.
  const focus = (page: Page) => page.evaluate(() => dispatchEvent(new Event("focus")));

  it("signIn resolves after the watched session of this page has changed", async () => {
    const page = await open();
    expect(await enter(page, "byron")).toMatchObject({ ok: false, error: "CredentialsSignin" });
    const status = await page.evaluate(async () => {
      await keyhook.signIn("credentials", {
        username: "ada",
        password: "lovelace",
        redirect: false,
      });
      return watch.read().status;
    });
    expect(status).toBe("authenticated");
  });

  it("signIn and signOut navigate to the target, and to the error page on failure", async () => {
    const page = await open();
    const go = (password: string) =>
      page.evaluate(
        (it) =>
          void keyhook.signIn("credentials", {
            username: "ada",
            password: it,
            redirectTo: "/home?ssr",
          }),
        password,
      );
    await go("byron");
    await page.waitForURL(/\/auth\/signin\?error=CredentialsSignin/);
    await page.goto(`${site.origin}/?ssr`);
    await go("lovelace");
    await page.waitForURL(`${site.origin}/home?ssr`);
    await become([page], "Ada");
    await page.evaluate(() => void keyhook.signOut({ redirectTo: "https://evil.example/" }));
    await page.waitForURL(`${site.origin}/`);
    await become([page], "unauthenticated");
  });

  it("signOut reloads the page when only the fragment of the URL differs", async () => {
    const page = await open("/#top");
    await become([page], "unauthenticated");
    await enter(page);
    const reloaded = page.waitForEvent("load");
    await page.evaluate(() => void keyhook.signOut());
    await reloaded;
    await become([page], "unauthenticated");
    expect(page.url()).toBe(`${site.origin}/#top`);
  });

  it("a sign-in or sign-out in one tab updates the other tab", async () => {
    const [one, other] = (await tabs(2)) as [Page, Page];
    await enter(one);
    await become([other], "Ada");
    await leave(other);
    await become([one], "unauthenticated");
    expect(reads()).toBe(1);
  });

  it("a sign-out that leaves its page updates the other tab", async () => {
    const [one, other] = (await tabs(2)) as [Page, Page];
    await enter(one);
    await become([other], "Ada");
    await one.evaluate(() => void keyhook.signOut({ redirectTo: "/bye?ssr" }));
    await one.waitForURL("**/bye?ssr");
    await become([other], "unauthenticated");
  });

  it("twenty tabs send one request per sign-in, focus and reconnect", async () => {
    const pages = await tabs(20);
    expect(reads()).toBe(0);
    // All tabs start at the same moment, for which each tab waits independently.
    const together = async (act: "focus" | "online") => {
      const at = Date.now() + 1500;
      await Promise.all(
        pages.map((page) =>
          page.evaluate(
            ([when, name]) =>
              void setTimeout(
                () => dispatchEvent(new Event(name as string)),
                (when as number) - Date.now(),
              ),
            [at, act] as const,
          ),
        ),
      );
      await new Promise((done) => setTimeout(done, at + 3000 - Date.now()));
    };
    await enter(pages[0] as Page);
    await become(pages, "Ada");
    expect(reads()).toBe(1);
    // After the interval in which focus sends no request.
    await new Promise((done) => setTimeout(done, 5500));
    await together("focus");
    expect(reads()).toBe(2);
    await new Promise((done) => setTimeout(done, 3000));
    await together("online");
    expect(reads()).toBe(3);
    await leave(pages[7] as Page);
    await become(pages, "unauthenticated");
    expect(reads()).toBe(3);
  });

  it("twenty tabs that start to watch together send one request", async () => {
    const pages = await tabs(20);
    // On a busy machine, some tabs start later, while the first still waits for its response.
    site.delay = 2000;
    const at = Date.now() + 2000;
    await Promise.all(
      pages.map((page) =>
        page.evaluate((when) => {
          const other = keyhook.watchSession();
          Object.assign(globalThis, { other });
          setTimeout(() => other.subscribe(() => {}), when - Date.now());
        }, at),
      ),
    );
    for (const page of pages) {
      await expect
        .poll(() => page.evaluate("other.read().status"), { timeout: 15_000 })
        .toBe("unauthenticated");
    }
    expect(reads()).toBe(1);
  });

  it("the watched session refreshes on focus, at most every 5 seconds", async () => {
    const page = await (await visitor()).newPage();
    await page.clock.install();
    await page.goto(`${site.origin}/`);
    await become([page], "unauthenticated");
    // Signs in without the client.
    const { csrfToken } = (await (await page.request.get(`${site.origin}/auth/csrf`)).json()) as {
      csrfToken: string;
    };
    await page.request.post(`${site.origin}/auth/callback/credentials`, {
      form: { csrfToken, username: "ada", password: "lovelace" },
      headers: { origin: site.origin },
    });
    await focus(page);
    await page.waitForLoadState("networkidle");
    expect([await who(page), reads()]).toEqual(["unauthenticated", 1]);
    await page.clock.fastForward(5000);
    await focus(page);
    await focus(page);
    await become([page], "Ada");
    expect(reads()).toBe(2);
  });

  it("the watched session is kept offline and refreshed when online", async () => {
    const context = await visitor();
    const page = await open("/?ssr", context);
    await enter(page);
    await context.setOffline(true);
    expect(await page.evaluate(() => watch.refresh().catch((error: Error) => error.name))).toBe(
      "ClientError",
    );
    expect(await who(page)).toBe("Ada");
    expect(await page.locator("#error").textContent()).toBe("0");
    expect(await leave(page)).toMatchObject({ ok: false, error: "Unreachable", url: null });
    expect(await who(page)).toBe("Ada");
    await context.setOffline(false);
    await expect.poll(() => page.locator("#error").textContent()).toBe("");
    expect(await who(page)).toBe("Ada");
  });

  it("the watched session is kept when the server fails", async () => {
    const page = await open();
    await enter(page);
    site.fault = 503;
    await page.evaluate(() => watch.refresh().catch(() => {}));
    expect([await who(page), await page.locator("#error").textContent()]).toEqual(["Ada", "503"]);
    site.fault = undefined;
    await expect.poll(() => page.locator("#error").textContent(), { timeout: 8000 }).toBe("");
  });

  it("a page from the back/forward cache does not show a session that has ended", async () => {
    const context = await visitor();
    const page = await open("/?ssr", context);
    await enter(page);
    await page.goto("about:blank");
    const other = await open("/?ssr", context);
    await leave(other);
    await page.goBack();
    await become([page], "unauthenticated");
  });

  it("the client stores nothing in localStorage, sessionStorage or document.cookie", async () => {
    const page = await open();
    await enter(page);
    expect(
      await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]),
    ).toEqual([0, 0, ""]);
  });
});
