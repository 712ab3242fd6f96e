import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}plugins/flows/webauthn/`;
const MADE = "// Made by `npm run build:script` from src/client/passkey-form.ts.";

const LICENSE = readFileSync(
  `${root}node_modules/@simplewebauthn/browser/LICENSE.md`,
  "utf8",
).trim();

/** The sign-in page's script and its hash as modules, so that sources run without a build. */
async function bundle(): Promise<Record<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [`${root}src/client/passkey-form.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    banner: { js: `/*! Holds @simplewebauthn/browser.\n${LICENSE}\n*/` },
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const hash = createHash("sha256").update(script);
  const integrity = hash.copy().digest("base64");
  const name = hash.digest("hex").slice(0, 16);
  return {
    "browser-script.ts":
      `${MADE}\n/** The sign-in page's script. */\n` +
      `// oxfmt-ignore\nexport const SCRIPT =\n  ${JSON.stringify(script)};\n`,
    "browser-script-hash.ts":
      `${MADE}\n/** Names the script. */\nexport const SCRIPT_HASH = "${name}";\n` +
      `/** Proves the script (Subresource Integrity). */\n` +
      `export const SCRIPT_INTEGRITY = "sha256-${integrity}";\n`,
  };
}

it("is what its sources make", async () => {
  const files = await bundle();
  for (const [name, text] of Object.entries(files)) {
    if (process.env.KEYHOOK_SCRIPT === "write") writeFileSync(folder + name, text);
    else expect(readFileSync(folder + name, "utf8"), "run `npm run build:script`").toBe(text);
  }
});
