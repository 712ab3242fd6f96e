import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOVELACE } from "../_app.ts";
import { closeAll, isLeftOut, launch } from "../e2e/_chromium.ts";
import { type App, isInstalled, startApp } from "./_app.ts";
import { migrate } from "./_migrate.ts";
import { signIn, testWalk } from "./_walk.ts";

const NEXT_16 = "node_modules/next/dist/bin/next";
const NEXT_15 = "node_modules/next/dist/bin/next";

// As on a server without a proxy: Next.js sets the host, and the process trusts it.
const TRUST_HOST = { AUTH_URL: undefined, AUTH_TRUST_HOST: "true" };

const startNext = (name: string, next: string, variables: NodeJS.ProcessEnv = {}, base = "") =>
  startApp(name, [next, "build"], {
    command: [next, "start"],
    basePath: `${base}/api/auth`,
    variables,
  });

const listNames = (response: Response) =>
  response.headers.getSetCookie().map((line) => line.split("=", 1)[0]);

/**
 * Tests that no cache serves a visitor's response to others if `headers()` of `next.config` lets
 * caches store all responses.
 */
function testStored(getApp: () => App): void {
  const stored = { headers: { "x-stored": "1" } };

  it.each(["/api/auth/session", "/api/auth/csrf", "/api/auth/signin", "/api/me"])(
    "%s is not served to another visitor, although Next.js drops its `Cache-Control`",
    async (path) => {
      const ada = await signIn(getApp());
      const { headers } = await ada.get(path, stored);
      expect(headers.get("cache-control")).toBe("public, s-maxage=600");
      expect(headers.get("vary")).toContain("*");
      expect(headers.get("cdn-cache-control")).toBe("no-store");
    },
  );

  it("a page behind the proxy is private, whatever `headers()` of next.config set", async () => {
    const ada = await signIn(getApp());
    const page = await ada.get("/", stored);
    expect(await page.text()).toContain("Ada");
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(page.headers.get("cdn-cache-control")).toBe("no-store");
  });
}

/** Walks through an application in Chromium, and expects nothing in its console. */
const createVisit =
  (getBrowser: () => Browser, getApp: () => App) => async (run: (page: Page) => Promise<void>) => {
    const context = await getBrowser().newContext({ baseURL: getApp().origin });
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => {
      const isOurs = !`${message.text()}${message.location().url}`.includes("favicon.ico");
      if (isOurs && ["error", "warning"].includes(message.type())) said.push(message.text());
    });
    page.on("pageerror", (error) => void said.push(String(error)));
    await run(page);
    await closeAll([context]);
    expect(said).toEqual([]);
  };

const enter = async (page: Page, password: string = LOVELACE.password) => {
  await page.goto("/", { waitUntil: "networkidle" });
  await page.fill('#enter input[name="username"]', LOVELACE.username);
  await page.fill('#enter input[name="password"]', password);
  await page.click("#enter button");
};

describe.skipIf(!isInstalled)("keyhook/next in Next.js 16", () => {
  let app: App;
  beforeAll(async () => {
    app = await startNext("next-16", NEXT_16, TRUST_HOST);
  });
  afterAll(() => app?.close());

  testWalk(() => app, { basePath: "/api/auth", refused: ["/api/me"], trustHost: true });
  testStored(() => app);

  it.each(["/old", "/api/old"])(
    "%s of the Pages router has the session, renewed once",
    async (path) => {
      const stranger = await app.open().get(path);
      expect(await stranger.text()).not.toContain("Ada");
      const ada = await signIn(app);
      const page = await ada.get(path);
      expect(await page.text()).toContain("Ada");
      expect(listNames(page)).toEqual(["authjs.session-token"]);
      expect(page.headers.get("cache-control")).toContain("no-store");
    },
  );

  it("a route of the edge runtime has the session, and the parameters of its path", async () => {
    const ada = await signIn(app);
    const response = await ada.get("/api/edge");
    expect(await response.json()).toEqual(["Ada", "Ada", {}]);
    expect(listNames(response)).toEqual(["authjs.session-token"]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("a route handler signs in and reads the new session in the same request", async () => {
    const browser = app.open();
    const response = await browser.post("/api/sign", LOVELACE);
    const url = `${app.origin}/locked`;
    expect(await response.json()).toEqual({ before: null, after: "Ada", url });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const out = await browser.send("/api/sign", { method: "DELETE", csrf: false });
    expect(new URL(out.headers.get("location") ?? "", app.origin).pathname).toBe("/");
    expect(await browser.session()).toBeNull();
  });

  it("a plugin's function has the session in handlers and components, and its cookie is sent with a handler's response", async () => {
    const ada = await signIn(app);
    for (const response of [await ada.get("/api/mark"), await ada.post("/api/mark", {})]) {
      expect(await response.json()).toBe("Ada");
      expect(listNames(response)).toContain("mark");
    }
    const page = await ada.get("/marked");
    expect((await page.text()).replaceAll("<!-- -->", "")).toContain("Marked for Ada");
    expect(listNames(page)).not.toContain("mark");
  });

  it("wrong passwords are counted together in the process, in whichever bundle of Next.js they are tried", async () => {
    const browser = app.open();
    const fields = { username: "bob", password: "wrong" };
    const codes: unknown[] = [];
    for (let at = 0; at < 11; at++) {
      const sent = await browser.signInWith("credentials", fields);
      codes.push(new URL(sent.headers.get("location") ?? "", app.origin).searchParams.get("code"));
      codes.push(await (await browser.post("/api/try", fields)).json());
    }
    expect(codes).toEqual([
      ...Array.from({ length: 20 }, () => "credentials"),
      ...["rate_limited", "rate_limited"],
    ]);
  });

  it("the response of a handler that throws after a read contains nothing of the session", async () => {
    const ada = await signIn(app);
    const response = await ada.get("/api/fails");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("Ada");
    expect(await ada.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a prerendered page behind the proxy is not cached with the cookie of a visitor", async () => {
    const ada = await signIn(app);
    const page = await ada.get("/static");
    expect(await page.text()).toContain("for all visitors");
    expect(listNames(page)).toEqual(["authjs.session-token"]);
    expect(page.headers.get("cache-control")).toContain("private");
    expect(listNames(await app.open().get("/static"))).toEqual([]);
  });

  it("a form that a visitor without a session posts to a guarded page redirects to the sign-in page", async () => {
    const response = await app.open().post("/locked", { name: "x" });
    expect(response.status).toBe(302);
    const target = new URL(response.headers.get("location") ?? "", app.origin);
    expect(target.pathname).toBe("/api/auth/signin");
    const headers = { "next-action": "x", accept: "text/x-component" };
    const action = await app.open().post("/locked", {}, { headers });
    expect(action.status).toBe(401);
    expect(action.headers.get("x-action-redirect")).toMatch(/\/api\/auth\/signin\?.*;push$/);
  });

  describe.skipIf(isLeftOut)("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());
    const visit = createVisit(
      () => browser,
      () => app,
    );

    it("a server action signs in, updates and signs out, and page and provider show each change at once", async () => {
      await visit(async (page) => {
        await enter(page);
        await page.waitForURL(`${app.origin}/locked`);
        await page.locator("#locked", { hasText: "of Ada" }).waitFor();
        await page.locator("#state", { hasText: "Ada" }).waitFor();
        await page.goto("/", { waitUntil: "networkidle" });
        await page.fill('#rename input[name="name"]', "Countess");
        await page.click("#rename button");
        await page.locator("#home", { hasText: "Countess Countess" }).waitFor();
        await page.locator("#state", { hasText: "Countess" }).waitFor();
        await page.click("#leave button");
        await page.locator("#home", { hasText: "stranger stranger" }).waitFor();
        await page.locator("#state", { hasText: "stranger" }).waitFor();
      });
    });

    it("an action whose sign-in fails gets the AuthError", async () => {
      await visit(async (page) => {
        await enter(page, "wrong");
        await page.waitForURL(`${app.origin}/?error=CredentialsSignin`);
        await page.locator("#state", { hasText: "stranger" }).waitFor();
      });
    });

    it("an action of a guarded page redirects to the sign-in page after the session has ended", async () => {
      const context = await browser.newContext({ baseURL: app.origin });
      const page = await context.newPage();
      await enter(page);
      await page.locator("#locked", { hasText: "of Ada" }).waitFor();
      await context.clearCookies();
      await page.fill('input[name="name"]', "Countess");
      await page.click("button");
      await page.waitForURL(/\/api\/auth\/signin/);
      await closeAll([context]);
    });

    it("the published next-auth/react signs in, updates and signs out", async () => {
      await visit(async (page) => {
        await page.goto("/published", { waitUntil: "networkidle" });
        const shows = (text: string) => page.locator("#published", { hasText: text }).waitFor();
        await shows("unauthenticated");
        await page.click("#in");
        await shows("authenticated Ada");
        await page.click("#update");
        await shows("authenticated Countess");
        await page.click("#out");
        await shows("unauthenticated");
      });
    });
  });
});

describe.skipIf(!isInstalled)(
  "keyhook/next with basePath, cacheComponents and a configuration function",
  () => {
    let app: App;
    beforeAll(async () => {
      app = await startNext("next-cache", NEXT_16, TRUST_HOST, "/admin");
    });
    afterAll(() => app?.close());

    it("the routes are below the basePath of next.config, and so are their links", async () => {
      const page = await app.open().get("/admin/api/auth/signin");
      const text = await page.text();
      expect(text).toContain(`action="${app.origin}/admin/api/auth/callback/credentials"`);
      expect(text).toContain("#008000");
      const providers = await app.open().get("/admin/api/auth/providers");
      expect(await providers.json()).toMatchObject({
        op: { callbackUrl: `${app.origin}/admin/api/auth/callback/op` },
      });
    });

    it("a password and an OpenID provider sign in", async () => {
      const ada = await signIn(app);
      expect(await (await ada.get("/admin")).text()).toContain('<p id="home">Ada</p>');
      const browser = app.open();
      const started = await browser.signIn("op", { callbackUrl: "/admin" });
      const { url } = await app.op.authorize(started.headers.get("location") ?? "");
      await browser.get(url);
      expect(await (await browser.get("/admin")).text()).toContain("Ada Lovelace");
    });

    it("the shell of a page and a cached page contain nothing of the first visitor", async () => {
      const ada = await signIn(app);
      for (const path of ["/admin", "/admin/cached"]) {
        await (await ada.get(path)).text();
        const text = await (await app.open().get(path)).text();
        expect(text).not.toContain("Ada");
      }
      expect(await (await app.open().get("/admin")).text()).toContain("The shell");
    });

    it('a session is refused inside "use cache", and allowed inside "use cache: private"', async () => {
      const ada = await signIn(app);
      const cached = await ada.get("/admin/api/cached");
      expect(await cached.text()).not.toContain("Ada");
      const own = await (await ada.get("/admin/private")).text();
      expect(own).toContain('<p id="private">Ada</p>');
      // The proxy's own headers arrive next to those of the renewed session.
      expect(own).toContain('<p id="passed">passed</p>');
      const other = await (await app.open().get("/admin/private")).text();
      expect(other).toContain('<p id="private">stranger</p>');
    });

    it("a wrapped proxy redirects, and its redirect carries the renewed session", async () => {
      const response = await app.open().get("/admin/locked");
      expect(response.status).toBe(307);
      expect(new URL(response.headers.get("location") ?? "", app.origin).pathname).toBe("/admin");
      const ada = await signIn(app);
      const page = await ada.get("/admin/locked");
      expect(await page.text()).toContain("the locked page");
      expect(listNames(page)).toEqual(["authjs.session-token"]);
    });
  },
);

describe.skipIf(!isInstalled)("keyhook/next in Next.js 15", () => {
  let app: App;
  beforeAll(async () => {
    app = await startNext("next-15", NEXT_15);
  });
  afterAll(() => app?.close());

  testWalk(() => app, { basePath: "/api/auth", refused: ["/api/me"] });
  testStored(() => app);

  describe.skipIf(isLeftOut)("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    it("a server action signs in, updates and signs out, and the page shows each change at once", async () => {
      await createVisit(
        () => browser,
        () => app,
      )(async (page) => {
        await enter(page);
        await page.locator("#home", { hasText: "Ada" }).waitFor();
        await page.click("#rename button");
        await page.locator("#home", { hasText: "Countess" }).waitFor();
        await page.click("#leave button");
        await page.locator("#home", { hasText: "stranger" }).waitFor();
      });
    });
  });
});

// The changes that the guide describes, in order.
const CHANGES: readonly [from: string, to: string][] = [
  ['declare module "next-auth"', 'declare module "keyhook/types"'],
  ['"next-auth/react"', '"keyhook/next-react"'],
  ['"next-auth/providers/', '"keyhook/providers/'],
  ['"next-auth/providers"', '"keyhook/providers"'],
  ['"next-auth"', '"keyhook/next"'],
];

describe.skipIf(!isInstalled || isLeftOut)("an Auth.js application with changed imports", () => {
  let app: App;
  let browser: Browser;
  beforeAll(async () => {
    migrate("next-authjs", "next-migrated", CHANGES);
    const github = { AUTH_GITHUB_ID: "id", AUTH_GITHUB_SECRET: "secret" };
    app = await startNext("next-migrated", NEXT_16, { ...TRUST_HOST, ...github });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it("a visitor without a session is redirected to the sign-in page, and gets 401 from an API", async () => {
    const page = await app.open().get("/dashboard");
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toContain("/api/auth/signin?callbackUrl=");
    const api = await app.open().get("/api/protected");
    expect([api.status, await api.json()]).toEqual([401, { message: "Not authenticated" }]);
  });

  it("its forms sign in, update and sign out, and its client components follow", async () => {
    await createVisit(
      () => browser,
      () => app,
    )(async (page) => {
      await page.goto("/", { waitUntil: "networkidle" });
      await page.fill('#credentials input[name="username"]', LOVELACE.username);
      await page.fill('#credentials input[name="password"]', "wrong");
      await page.click("#credentials button");
      await page.waitForURL(/error=CredentialsSignin/);
      await page.fill('#credentials input[name="username"]', LOVELACE.username);
      await page.fill('#credentials input[name="password"]', LOVELACE.password);
      await page.click("#credentials button");
      await page.locator("h1", { hasText: "Dashboard of Ada" }).waitFor();
      await page.locator("#client", { hasText: "authenticated Ada admin" }).waitFor();
      await page.fill('input[name="name"]', "Countess");
      await page.click("button");
      await page.locator("h1", { hasText: "Dashboard of Countess" }).waitFor();
      await page.locator("#client", { hasText: "authenticated Countess admin" }).waitFor();
      await page.goto("/", { waitUntil: "networkidle" });
      await page.click("#sign-out");
      await page.locator("#home", { hasText: "stranger" }).waitFor();
      await page.click("#sign-in");
      await page.waitForURL(/\/api\/auth\/signin/);
      await page.locator("text=Sign in with GitHub").waitFor();
    });
  });
});
