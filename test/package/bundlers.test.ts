import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntryPoint, sources } from "../../build.config.ts";

// The build, not the packed package: `npm run test:package` creates it. The third bundler is that
// of Next.js, in `test/frameworks/next.test.ts`.
const root = fileURLToPath(new URL("../..", import.meta.url));
const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Their code is compiled with the application.
const APART = ["nuxt", "svelte", "sveltekit"];

/** The built file of each entry point, by a name for its bundle. */
const entries = Object.fromEntries(
  sources
    .map((file) => [getEntryPoint(file)?.slice(2) || "index", file] as const)
    .filter(([name, file]) => getEntryPoint(file) !== undefined && !APART.includes(name))
    .map(([name, file]) => [name, join(root, "dist", file.replace(/\.ts$/, ".js"))]),
);

const optional = Object.keys(peerDependencies).filter((name) => !["react", "vue"].includes(name));
const define = { "process.env.NODE_ENV": '"production"' };

let dir: string;

const bundlers = {
  async esbuild(outdir: string) {
    await esbuild.build({
      entryPoints: entries,
      ...{ outdir, bundle: true, splitting: true, minify: true, format: "esm", target: "es2023" },
      ...{ platform: "browser", conditions: ["worker"], mainFields: ["module", "main"], define },
      ...{ external: [...optional, "node:*"], outExtension: { ".js": ".mjs" } },
      logLevel: "error",
    });
  },
  async rolldown(outdir: string) {
    const bundle = await rolldown({
      input: entries,
      platform: "browser",
      logLevel: "silent",
      resolve: { conditionNames: ["worker", "import"], mainFields: ["module", "main"] },
      transform: { define },
      external: [...optional.map((name) => new RegExp(`^${name}(?:/|$)`)), /^node:/],
    });
    await bundle.write({
      ...{ dir: outdir, format: "esm", minify: true },
      ...{ entryFileNames: "[name].mjs", chunkFileNames: "_chunks/[name]-[hash].mjs" },
    });
    await bundle.close();
  },
};

/**
 * Evaluates modules where code generation from strings is off, and every member of `process` except
 * `env` throws, as on the edge. Returns the failures, by file.
 */
function evaluate(files: readonly string[]): Record<string, string> {
  const script = join(dir, "evaluate.mjs");
  writeFileSync(
    script,
    `const write = process.stdout.write.bind(process.stdout);
    const explain = (name) => { throw new Error("process." + String(name) + " is not available"); };
    const env = {};
    globalThis.process = new Proxy({}, { get: (_, name) => (name === "env" ? env : explain(name)) });
    const failures = {};
    for (const file of ${JSON.stringify(files)})
      await import(file).catch((error) => { failures[file] = error.stack; });
    write(JSON.stringify(failures));`,
  );
  const args = ["--disallow-code-generation-from-strings", script];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: dir, encoding: "utf8" }));
}

beforeAll(() => {
  // The folder where external modules are resolved.
  dir = mkdtempSync(join(root, "node_modules/.bundles-"));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.each(Object.entries(bundlers))("every entry point, bundled by %s", (name, bundle) => {
  let files: string[];
  beforeAll(async () => {
    await bundle(join(dir, name));
    files = globSync("**/*.mjs", { cwd: join(dir, name) });
  });

  it("no bundle has code that creates functions from text, or requires a module", () => {
    expect(files.length).toBeGreaterThan(70);
    for (const file of files) {
      const text = readFileSync(join(dir, name, file), "utf8");
      const found = /\bnew Function\b|(?<![.\w])eval\(|(?<![.\w])require\(["']/.exec(text)?.[0];
      expect(found, file).toBeUndefined();
    }
  });

  it("bundles that an edge runtime can load import no Node module while loading", () => {
    const importing = files.filter((file) => {
      const text = readFileSync(join(dir, name, file), "utf8");
      return /(?:from|import)\s*["']node:/.test(text);
    });
    expect(importing).toEqual([]);
  });

  it("every bundle is evaluated without code from text, with a `process` whose members throw", () => {
    const paths = Object.keys(entries).map((entry) => join(dir, name, `${entry}.mjs`));
    expect(evaluate(paths)).toEqual({});
  });
});
