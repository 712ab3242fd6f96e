import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";
import { type AnyFactory, make, requiredOptions } from "../providers/_provider.ts";
import { isLeftOut, launch } from "./_chromium.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The appearance of a button: contrasts (WCAG 2.2) with the background. */
interface Look {
  name: string;
  text: number;
  border: number;
  /** The contrast of an initial with its tile. */
  initial: number | undefined;
  /** The height of the visible icon, as a fraction of its width. */
  height: number | undefined;
}

/** Opens the sign-in page of all providers that have a button. */
async function openPage(): Promise<string> {
  const use: Plugin[] = [];
  for (const file of globSync("plugins/providers/[a-z0-9]*.ts", { cwd: root })) {
    const module = (await import(root + file)) as { default?: AnyFactory };
    if (!module.default) continue;
    const { type, retired } = make(module.default, {}).provider as {
      type: string;
      retired?: string;
    };
    if (!["oauth", "oidc", "openid2"].includes(type) || retired) continue;
    const options = {
      ...(type !== "openid2" && { clientId: "id", clientSecret: "secret" }),
      ...requiredOptions(module.default),
      ...(basename(file) === "netsuite.ts" && { userinfo: "https://api.keyhook.dev/user" }),
    };
    use.push(make(module.default, options));
  }
  const { browser } = createTestAuth({ preset: standardPreset, providers: [], use });
  return (await browser.get("/auth/signin")).text();
}

/** Runs in the page. */
function measure(): { looks: Look[]; line: number } {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  const luminance = (color: string) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string) => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const main = getComputedStyle(document.querySelector("main")!);
  const card = main.backgroundColor;
  for (const more of document.querySelectorAll("details")) more.open = true;
  const looks = [...document.querySelectorAll("form button")].map((button): Look => {
    const style = getComputedStyle(button);
    const mark = button.querySelector(".mark");
    const tile = mark && getComputedStyle(mark);
    const paths = [...button.querySelectorAll("path")].map((path) => path.getBBox());
    const top = Math.min(...paths.map(({ y }) => y));
    const bottom = Math.max(...paths.map(({ y, height }) => y + height));
    return {
      name: button.textContent.trim(),
      text: contrast(style.color, style.backgroundColor),
      border: contrast(style.borderTopColor, card),
      initial: tile ? contrast(tile.color, tile.backgroundColor) : undefined,
      height: paths.length ? (bottom - top) / 24 : undefined,
    };
  });
  return { looks, line: contrast(main.getPropertyValue("--line"), card) };
}

describe.skipIf(isLeftOut)("the buttons of the providers", () => {
  let chromium: Browser;
  let html: string;
  beforeAll(async () => {
    [chromium, html] = await Promise.all([launch(), openPage()]);
  });
  afterAll(() => chromium?.close());

  it.each(["light", "dark"] as const)(
    "every button is readable in the %s scheme",
    async (scheme) => {
      const context = await chromium.newContext({ colorScheme: scheme });
      const page = await context.newPage();
      await page.setContent(html);
      const { looks, line } = await page.evaluate(measure);
      expect(looks.length).toBeGreaterThan(120);
      const list = (isBad: (look: Look) => boolean) => looks.filter(isBad).map(({ name }) => name);
      expect(list(({ text }) => text < 4.5)).toEqual([]);
      expect(list(({ initial = 21 }) => initial < 3)).toEqual([]);
      // Like the border of a button without a brand.
      expect(list(({ border }) => border < line * 0.95)).toEqual([]);
      // A wordmark as an icon is a line of dots at 22 pixels, so the initial replaces it.
      expect(list(({ height = 1 }) => height < 1 / 3)).toEqual([]);
      await context.close();
    },
  );
});
