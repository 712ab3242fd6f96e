import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Case, Round } from "../measure.ts";
import { here } from "../setup.ts";

/** KiB of a bundle with everything it imports, also what is loaded later: minified, gzip -9. */
const bundle = (contents: string): Round => {
  return async () => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: here },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["module"],
      external: ["node:*"],
      legalComments: "none",
      logLevel: "error",
    });
    return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1024;
  };
};

const core = bundle(
  'export { Auth } from "@auth/core"; export { default } from "@auth/core/providers/github";',
);

function size(name: string, target: number, contents: string, sides: Record<string, Round>): Case {
  return {
    name: `bundle of ${name}`,
    unit: "KiB",
    target,
    absolute: true,
    rounds: 1,
    sides: () => ({ ours: bundle(contents), "@auth/core": core, ...sides }),
  };
}

export const cases: Case[] = [
  size(
    "keyhook/minimal and GitHub",
    40,
    'export * from "keyhook/minimal"; export { githubPlugin } from "keyhook/providers/github";',
    {
      "better-auth": bundle(
        'export { betterAuth } from "better-auth"; export { github } from "better-auth/social-providers";',
      ),
    },
  ),
  size("keyhook/jwt", 12, 'export { decode, encode, getToken } from "keyhook/jwt";', {
    "its alone": bundle('export { decode, encode, getToken } from "@auth/core/jwt";'),
  }),
];
