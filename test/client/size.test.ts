import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Measures what a page loads at first, minified and gzipped, without the framework. */
async function measureBytes(file: string): Promise<number> {
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
  // Code that is loaded on demand goes into separate files.
  const first = outputFiles.filter(({ path }) => !/passkey/.test(path));
  return gzipSync(Buffer.concat(first.map(({ contents }) => contents)), { level: 9 }).length;
}

it.each([
  ["src/client.ts", 4000],
  ["plugins/frameworks/react.ts", 4420],
  ["plugins/frameworks/vue.ts", 4365],
  ["plugins/frameworks/svelte.ts", 4745],
])("%s is smaller than %i bytes", async (file, most) => {
  const bytes = await measureBytes(file);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(most);
});
