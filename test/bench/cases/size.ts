import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Case, Round } from "../measure.ts";
import { here } from "../setup.ts";

/** KiB of a bundle, minified, gzip -9: with everything it imports, or what is loaded at start. */
const bundle = (contents: string, atStart = false): Round => {
  return async () => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: here },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "node",
      ...(atStart && { splitting: true, outdir: here }),
      legalComments: "none",
      logLevel: "error",
    });
    const entry = outputFiles.find(({ path }) => path.endsWith("stdin.js")) ?? outputFiles[0];
    return gzipSync(entry.contents, { level: 9 }).length / 1024;
  };
};

const MINIMAL =
  'export { createAuth } from "keyhook/minimal"; export { githubPlugin } from "keyhook/providers/github";';
const JWT = 'export { decode, encode, getToken } from "keyhook/jwt";';
const CORE =
  'export { Auth } from "@auth/core"; export { default } from "@auth/core/providers/github";';
const BETTER =
  'export { betterAuth } from "better-auth"; export { github } from "better-auth/social-providers";';

function size(name: string, target: number, sides: Case["sides"]): Case {
  return { name: `bundle: ${name}`, unit: "KiB", target, absolute: true, rounds: 1, sides };
}

export const cases: Case[] = [
  size("minimal + GitHub", 40, () => ({
    ours: bundle(MINIMAL),
    "@auth/core": bundle(CORE),
    "better-auth": bundle(BETTER),
  })),
  size("minimal + GitHub, loaded at start", 40, () => ({
    ours: bundle(MINIMAL, true),
    "@auth/core": bundle(CORE, true),
    "better-auth": bundle(BETTER, true),
  })),
  size("keyhook/jwt", 12, () => ({
    ours: bundle(JWT),
    "@auth/core": bundle('export { decode, encode, getToken } from "@auth/core/jwt";'),
  })),
];
