import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import githubPlugin from "../../plugins/providers/github.ts";
import { credentials } from "../_app.ts";
import { isLeftOut, launch } from "./_chromium.ts";
import { openSite, type Site } from "./_site.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(`${root}plugins/frameworks/README.md`, "utf8");

/** Returns the example of plugins/frameworks/README.md in a language that contains `words`. */
function example(language: string, words = ""): string {
  const all = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  return all.map(([, code = ""]) => code).find((code) => code.includes(words)) ?? "";
}

/** By framework: the file of the example, its code, and the script that mounts it. */
const apps: Record<string, [file: string, code: string, client: string]> = {
  react: [
    "example.tsx",
    example("tsx"),
    `import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./example.tsx";
createRoot(document.querySelector("#app")).render(createElement(App));`,
  ],
  vue: [
    "example.vue",
    example("vue"),
    `import { createApp } from "vue";
import { authPlugin } from "keyhook/vue";
import App from "./example.vue";
createApp(App).use(authPlugin()).mount("#app");`,
  ],
  svelte: [
    "example.svelte",
    example("svelte"),
    `import { mount } from "svelte";
import App from "./example.svelte";
mount(App, { target: document.querySelector("#app") });`,
  ],
  client: [
    "example.ts",
    example("ts", "keyhook/client"),
    `import { enter, toggle } from "./example.ts";
Object.assign(globalThis, { enter, toggle });`,
  ],
};

describe.skipIf(isLeftOut)("the examples of plugins/frameworks/README.md", () => {
  let browser: Browser;
  let folder: string;
  let site: Site | undefined;

  beforeAll(async () => {
    browser = await launch();
    // In node_modules, next to the packages that the examples import.
    const folders = `${root}node_modules/.readme`;
    mkdirSync(folders, { recursive: true });
    folder = mkdtempSync(`${folders}/`);
  });
  afterAll(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  async function open(app: string): Promise<Page> {
    const [file, code, client] = apps[app]!;
    expect(code).not.toBe("");
    mkdirSync(`${folder}/${app}`, { recursive: true });
    writeFileSync(`${folder}/${app}/${file}`, code);
    writeFileSync(`${folder}/${app}/client.ts`, client);
    site = await openSite({
      app: pathToFileURL(`${folder}/${app}/`),
      config: {
        providers: [credentials(), githubPlugin({ clientId: "id", clientSecret: "secret" })],
      },
      vite: {
        resolve: {
          alias: [
            {
              find: /^keyhook\/(react|vue|svelte)$/,
              replacement: `${root}plugins/frameworks/$1.ts`,
            },
            { find: "keyhook/client", replacement: `${root}src/client.ts` },
          ],
        },
      },
    });
    const page = await browser.newPage();
    await page.route("https://github.com/**", (route) => route.fulfill({ body: "GitHub" }));
    await page.goto(site.origin);
    return page;
  }

  async function enter(page: Page, origin: string): Promise<void> {
    const { csrfToken } = (await (await page.request.get(`${origin}/auth/csrf`)).json()) as {
      csrfToken: string;
    };
    await page.request.post(`${origin}/auth/callback/credentials`, {
      form: { csrfToken, username: "ada", password: "lovelace" },
      headers: { origin },
    });
  }

  it.each(["react", "vue", "svelte"])(
    "the %s example of the README signs in and out",
    async (app) => {
      const page = await open(app);
      const { origin, stop } = site!;
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/^https:\/\/github\.com\/login\/oauth\/authorize/);
      await enter(page, origin);
      await page.goto(origin);
      await page.getByRole("button", { name: "Sign out Ada" }).click();
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      expect(await (await page.request.get(`${origin}/auth/session`)).json()).toBeNull();
      await page.context().close();
      await stop();
    },
  );

  it("a Svelte form that gets no response redirects to the sign-in page, as without JavaScript", async () => {
    const page = await open("svelte");
    const { stop } = site!;
    await page.route("**/auth/providers", (route) => route.abort());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/auth\/signin/);
    await page.getByRole("button", { name: /GitHub/ }).waitFor();
    await page.context().close();
    await stop();
  });

  it("the example without a framework in the README signs in and out", async () => {
    const page = await open("client");
    const { origin, stop } = site!;
    expect(await page.evaluate("enter('ada', 'byron')")).toBe("CredentialsSignin");
    expect(await page.evaluate("enter('ada', 'lovelace')")).toBeUndefined();
    const left = page.waitForNavigation();
    await page.evaluate("void toggle()");
    await left;
    expect(page.url()).toBe(`${origin}/`);
    await page.evaluate("void toggle()");
    await page.waitForURL(/^https:\/\/github\.com\//);
    await page.context().close();
    await stop();
  });
});
