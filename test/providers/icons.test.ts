import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildIcons } from "../../build.config.ts";
import { spotifyPlugin } from "../../plugins/providers/spotify.ts";
import { zitadelPlugin } from "../../plugins/providers/zitadel.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the sign-in page of an application with these providers. */
async function openPage(...use: Plugin[]): Promise<string> {
  const { browser } = createTestAuth({ preset: standardPreset, providers: [], use });
  const response = await browser.get("/auth/signin");
  return response.text();
}

const client = { clientId: "id", clientSecret: "secret" };

describe("icons of the providers", () => {
  it("the files of the icons are those that `npm run build:icons` writes", () => {
    const built = buildIcons();
    const files = globSync("plugins/providers/_icons/*.ts", { cwd: root }).sort();
    expect(Object.keys(built).sort()).toEqual(files);
    for (const [file, text] of Object.entries(built)) {
      expect(readFileSync(root + file, "utf8"), file).toBe(text);
    }
  });

  it("the sign-in page shows the icon of a provider in the colour of the text", async () => {
    const { ICON } = await import("../../plugins/providers/_icons/spotify.ts");
    const page = await openPage(spotifyPlugin(client));
    expect(page).toContain(`<path fill="currentColor" fill-rule="nonzero" d="${ICON[0]!.d}"/>`);
  });

  it("the sign-in page leaves no icon out", async () => {
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

  it("the sign-in page is shown when an icon cannot be loaded", async () => {
    const icon = () => Promise.reject(new Error("the file is missing"));
    const page = await openPage(spotifyPlugin({ ...client, style: { icon } }));
    expect(page).toContain("Spotify");
  });
});
