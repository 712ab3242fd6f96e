import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isLeftOut, launch } from "../e2e/_chromium.ts";
import { isInstalled, startDevelopment } from "./_app.ts";

const servers = {
  "nuxt-4": ["node_modules/nuxt/bin/nuxt.mjs", "dev"],
  "nuxt-5": ["node_modules/nuxt/bin/nuxt.mjs", "dev"],
};
const CONFIGS: Record<string, string> = {
  "nuxt-4": "server/auth.ts",
  "nuxt-5": "base/auth/server/auth.ts",
};
const GRACE = "grace@example.com";

async function findFrame(page: Page, part: string): Promise<Frame> {
  const isIt = (frame: Frame) => frame.url().includes(part);
  for (let attempt = 0; attempt < 100 && !page.frames().some(isIt); attempt++) {
    await page.waitForTimeout(100);
  }
  const frame = page.frames().find(isIt);
  if (!frame) throw new Error(`No frame shows ${part}.`);
  return frame;
}

/** Opens the tab of the application in Nuxt DevTools. */
const openTab: Record<string, (page: Page, origin: string) => Promise<void>> = {
  async "nuxt-4"(page, origin) {
    await page.goto(origin, { waitUntil: "networkidle" });
    await page.keyboard.press("Shift+Alt+KeyD");
    const tools = await findFrame(page, "__nuxt_devtools__");
    await tools.getByText(/get started/i).click();
    await tools.click('a[href*="custom-keyhook"]');
  },
  // DevTools 4 are a part of Vite DevTools, which list the tabs of modules.
  async "nuxt-5"(page, origin) {
    await page.goto(`${origin}/__devtools/`);
    await page.click('button[aria-label="Keyhook"]');
  },
};

describe.skipIf(!isInstalled).each(Object.entries(servers))(
  "the development server of %s",
  (name, args) => {
    let app: Awaited<ReturnType<typeof startDevelopment>>;
    // The test writes the configuration after the server has reported it missing.
    const late = fileURLToPath(new URL(`${name}/server/late.ts`, import.meta.url));
    let fault = "";
    beforeAll(async () => {
      rmSync(late, { force: true });
      const env = { BUILD_DIR: ".data/nuxt", AUTH_CONFIG: "server/late.ts" };
      app = await startDevelopment(name, args, env, (text) => {
        if (fault !== "" || !text.includes("Keyhook")) return;
        fault = text;
        mkdirSync(dirname(late), { recursive: true });
        writeFileSync(late, `export { default } from "../${CONFIGS[name]}";\n`);
      });
    });
    afterAll(async () => {
      await app?.close();
      rmSync(late, { force: true });
    });

    it("reports which file to create, and starts when the file exists", () => {
      expect(fault).toContain("create server/late.ts");
    });

    it("has the inspector without configuration", async () => {
      const response = await app
        .open()
        .get("/auth/inspector", { headers: { accept: "text/html" } });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
      expect(await response.text()).toContain("Sign in as");
    });

    it("signs a developer in as any user", async () => {
      const browser = app.open();
      const csrfToken = await browser.csrfToken();
      await browser.post("/auth/inspector/signin", { csrfToken, typed: GRACE });
      expect(await browser.session()).toMatchObject({ user: { email: GRACE } });
      expect((await browser.get("/locked")).status).toBe(200);
    });

    it("a change to server/auth.ts takes effect, and the session survives the reload", async () => {
      const browser = app.open();
      const csrfToken = await browser.csrfToken();
      await browser.post("/auth/inspector/signin", { csrfToken, typed: GRACE });
      const file = fileURLToPath(new URL(`${name}/${CONFIGS[name]}`, import.meta.url));
      const text = readFileSync(file, "utf8");
      const isChanged = async () => {
        const response = await browser.get("/auth/providers").catch(() => undefined);
        return (await response?.text())?.includes("changed");
      };
      // The watcher of a busy machine may miss a change. Like a developer, the test saves again.
      const save = async (content: string, expected: boolean) => {
        for (let attempt = 0; attempt < 3 && (await isChanged()) !== expected; attempt++) {
          writeFileSync(file, content);
          const timeout = { timeout: 25_000, interval: 250 };
          await vi.waitUntil(async () => (await isChanged()) === expected, timeout).catch(() => {});
        }
        expect(await isChanged()).toBe(expected);
      };
      try {
        await save(text.replace('name: "Example"', 'name: "Example, changed"'), true);
        expect(await browser.session()).toMatchObject({ user: { email: GRACE } });
        expect(await (await browser.get("/")).text()).toContain("grace");
        await save(text, false);
      } finally {
        if (readFileSync(file, "utf8") !== text) writeFileSync(file, text);
      }
    });

    it.skipIf(isLeftOut)(
      "shows the inspector as a tab of Nuxt DevTools, whose form signs in",
      async () => {
        const chromium = await launch();
        try {
          const page = await chromium.newPage({ viewport: { width: 1200, height: 2600 } });
          await openTab[name]?.(page, app.origin);
          const inspector = await findFrame(page, "/auth/inspector");
          await inspector.fill('input[name="typed"]', GRACE);
          // Users who signed in before are already listed.
          const posted = page.waitForResponse((response) =>
            response.url().endsWith("/auth/inspector/signin"),
          );
          await inspector.press('input[name="typed"]', "Enter");
          expect((await posted).status()).toBe(302);
          await inspector.locator("li", { hasText: "g***@***" }).first().waitFor();
          await page.goto(app.origin, { waitUntil: "networkidle" });
          expect(await page.textContent("#state")).toBe("grace");
        } finally {
          await chromium.close();
        }
      },
    );
  },
);
