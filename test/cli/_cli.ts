import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
const SHARED = { PATH, NODE_COMPILE_CACHE };

/** The result of a run of the command line. */
export interface Run {
  code: number;
  out: string;
  err: string;
}

/** A folder in which the command line runs. */
export interface Folder {
  readonly path: string;
  /** Writes a file. Imports of `keyhook` in it resolve to the sources. */
  write(name: string, text: string): void;
  /** Runs `keyhook` with arguments, in an environment with no other variables. */
  run(
    args: readonly string[],
    options?: { env?: Record<string, string>; node?: readonly string[] },
  ): Promise<Run>;
}

/** Creates a folder, which is removed after the test. */
export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "keyhook-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const sources = {
    keyhook: "presets/index.ts",
    "keyhook/astro": "presets/astro.ts",
    "keyhook/express": "presets/express.ts",
    "keyhook/next": "presets/next.ts",
    "keyhook/minimal": "presets/minimal.ts",
    "keyhook/sveltekit": "presets/sveltekit.ts",
    "keyhook/adapters/store": "plugins/adapters/store.ts",
    "keyhook/migrations/next-auth-4": "plugins/migrations/next-auth-4.ts",
    "keyhook/providers/nodemailer": "plugins/providers/nodemailer.ts",
    "keyhook/stores/memory": "plugins/stores/memory.ts",
  };
  return {
    path,
    write(name, text) {
      const linked = Object.entries(sources).reduce(
        (code, [from, to]) => code.replaceAll(`"${from}"`, `"${pathToFileURL(root + to).href}"`),
        text,
      );
      writeFileSync(join(path, name), linked);
    },
    run: (args, { env = {}, node = [] } = {}) =>
      new Promise((resolve) => {
        execFile(
          process.execPath,
          ["--disable-warning=ExperimentalWarning", ...node, `${root}src/cli.ts`, ...args],
          { cwd: path, env: { ...SHARED, ...env } },
          (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
        );
      }),
  };
}
