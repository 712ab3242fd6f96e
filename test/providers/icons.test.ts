import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildIcons } from "../../build.config.ts";
import { spotifyPlugin } from "../../plugins/providers/spotify.ts";
import { zitadelPlugin } from "../../plugins/providers/zitadel.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { paint, ICON_LIMIT, TEXT_LIMIT } from "../../src/page/color.ts";
import { createTestAuth } from "../_app.ts";
import { type AnyFactory, make } from "./_provider.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the sign-in page of an application with these providers. */
async function openPage(...use: Plugin[]): Promise<string> {
  const { browser } = createTestAuth({ preset: standardPreset, providers: [], use });
  const response = await browser.get("/auth/signin");
  return response.text();
}

/** The contrast of two hex colors (WCAG 2.2). */
function contrast(...colors: [string, string]): number {
  const [low = 0, high = 0] = colors
    .map((color) => {
      const digits = color.length < 6 ? color.slice(1).replaceAll(/./g, "$&$&") : color.slice(1);
      const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
        const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

const client = { clientId: "id", clientSecret: "secret" };

describe("icons of the providers", () => {
  it("the icon files are those that `npm run build:icons` writes", () => {
    const built = buildIcons();
    const files = globSync("plugins/providers/_icons/*.ts", { cwd: root }).sort();
    expect(Object.keys(built).sort()).toEqual(files);
    for (const [file, text] of Object.entries(built)) {
      expect(readFileSync(root + file, "utf8"), file).toBe(text);
    }
  });

  it("the sign-in page shows a provider's icon in the text color", async () => {
    const { ICON } = await import("../../plugins/providers/_icons/spotify.ts");
    const page = await openPage(spotifyPlugin(client));
    expect(page).toContain(`<path fill="currentColor" fill-rule="nonzero" d="${ICON[0]!.d}"/>`);
  });

  it("the sign-in page omits no icon", async () => {
    const files = globSync("plugins/providers/_icons/*.ts", { cwd: root }).sort();
    const ids = files.map((file) => basename(file, ".ts"));
    const plugins = ids.map((id, at) => {
      const icon = () => import(`../../plugins/providers/_icons/${ids[at]}.ts`);
      return spotifyPlugin({ ...client, id, style: { icon } });
    });
    const page = await openPage(...plugins);
    expect(page.match(/<path fill="currentColor"/g)).toHaveLength(ids.length);
  });

  it("the sign-in page shows the initial of a provider without an icon", async () => {
    const issuer = "https://acme.zitadel.cloud";
    expect(await openPage(zitadelPlugin({ ...client, issuer }))).not.toMatch(/<form[^]*<path/);
  });

  it.each([
    ["initial", ICON_LIMIT, 3],
    ["text of a button", TEXT_LIMIT, 4.5],
  ])("the %s is readable on every brand color", async (_, limit, wanted) => {
    const files = globSync("plugins/providers/[a-z0-9]*.ts", { cwd: root });
    const unreadable: string[] = [];
    for (const file of files) {
      const module = (await import(root + file)) as { default?: AnyFactory };
      const { style } = module.default ? make(module.default, {}).provider : {};
      if (!style?.brandColor) continue;
      const [, ground = "", ink = ""] =
        /background:(#\w+);color:(#\w+)/.exec(paint(".x", style.brandColor, undefined, limit)) ??
        [];
      if (!(contrast(ground, ink) >= wanted)) unreadable.push(`${file}: ${ink} on ${ground}`);
    }
    expect(unreadable).toEqual([]);
  });

  it("the sign-in page is shown when an icon cannot be loaded", async () => {
    const icon = () => Promise.reject(new Error("the file is missing"));
    const page = await openPage(spotifyPlugin({ ...client, style: { icon } }));
    expect(page).toContain("Spotify");
  });
});
