import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { buildBrowserScript } from "../../build.config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("the passkey form's browser script is up to date with its sources", async () => {
  for (const [file, text] of Object.entries(await buildBrowserScript())) {
    expect(readFileSync(root + file, "utf8"), "run `npm run build:script`").toBe(text);
  }
});
