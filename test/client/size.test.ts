import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bytes that a page loads at its start, minified and zipped; the framework is the page's own. */
async function bytesOf(file: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [root + file],
    bundle: true,
    minify: true,
    write: false,
    splitting: true,
    outdir: root,
    format: "esm",
    platform: "browser",
    external: ["react", "vue", "svelte", "svelte/*"],
    loader: { ".svelte": "empty" },
  });
  // What is loaded when it is used goes into files of its own.
  const first = outputFiles.filter(({ path }) => !/passkey/.test(path));
  return gzipSync(Buffer.concat(first.map(({ contents }) => contents)), { level: 9 }).length;
}

it.each([
  ["src/client.ts", 3800],
  ["plugins/faces/react/react.ts", 4200],
  ["plugins/faces/vue/vue.ts", 4200],
  ["plugins/faces/svelte/svelte.ts", 4500],
])("%s stays below %i bytes", async (file, most) => {
  const bytes = await bytesOf(file);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(most);
});
