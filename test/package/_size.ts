import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { getEntryPoint, sources } from "../../build.config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const files = new Map(
  sources.map((file) => [getEntryPoint(file)?.replace(".", "keyhook"), root + file]),
);

// The built files do not tell which source a byte is from.
const fromSources: esbuild.Plugin = {
  name: "from-sources",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^keyhook\// }, ({ path }) => ({ path: files.get(path) ?? path })),
};

// `src/kernel`, `plugins/flows`, or the name of a package.
function toPart(file: string): string {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  return name ?? file.split("/").slice(0, 2).join("/");
}

/** The KiB of bytes as they are sent. */
export function toKib(bytes: Uint8Array): number {
  return gzipSync(bytes, { level: 9 }).length / 1024;
}

/** Lists what is inside a module in one file, the largest parts first: `src/kernel 50 kB` of minified code. */
export async function listParts(contents: string): Promise<string[]> {
  const { metafile } = await esbuild.build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    ...{ bundle: true, write: false, minify: true, metafile: true, format: "esm" },
    ...{ platform: "browser", external: ["node:*"], plugins: [fromSources] },
  });
  const parts = new Map<string, number>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const part = toPart(file);
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
    }
  }
  return [...parts]
    .sort(([, one], [, other]) => other - one)
    .filter(([, bytes]) => bytes >= 100)
    .map(([part, bytes]) => `${part} ${(bytes / 1000).toFixed(1)} kB`);
}
