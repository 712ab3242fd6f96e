import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Case, Side } from "../measure.ts";
import { here } from "../setup.ts";

const frameworks = ["react", "react/*", "vue", "svelte", "svelte/*"];

/** Measures the KiB that a page loads at first, minified, gzip -9, without the framework. */
const page = (contents: string, which: (path: string) => boolean): Side => {
  return () => async () => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: here, sourcefile: "page" },
      bundle: true,
      minify: true,
      write: false,
      splitting: true,
      outdir: here,
      format: "esm",
      platform: "browser",
      external: frameworks,
      // Components are compiled with the page. The Keyhook code that they need is in the
      // integration.
      loader: { ".svelte": "empty" },
      define: { "process.env.NODE_ENV": '"production"' },
      legalComments: "none",
      logLevel: "error",
    });
    const bytes = outputFiles.filter(({ path }) => which(path)).map(({ contents: it }) => it);
    return gzipSync(Buffer.concat(bytes), { level: 9 }).length / 1024;
  };
};

const isPasskey = (path: string) => /passkey/.test(path);
const loaded = (contents: string) => page(contents, (path) => !isPasskey(path));

/** The only client of Auth.js itself. */
const NEXT = 'export * from "next-auth/react";';

function size(name: string, target: number, ours: string, better: string): Case {
  return {
    name: `page: ${name}`,
    unit: "KiB",
    target,
    absolute: true,
    rounds: 1,
    sides: {
      ours: loaded(ours),
      "@auth/core": loaded(NEXT),
      "better-auth": loaded(`export { createAuthClient } from "${better}";`),
    },
  };
}

export const cases: Case[] = [
  size("keyhook/client", 5, 'export * from "keyhook/client";', "better-auth/client"),
  size("keyhook/react", 6, 'export * from "keyhook/react";', "better-auth/react"),
  size("keyhook/vue", 6, 'export * from "keyhook/vue";', "better-auth/vue"),
  size("keyhook/svelte", 6, 'export * from "keyhook/svelte";', "better-auth/svelte"),
  {
    name: "page: passkeys, loaded when used",
    unit: "KiB",
    target: 6,
    absolute: true,
    rounds: 1,
    sides: { ours: page('export * from "keyhook/client";', isPasskey) },
  },
];
