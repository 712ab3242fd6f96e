import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOVELACE } from "../_app.ts";
import { closeAll, isLeftOut, launch } from "../e2e/_chromium.ts";
import { type App, findFile, isInstalled, startApp } from "./_app.ts";
import { signIn, testWalk } from "./_walk.ts";

const cwd = fileURLToPath(new URL("astro", import.meta.url));
const HTML = { headers: { accept: "text/html" } };

describe.skipIf(!isInstalled)("keyhook/astro in Astro 7", () => {
  let app: App;
  beforeAll(async () => {
    const command = ["dist/server/entry.mjs"];
    app = await startApp("astro", [findFile("astro", "astro", "bin/astro.mjs"), "build"], {
      command,
    });
  });
  afterAll(() => app?.close());

  testWalk(() => app);

  it("a page of the application signs in, and shows a wrong password", async () => {
    const browser = app.open();
    const wrong = await browser.post("/login", { ...LOVELACE, password: "wrong" });
    expect(wrong.status).toBe(200);
    expect(await wrong.text()).toContain('<p id="failed">CredentialsSignin</p>');
    const right = await browser.post("/login", { ...LOVELACE, redirectTo: "/locked" });
    expect([right.status, right.headers.get("location")]).toEqual([302, `${app.origin}/locked`]);
    expect(await (await browser.get("/locked")).text()).toContain("Ada");
  });

  it("an update is visible in the page of the same request", async () => {
    const ada = await signIn(app);
    expect(await (await ada.post("/rename")).text()).toContain('<p id="name">Countess</p>');
    expect(await ada.session()).toMatchObject({ user: { name: "Countess" } });
  });

  it("the guard calls `authorized`", async () => {
    const page = await app.open().get("/guarded?x=1", HTML);
    expect([page.status, page.headers.get("location")]).toEqual([
      302,
      `${app.origin}/auth/signin?callbackUrl=${encodeURIComponent(`${app.origin}/guarded?x=1`)}`,
    ]);
    expect((await (await signIn(app)).get("/guarded", HTML)).status).toBe(200);
  });

  it("a prerendered page has no session, and the application decides on caching of a page that does not read it", async () => {
    const ada = await signIn(app);
    const page = await ada.get("/static");
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await page.text()).toContain('<p id="static">nobody</p>');
    const open = await ada.get("/open");
    expect(open.headers.get("cache-control")).toBe("public, max-age=60");
    expect(open.headers.getSetCookie()).toEqual([]);
  });

  it("the route cache stores nothing of a visitor, whatever its rules say", async () => {
    const ada = await signIn(app);
    const hers = await ada.csrfToken();
    expect(await app.open().csrfToken()).not.toBe(hers);
    expect((await app.open().get("/locked", HTML)).status).toBe(302);
    expect((await ada.get("/locked", HTML)).status).toBe(200);
    await ada.get("/open");
    expect((await app.open().get("/open")).headers.get("x-astro-cache")).toBe("HIT");
  });

  it("Astro refuses a form of another site before the middleware", async () => {
    const body = new URLSearchParams({ state: "made-up", code: "made-up" });
    const init = { method: "POST", headers: { origin: "https://appleid.apple.com" }, body };
    expect((await fetch(`${app.origin}/auth/callback/op`, init)).status).toBe(403);
  });

  it("the types of contexts and locals pass astro check", () => {
    const command = [findFile("astro", "astro", "bin/astro.mjs"), "check"];
    const written = execFileSync(process.execPath, command, { cwd, encoding: "utf8" });
    expect(written).toContain("0 errors");
  });

  it.skipIf(isLeftOut)(
    "in a browser: a guarded page redirects to the sign-in page and back",
    async () => {
      const browser = await launch();
      const context = await browser.newContext({ baseURL: app.origin });
      const page = await context.newPage();
      await page.goto("/locked");
      await page.fill('input[name="username"]', LOVELACE.username);
      await page.fill('input[name="password"]', LOVELACE.password);
      await page.press('input[name="password"]', "Enter");
      await page.waitForURL(`${app.origin}/locked`);
      expect(await page.textContent("#locked")).toBe("the locked page of Ada");
      await closeAll([context]);
      await browser.close();
    },
  );
});
