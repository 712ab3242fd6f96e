import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOVELACE } from "../_app.ts";
import { closeAll, isLeftOut, launch } from "../e2e/_chromium.ts";
import { isInstalled, type NodeApp, runIn, startApp } from "./_app.ts";
import { testLogin, whenHydrated } from "./_login.ts";
import { testUsers } from "./_users.ts";
import { signIn, testWalk } from "./_walk.ts";

// In nuxt-5, the module and its configuration come from layers that the application extends.
const builds = {
  "nuxt-4": ["node_modules/nuxt/bin/nuxt.mjs", "build"],
  "nuxt-5": ["node_modules/nuxt/bin/nuxt.mjs", "build"],
};

describe.skipIf(!isInstalled).each(Object.entries(builds))("keyhook/nuxt in %s", (name, build) => {
  let app: NodeApp;
  beforeAll(async () => {
    app = await startApp(name, build);
  });
  afterAll(() => app?.close());

  testWalk(() => app);

  it("components and fetches of the server have the session, and so has the payload", async () => {
    const page = await (await (await signIn(app)).get("/")).text();
    expect(page).toContain('<p id="home">authenticated Ada Ada true Ada</p>');
    expect(page).toContain('<p id="state">Ada</p>');
    const [, payload] = /id="__NUXT_DATA__"[^>]*>([^<]*)</.exec(page) ?? [];
    expect(payload).toContain("ada@example.com");
    expect(payload).not.toContain("eyJ");
  });

  it("an API below a rule is guarded like a page", async () => {
    const json = { headers: { accept: "application/json" } };
    expect((await app.open().get("/api/private/secret", json)).status).toBe(401);
    const ada = await signIn(app);
    expect(await (await ada.get("/api/private/secret", json)).json()).toEqual({ secret: true });
  });

  it("the server enforces definePageMeta({ auth })", async () => {
    const page = await app.open().get("/meta");
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fmeta");
    const ada = await signIn(app);
    expect(await (await ada.get("/meta")).text()).toContain("the page with meta");
    expect((await app.open().get("/guest")).status).toBe(200);
    const guest = await ada.get("/guest");
    expect([guest.status, guest.headers.get("location")]).toEqual([302, "/"]);
  });

  it.each(["/cached", "/isr", "/static", "/spa"])(
    "%s, rendered for all visitors, contains nothing of the first visitor",
    async (path) => {
      const ada = await signIn(app);
      for (const browser of [ada, ada, app.open()]) {
        const page = await browser.get(path);
        expect(page.status).toBe(200);
        expect(page.headers.getSetCookie()).toEqual([]);
        expect(await page.text()).not.toContain("Ada");
      }
    },
  );

  it("the application decides on caching of a page that does not show the session", async () => {
    const ada = await signIn(app);
    const open = await ada.get("/open");
    expect(open.headers.get("cache-control")).toBe("public, max-age=60");
    expect(open.headers.getSetCookie()).toEqual([]);
    expect(await open.text()).not.toContain("Ada");
  });

  it("no cache stores the session and CSRF tokens despite a route rule", async () => {
    const ada = await signIn(app);
    for (const path of ["/auth/session", "/auth/csrf", "/auth/signin", "/auth/error"]) {
      const { headers } = await ada.get(path);
      expect(headers.get("cache-control")).toMatch(/^private, .*no-store$/);
    }
  });

  it("a page that shows the session is private, even if a route rule differs", async () => {
    const ada = await signIn(app);
    const asks = await ada.get("/asks");
    expect(asks.headers.get("cache-control")).toBe("private, no-store");
    expect(asks.headers.getSetCookie()).toHaveLength(1);
    expect(await asks.text()).toContain('<p id="asks">Ada</p>');
  });

  it("a page that fetches from an API that reads the session is private, and carries its renewed cookie", async () => {
    for (const [browser, name] of [
      [await signIn(app), "Ada"],
      [app.open(), "nobody"],
    ] as const) {
      const page = await browser.get("/fetches");
      expect(page.headers.get("cache-control")).toBe("private, no-store");
      expect(page.headers.getSetCookie()).toHaveLength(name === "Ada" ? 1 : 0);
      expect(await page.text()).toContain(`<p id="fetches">${name}</p>`);
    }
  });

  it("a page that the build renders fetches as a visitor without a session", async () => {
    const page = await (await signIn(app)).get("/fetches/static");
    expect(await page.text()).toContain('<p id="fetches">nobody</p>');
  });

  it("a build that runs on this machine, without AUTH_URL, also fetches as its visitor", async () => {
    const local = await app.startAnother({ AUTH_URL: "", NODE_ENV: "" });
    try {
      const page = await (await signIn(local)).get("/fetches");
      expect(await page.text()).toContain('<p id="fetches">Ada</p>');
    } finally {
      await local.close();
    }
  });

  it("the application decides on caching of a page that fetches from any other API", async () => {
    const page = await (await signIn(app)).get("/news");
    expect(page.headers.get("cache-control")).toBe("public, max-age=60");
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await page.text()).toContain('<p id="news">of today</p>');
  });

  it("the scripts that hydrate a page contain nothing of the client, of passkeys and of forms", async () => {
    const html = await (await app.open().get("/")).text();
    const tags = html.match(/<(?:script|link)[^>]*>/g) ?? [];
    const files = tags
      .filter((tag) => /^<script|rel="modulepreload"/.test(tag))
      .flatMap((tag) => /\/_nuxt\/[\w.-]+\.js/.exec(tag) ?? []);
    const scripts = await Promise.all(
      [...new Set(files)].map(async (file) => (await fetch(app.origin + file)).text()),
    );
    const found = scripts.join("").match(/authenticated|x-csrf-token|BroadcastChannel|clientData/g);
    expect(new Set(found)).toEqual(new Set(["authenticated"]));
  });

  // The other tests of nuxt-4 then run under that policy: their browser reports blocked content.
  it.runIf(name === "nuxt-4")(
    "pages of an application with nuxt-security have a strict policy, and Keyhook's pages their own",
    async () => {
      const readPolicy = async (path: string) =>
        (await app.open().get(path)).headers.get("content-security-policy") ?? "";
      expect(await readPolicy("/")).toMatch(/script-src 'strict-dynamic' 'nonce-[\w+/=]+';/);
      expect(await readPolicy("/auth/signin")).toContain("default-src 'none'");
    },
  );

  describe("with its own sign-in page", () => testLogin(() => app));

  describe("with users in its storage", () => testUsers(name, () => app));

  it("the build logs no warning about the module", () => {
    expect(app.output()).not.toMatch(/NUXT_B9002|NUXT_B9003|keyhook.*(?:deprecated|not found)/);
  });

  it("nuxi typecheck finds the types of rules, page meta, events, components and an extended user", async () => {
    const [cli = ""] = build;
    const said = await runIn(name, [cli, "typecheck"]);
    // Only vue-tsc writes lines with the positions of errors.
    expect(said.match(/.*error TS.*/g) ?? []).toEqual([]);
    expect(said).toContain("exit 0");
  });

  it("the build contains nothing of the inspector, whose routes are unknown paths", async () => {
    const folder = fileURLToPath(new URL(`${name}/.output`, import.meta.url));
    const files = globSync("**/*.{mjs,js}", { cwd: folder });
    const found = files.filter((file) =>
      /inspector\/signin|devtools:customTabs|Sign in as/.test(
        readFileSync(`${folder}/${file}`, "utf8"),
      ),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
    const browser = app.open();
    expect((await browser.get("/auth/inspector")).status).toBe(404);
    const csrfToken = await browser.csrfToken();
    const fields = { csrfToken, typed: "ada@example.com" };
    expect((await browser.post("/auth/inspector/signin", fields)).status).toBe(404);
    expect(await browser.session()).toBeNull();
  });

  describe.skipIf(isLeftOut)("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    const visit = async (run: (page: Page, asked: string[]) => Promise<void>) => {
      const context = await browser.newContext({ baseURL: app.origin });
      const page = await context.newPage();
      const asked: string[] = [];
      const said: string[] = [];
      page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
      page.on("console", (message) => {
        const isOurs = !message.text().includes("favicon.ico");
        if (isOurs && ["error", "warning"].includes(message.type())) said.push(message.text());
      });
      page.on("pageerror", (error) => void said.push(String(error)));
      await run(page, asked);
      await closeAll([context]);
      expect(said).toEqual([]);
    };
    const signInPage = async (page: Page, target: string) => {
      await page.goto(`/auth/signin?callbackUrl=${encodeURIComponent(target)}`);
      await page.fill('input[name="username"]', LOVELACE.username);
      await page.fill('input[name="password"]', LOVELACE.password);
      await Promise.all([
        page.waitForURL(`${app.origin}${target}`),
        page.press('input[name="password"]', "Enter"),
      ]);
    };
    const listAuth = (asked: string[]) => asked.filter((path) => path.startsWith("/auth/"));

    it("a page that was rendered with the session sends no request to the server", async () => {
      await visit(async (page, asked) => {
        await signInPage(page, "/");
        asked.length = 0;
        await page.goto("/", { waitUntil: "networkidle" });
        expect(await page.textContent("#state")).toBe("Ada");
        expect(listAuth(asked)).toEqual([]);
      });
    });

    it("a page without the session sends no request, and the next page that shows it sends one", async () => {
      await visit(async (page, asked) => {
        await signInPage(page, "/");
        asked.length = 0;
        await page.goto("/open", { waitUntil: "networkidle" });
        expect(listAuth(asked)).toEqual([]);
        await page.click('a[href="/asks"]');
        await page.locator("#asks", { hasText: "Ada" }).waitFor();
        expect(listAuth(asked)).toEqual(["/auth/session"]);
      });
    });

    it("middleware of the application waits for a session that the previous page did not read", async () => {
      await visit(async (page) => {
        await signInPage(page, "/");
        await page.goto("/open", { waitUntil: "networkidle" });
        await page.click('a[href="/waits"]');
        await page.locator("#waits", { hasText: "Ada" }).waitFor();
        await page.goto("/waits/spa");
        await page.locator("#waits", { hasText: "Ada" }).waitFor();
      });
    });

    it.each(["/cached", "/isr", "/static", "/spa"])(
      "%s reads the session once, in the browser",
      async (path) => {
        await visit(async (page, asked) => {
          await signInPage(page, "/");
          asked.length = 0;
          await page.goto(path, { waitUntil: "networkidle" });
          await page.locator("#state", { hasText: "Ada" }).waitFor();
          expect(await page.textContent(`#${path.slice(1)}`)).toBe("authenticated");
          expect(listAuth(asked)).toEqual(["/auth/session"]);
        });
      },
    );

    it.each(["/locked", "/meta"])(
      "a link to %s redirects a visitor without a session to the sign-in page and back",
      async (path) => {
        await visit(async (page) => {
          await page.goto("/", { waitUntil: "networkidle" });
          await page.click(`a[href="${path}"]`);
          await page.waitForURL(/\/auth\/signin/);
          await page.fill('input[name="username"]', LOVELACE.username);
          await page.fill('input[name="password"]', LOVELACE.password);
          await page.press('input[name="password"]', "Enter");
          await page.waitForURL(`${app.origin}${path}`);
          await page.locator("#state", { hasText: "Ada" }).waitFor();
        });
      },
    );

    it.each(["/locked", "/meta"])(
      "a sign-out in one tab redirects another one from %s, which requires a session, and a sign-in back",
      async (path) => {
        await visit(async (page) => {
          await signInPage(page, path);
          await whenHydrated(page);
          const other = await page.context().newPage();
          await other.goto("/", { waitUntil: "networkidle" });
          await other.click("#sign-out");
          await page.waitForURL(/\/auth\/signin/);
          await page.fill('input[name="username"]', LOVELACE.username);
          await page.fill('input[name="password"]', LOVELACE.password);
          await page.press('input[name="password"]', "Enter");
          await page.waitForURL(`${app.origin}${path}`);
        });
      },
    );

    it("a sign-out in one tab updates the other", async () => {
      await visit(async (page) => {
        await signInPage(page, "/");
        await whenHydrated(page);
        const other = await page.context().newPage();
        await other.goto("/", { waitUntil: "networkidle" });
        await other.click("#sign-out");
        await other.locator("#state", { hasText: "stranger" }).waitFor();
        await page.locator("#state", { hasText: "stranger" }).waitFor();
      });
    });
  });
});
