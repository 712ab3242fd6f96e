import { cpSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOVELACE } from "../_app.ts";
import { closeAll, isLeftOut, launch } from "../e2e/_chromium.ts";
import { type App, isInstalled, startApp } from "./_app.ts";
import { writeRecipes } from "./_recipes.ts";
import { testWalk, type WalkOptions } from "./_walk.ts";

const room = fileURLToPath(new URL(".", import.meta.url));
const VITE = "node_modules/vite/bin/vite.js";

interface Rendered {
  readonly name: string;
  readonly folder: string;
  /** The folder of the application, if this folder only has its packages and configuration. */
  readonly app?: string;
  /** The folder of the files that browsers load. */
  readonly client: string;
  readonly build: readonly string[];
  readonly command: readonly string[];
  readonly options?: WalkOptions;
  /** Path of the application's own sign-in page, if it has one. */
  readonly form?: string;
  /** Whether the form works without JavaScript. */
  readonly posts?: boolean;
}

const routeByReact = (extension: string) => ({
  client: "build/client",
  form: "/login",
  posts: true,
  build: [`node_modules/@react-router/dev/bin.${extension}`, "build"],
  command: [`node_modules/@react-router/serve/bin.${extension}`, "build/server/index.js"],
});

const apps: Rendered[] = [
  { name: "React Router 8", folder: "react-router", ...routeByReact("cjs") },
  {
    name: "React Router 7",
    folder: "react-router-7",
    app: "react-router",
    ...routeByReact("js"),
  },
  {
    name: "TanStack Start",
    folder: "tanstack-start",
    client: "dist/client",
    form: "/login",
    build: [VITE, "build"],
    command: ["start.js"],
    options: { redirect: 307 },
  },
  {
    name: "SolidStart",
    folder: "solid-start",
    client: ".output/public",
    form: "/login",
    build: [VITE, "build"],
    command: [".output/server/index.mjs"],
    // The router treats `//locked` as the home page.
    options: { nearly: [200, 302, 400, 404] },
  },
];

/**
 * Opens a page in a browser, and lists the errors of its scripts. A page that is not interactive
 * still has a form and links.
 */
async function openPage(): Promise<{ page: Page; errors: string[]; close(): Promise<void> }> {
  const browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (/^\w*Error: /.test(message.text())) errors.push(message.text());
  });
  return {
    page,
    errors,
    async close() {
      await closeAll([context]);
      await browser.close();
    },
  };
}

describe.skipIf(!isInstalled).each(apps)(
  "the recipe for $name",
  ({ folder, app: from = folder, client, build, command, options, form = "", posts }) => {
    let app: App;
    beforeAll(async () => {
      writeRecipes(from);
      if (from !== folder)
        cpSync(`${room}${from}/app`, `${room}${folder}/app`, { recursive: true });
      app = await startApp(folder, build, { command });
    });
    afterAll(() => app?.close());

    testWalk(() => app, { refused: ["/api/me"], ...options });

    it.skipIf(!posts)("a form action signs in, or shows why it failed", async () => {
      const browser = app.open();
      const path = `${form}?callbackUrl=/locked`;
      const page = await (await browser.get(path)).text();
      const [, csrfToken = ""] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? [];
      const fields = { ...LOVELACE, csrfToken, redirectTo: "/locked" };
      const wrong = await browser.post(path, { ...fields, password: "wrong" });
      expect([wrong.status, await browser.session()]).toEqual([401, null]);
      expect(await wrong.text()).toContain("<p>CredentialsSignin</p>");
      const forged = await browser.post(path, { ...fields, csrfToken: "forged" });
      expect([forged.status, await browser.session()]).toEqual([403, null]);
      const right = await browser.post(path, fields);
      expect(right.headers.get("location")).toBe(`${app.origin}/locked`);
      expect(await (await browser.get("/locked")).text()).toContain("Ada");
    });

    it("the configuration is not part of the files that browsers load", () => {
      const files = globSync("**/*.js", { cwd: room + folder + "/" + client });
      expect(files.length).toBeGreaterThan(0);
      const texts = files.map((file) => readFileSync(`${room}${folder}/${client}/${file}`, "utf8"));
      expect(texts.filter((text) => text.includes("lovelace"))).toEqual([]);
    });

    it.skipIf(!form || isLeftOut)(
      "in a browser, an application's own sign-in page shows what failed, and redirects back",
      async () => {
        const { page, errors, close } = await openPage();
        const url = `${app.origin}${form}?callbackUrl=/locked`;
        await page.goto(url, { waitUntil: "networkidle" });
        await page.fill("[name=username]", LOVELACE.username);
        await page.fill("[name=password]", "wrong");
        await page.press("[name=password]", "Enter");
        await page.waitForSelector("text=CredentialsSignin");
        await page.fill("[name=password]", LOVELACE.password);
        await page.press("[name=password]", "Enter");
        await page.waitForSelector("text=the locked page of Ada");
        expect(new URL(page.url()).pathname).toBe("/locked");
        expect(errors).toEqual([]);
        await close();
      },
    );

    it.skipIf(isLeftOut)(
      "in a browser, a link to the guarded page redirects to the sign-in page and back",
      async () => {
        const { page, errors, close } = await openPage();
        // Clicked before the page is interactive, it would be a plain link.
        await page.goto(`${app.origin}/`, { waitUntil: "networkidle" });
        await page.click("text=locked");
        await page.waitForURL(/\/auth\/signin/);
        await page.fill("[name=username]", LOVELACE.username);
        await page.fill("[name=password]", LOVELACE.password);
        await page.press("[name=password]", "Enter");
        await page.waitForSelector("text=the locked page of Ada");
        expect(new URL(page.url()).pathname).toBe("/locked");
        await page.goto(`${app.origin}/`, { waitUntil: "networkidle" });
        await page.click("text=locked");
        await page.waitForSelector("text=the locked page of Ada");
        expect(errors).toEqual([]);
        await close();
      },
    );
  },
);
