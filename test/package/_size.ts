import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { getDefaultFile, type Target } from "../../build.config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly exports: Readonly<Record<string, Target>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const { exports, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as Manifest;

/** The files that the smallest application loads. */
const SMALLEST = "keyhook/minimal with keyhook/providers/github";

/** esbuild's name for the file. */
const STDIN = "stdin.js";

/** An entry point in one file, with everything that it imports. */
export interface DoorSize {
  /** The entry point, or the largest of those that match a pattern of the exports map. */
  readonly path: string;
  /** Minified and compressed. */
  readonly kib: number;
  /** The KiB of minified code by folder or package, the largest first. */
  readonly parts: readonly (readonly [part: string, kib: number])[];
}

/** Returns the KiB of the bytes after compression. */
export function toKib(bytes: Uint8Array): number {
  return gzipSync(bytes, { level: 9 }).length / 1024;
}

/** Lists the entry points of the exports map with their built files. A pattern has several. */
function listDoors(): Map<string, Map<string, string>> {
  const doors = new Map<string, Map<string, string>>();
  for (const [key, target] of Object.entries(exports)) {
    const file = getDefaultFile(target) ?? "";
    if (!file.endsWith(".js")) continue;
    const door = key.replace(".", "keyhook");
    const found = globSync(file, { cwd: root }).map((one): [string, string] => {
      const [, name = ""] = /([^/\\]+)\.js$/.exec(one) ?? [];
      return [door.replace("*", name), one.replaceAll("\\", "/").replace(/^(\.\/)?dist\//, "")];
    });
    doors.set(door, new Map(found));
  }
  return doors;
}

/** Bundles modules into one file each, in one build: each module is parsed once. */
async function bundle(
  files: readonly string[],
  folder: string,
  extension: string,
  options: esbuild.BuildOptions = {},
) {
  const stdin = {
    contents: `export { createAuth } from "./presets/minimal${extension}"; export { githubPlugin } from "./plugins/providers/github${extension}";`,
    resolveDir: join(root, folder),
  };
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: files
      .filter((file) => file !== STDIN)
      .map((file) => ({
        in: join(root, folder, file.replace(/\.js$/, extension)),
        out: file.replace(/\.js$/, ""),
      })),
    stdin,
    absWorkingDir: root,
    outdir: root,
    ...{ bundle: true, write: false, minify: true, metafile: true, format: "esm" },
    ...{ target: "es2023", platform: "neutral", mainFields: ["module", "main"] },
    // Dependencies that the application has anyway: frameworks, packages that it chooses, and
    // modules that Nuxt and SvelteKit generate.
    external: [...Object.keys(peerDependencies), "node:*", "#*", "$*"],
    // The application compiles the components.
    loader: { ".svelte": "empty" },
    ...{ logLevel: "error", ...options },
  });
  return {
    bytes: new Map(outputFiles?.map(({ path, contents }) => [path.slice(root.length), contents])),
    outputs: metafile?.outputs ?? {},
  };
}

// `src/kernel`, `plugins/flows`, or the name of a package.
function toPart(file: string): string {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  return name ?? file.split("/").slice(0, 2).join("/");
}

function listParts(inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>) {
  const parts = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const part = toPart(file);
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput / 1024);
  }
  return [...parts].sort(([, one], [, other]) => other - one);
}

/**
 * Measures the built package by entry point of the exports map. For a pattern, such as `keyhook/providers/*`, the
 * largest counts.
 */
export async function measureDoors(): Promise<Map<string, DoorSize>> {
  const doors = listDoors();
  doors.set(SMALLEST, new Map([[SMALLEST, STDIN]]));
  const built = await bundle(
    [...doors.values()].flatMap((found) => [...found.values()]),
    "dist",
    ".js",
  );
  const largest = new Map<string, readonly [path: string, file: string, kib: number]>();
  for (const [door, found] of doors) {
    const [first] = [...found]
      .map(
        ([path, file]) => [path, file, toKib(built.bytes.get(file) ?? new Uint8Array())] as const,
      )
      .sort(([, , one], [, , other]) => other - one);
    if (!first) throw new Error(`No file of the build is ${door}.`);
    largest.set(door, first);
  }
  // The built files do not show which source a byte comes from.
  const { outputs } = await bundle(
    [...largest.values()].map(([, file]) => file),
    ".",
    ".ts",
    { alias: { util: "tapable/lib/util-browser.js" } },
  );
  const sizes = new Map<string, DoorSize>();
  for (const [door, [path, file, kib]] of largest) {
    sizes.set(door, { path, kib, parts: listParts(outputs[file]?.inputs ?? {}) });
  }
  return sizes;
}
