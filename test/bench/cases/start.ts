import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { bundle } from "../bundled.ts";
import type { After, Case, Round, Sides } from "../measure.ts";
import { here } from "../setup.ts";

const NAMES = {
  ours: "keyhook",
  "@auth/core": "core",
  "better-auth": "better",
  "keyhook/minimal": "minimal",
  "bare h3": "h3",
  floor: "empty",
};

/** The members in which the libraries return the session. The first that exists is used. */
const PATHS = '["/auth/session", "/auth/get-session"]';
const ORIGIN = "http://localhost:3000";

const each = (
  make: (app: string, after: After) => Promise<Round>,
  names: Record<string, string> = NAMES,
) =>
  Object.fromEntries(
    Object.entries(names).map(([side, app]) => [side, (after: After) => make(app, after)]),
  ) as Sides;

/**
 * Prepares a process that handles one request, with the libraries in node_modules or everything in
 * one file. Its types are stripped beforehand, because Node would load a compiler for them, which
 * takes longer than the rest.
 */
async function prepare(
  app: string,
  kind: "packages" | "node",
  after: After,
): Promise<() => number> {
  const folder = mkdtempSync(join(here, "node_modules/.start-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.mjs");
  const text = `import answer from "./apps/${app}.ts";
    for (const path of ${PATHS}) {
      const response = await answer(new Request("${ORIGIN}" + path));
      if ((await response.text(), response.status === 200)) process.exit(0);
    }
    process.exit(1);`;
  writeFileSync(file, await bundle(text, kind));
  const env = { ...process.env, NODE_ENV: "production" };
  return () => {
    const start = performance.now();
    execFileSync(process.execPath, [file], { cwd: here, stdio: "pipe", env });
    return performance.now() - start;
  };
}

/** Measures the milliseconds of a whole process to its first response. */
const wholeProcess = (kind: "packages" | "node") => (app: string, after: After) =>
  prepare(app, kind, after);

/** Measures the same, minus a process that returns a fixed response. */
async function overBareNode(app: string, after: After): Promise<Round> {
  const time = await prepare(app, "packages", after);
  const floor = await prepare("empty", "packages", after);
  return () => time() - floor();
}

/** Isolates that are started in sequence in a round. */
const ISOLATES = 5;

// Loads the worker again for each request: an isolate without a name is used once.
const LOADER = `export default {
  async fetch(_, { LOADER, SCRIPT }) {
    const code = {
      mainModule: "worker.js",
      modules: { "worker.js": SCRIPT },
      compatibilityDate: "2026-01-01",
      compatibilityFlags: ["nodejs_compat"],
    };
    for (let at = 0; at < ${ISOLATES}; at++) {
      const worker = LOADER.get(null, () => code).getEntrypoint();
      const response = await worker.fetch("${ORIGIN}/auth/session");
      await response.text();
      if (response.status !== 200) return new Response(null, { status: 500 });
    }
    return new Response();
  },
};`;

/**
 * Measures the milliseconds of a fresh isolate of workerd to its first response. One workerd loads
 * all isolates: a separate process takes hundreds of milliseconds to start, which would hide the
 * worker's time.
 */
async function onWorkerd(app: string, after: After): Promise<Round> {
  const text = `import answer from "./apps/${app}.ts"; export default { fetch: answer };`;
  const workerd = new Miniflare({
    // As a list, because imports are not detected in the text.
    modules: [{ type: "ESModule", path: "loader.mjs", contents: LOADER }],
    compatibilityDate: "2026-01-01",
    bindings: { SCRIPT: await bundle(text, "workerd") },
    workerLoaders: { LOADER: {} },
  });
  after(() => workerd.dispose());
  const time = async (): Promise<number> => {
    const start = performance.now();
    const response = await workerd.dispatchFetch(ORIGIN);
    if (response.status !== 200) throw new Error(`${app} did not answer on workerd`);
    return (performance.now() - start) / ISOLATES;
  };
  await time();
  return time;
}

export const cases: Case[] = [
  {
    name: "cold start, whole process",
    unit: "ms",
    target: 0.7,
    rounds: 21,
    sides: each(wholeProcess("packages")),
  },
  {
    name: "cold start, whole process, bundled into one file",
    unit: "ms",
    target: 0.8,
    rounds: 21,
    sides: each(wholeProcess("node")),
  },
  {
    name: "cold start, over a process with a fixed response",
    unit: "ms",
    target: 0.4,
    rounds: 21,
    sides: each(overBareNode, {
      ours: "keyhook",
      "@auth/core": "core",
      "better-auth": "better",
      "keyhook/minimal": "minimal",
      "bare h3": "h3",
    }),
  },
  {
    name: "cold start on workerd, a fresh isolate",
    unit: "ms",
    target: 0.8,
    rounds: 21,
    sides: each(onWorkerd, {
      ours: "keyhook",
      "@auth/core": "core",
      "keyhook/minimal": "minimal",
      "bare h3": "h3",
      floor: "empty",
    }),
  },
];
