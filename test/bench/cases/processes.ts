import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import type { After, Case, Round, Sides } from "../measure.ts";
import { here, root } from "../setup.ts";

const NAMES = { ours: "keyhook", "@auth/core": "core", "better-auth": "better", "bare h3": "h3" };

function spent(args: string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args, { cwd: here, stdio: "pipe" });
  return performance.now() - start;
}

/** Measures the milliseconds to the first response, minus those of a process that does nothing. */
const firstAnswer = (app: string): Round => {
  const time = (name: string) => spent(["first.ts", name]);
  return () => time(app) - time("empty");
};

/** Bundles an application into one file. */
async function bundled(contents: string, platform: "node" | "browser"): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    ...{ bundle: true, minify: true, write: false, format: "esm", platform },
    ...{ external: ["node:*"], conditions: ["workerd", "worker"], logLevel: "error" },
    // What bundlers for Node add: some packages of the others are CommonJS.
    ...(platform === "node" && {
      conditions: [],
      banner: {
        js: 'import { createRequire as createBannerRequire } from "node:module"; const require = createBannerRequire(import.meta.url);',
      },
    }),
  });
  return outputFiles?.[0]?.text ?? "";
}

const PATHS = '["/auth/session", "/auth/get-session"]';

/** Measures the milliseconds of a whole process to its first response, from node_modules. */
const wholeProcess = (app: string): Round => {
  return () => spent(["first.ts", app]);
};

/** Measures the same of an application in one file. */
async function bundledProcess(app: string, after: After): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-bench-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.mjs");
  const text = `import answer from "./apps/${app}.ts";
    for (const path of ${PATHS}) {
      const response = await answer(new Request("http://localhost:3000" + path));
      if ((await response.text(), response.status === 200)) process.exit(0);
    }
    process.exit(1);`;
  writeFileSync(file, await bundled(text, "node"));
  return () => spent([file]);
}

/** Measures the milliseconds from the start of workerd to the first response, minus those of an empty worker. */
async function firstOnWorkerd(app: string): Promise<Round> {
  const load = (name: string) =>
    bundled(`import answer from "./apps/${name}.ts"; export default { fetch: answer };`, "browser");
  const [script, empty] = [await load(app), await load("empty")];
  const time = async (text: string): Promise<number> => {
    const start = performance.now();
    const worker = new Miniflare({
      // As a list: imports are not looked for in the text.
      modules: [{ type: "ESModule", path: "worker.mjs", contents: text }],
      compatibilityDate: "2026-01-01",
      compatibilityFlags: ["nodejs_compat"],
    });
    try {
      for (const path of JSON.parse(PATHS) as string[]) {
        const response = await worker.dispatchFetch(`http://localhost:3000${path}`);
        await response.text();
        if (response.status === 200) return performance.now() - start;
      }
      throw new Error(`${app} did not answer on workerd`);
    } finally {
      await worker.dispose();
    }
  };
  return async () => (await time(script)) - (await time(empty));
}

const typeCheck = (app: string): Round => {
  const options =
    "--ignoreConfig --noEmit --skipLibCheck --strict --target es2023 --module nodenext";
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  return () => spent([tsc, ...options.split(" "), "--types", "node", `apps/${app}.ts`]);
};

const each = (
  make: (app: string, after: After) => Round | Promise<Round>,
  names: Record<string, string> = NAMES,
) =>
  Object.fromEntries(
    Object.entries(names).map(([side, app]) => [side, (after: After) => make(app, after)]),
  ) as Sides;

export const cases: Case[] = [
  {
    name: "cold start, first answer over bare node",
    unit: "ms",
    target: 0.4,
    rounds: 11,
    sides: each(firstAnswer),
  },
  {
    name: "cold start, whole process",
    unit: "ms",
    target: 0.7,
    rounds: 11,
    sides: each(wholeProcess),
  },
  {
    name: "cold start, whole process, bundled into one file",
    unit: "ms",
    target: 0.8,
    rounds: 11,
    sides: each(bundledProcess),
  },
  {
    name: "cold start on workerd, first answer over an empty worker",
    unit: "ms",
    target: 0.8,
    rounds: 11,
    sides: each(firstOnWorkerd, { ours: "keyhook", "@auth/core": "core", "bare h3": "h3" }),
  },
  {
    name: "type-check of a small application",
    unit: "ms",
    target: 1,
    rounds: 5,
    sides: each(typeCheck, {
      ours: "keyhook",
      "@auth/core": "core",
      "better-auth": "better",
      empty: "empty",
    }),
  },
];
