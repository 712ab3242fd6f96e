import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ids } from "../catalogue.ts";
import type { Case, Side } from "../measure.ts";
import { here } from "../setup.ts";

/**
 * Measures the KiB of a bundle, minified, gzip -9: with all its imports, or with those loaded at
 * start.
 */
const bundle = (contents: string, atStart = false): Side => {
  return () => async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: here },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      ...(atStart && { splitting: true, outdir: here }),
      legalComments: "none",
      logLevel: "error",
    });
    const outputs = Object.entries(metafile.outputs);
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? []) {
        if (kind === "import-statement" && !external) load(next);
      }
    };
    const [first] = outputs.find(([, { entryPoint }]) => entryPoint === "<stdin>") ?? outputs[0];
    load(first);
    const files = atStart
      ? outputFiles.filter(({ path }) => [...loaded].some((name) => path.endsWith(name)))
      : outputFiles;
    const bytes = Buffer.concat(files.map(({ contents }) => contents));
    return gzipSync(bytes, { level: 9 }).length / 1024;
  };
};

const MINIMAL =
  'export { createAuth } from "keyhook/minimal"; export { githubPlugin } from "keyhook/providers/github";';
// An unused provider must cost nothing: `keyhook/providers/<id>` is a separate file.
const one = (id: string) =>
  `export { createAuth } from "keyhook"; export { default } from "keyhook/providers/${id}";`;
const every = () =>
  ['export { createAuth } from "keyhook";']
    .concat(ids.map((id, at) => `export * as provider${at} from "keyhook/providers/${id}";`))
    .join("\n");
const JWT = 'export { decode, encode, getToken } from "keyhook/jwt";';
const CORE =
  'export { Auth } from "@auth/core"; export { default } from "@auth/core/providers/github";';
const BETTER =
  'export { betterAuth } from "better-auth"; export { github } from "better-auth/social-providers";';

function size(name: string, target: number, sides: Case["sides"]): Case {
  return { name: `bundle: ${name}`, unit: "KiB", target, absolute: true, rounds: 1, sides };
}

export const cases: Case[] = [
  size("minimal + GitHub", 40, {
    ours: bundle(MINIMAL),
    "@auth/core": bundle(CORE),
    "better-auth": bundle(BETTER),
  }),
  size("minimal + GitHub, loaded at start", 40, {
    ours: bundle(MINIMAL, true),
    "@auth/core": bundle(CORE, true),
    "better-auth": bundle(BETTER, true),
  }),
  size("keyhook + GitHub, loaded at start", 90, { ours: bundle(one("github"), true) }),
  size("keyhook + Bluesky, loaded at start", 95, { ours: bundle(one("bluesky"), true) }),
  size("keyhook + all providers, loaded at start", 150, {
    ours: () => bundle(every(), true)(() => {}),
  }),
  size("keyhook/jwt", 12, {
    ours: bundle(JWT),
    "@auth/core": bundle('export { decode, encode, getToken } from "@auth/core/jwt";'),
  }),
];
