import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, startOp } from "../_op.ts";

const room = fileURLToPath(new URL(".", import.meta.url));

/** Whether `npm run test:frameworks` has installed the frameworks. On CI they must be. */
export const isInstalled: boolean = existsSync(`${room}node_modules/keyhook/package.json`);
if (!isInstalled) {
  if (process.env.KEYHOOK_FRAMEWORKS) throw new Error("The frameworks are not installed.");
  console.warn("the frameworks are not installed: skipped (npm run test:frameworks)");
}

/** A production build of an application that was started. */
export interface App {
  readonly origin: string;
  readonly op: Op;
  /** What it has written since it started, its build included. */
  readonly output: () => string;
  /** Opens a browser of its own cookies. */
  open(): Browser;
  close(): Promise<void>;
}

interface Command {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

function run(args: readonly string[], { cwd, env }: Command): [ChildProcess, () => string] {
  let text = "";
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(process.execPath, args, { cwd, env: { ...env, PATH: path } });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  return [child, () => text];
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function isListening(origin: string): Promise<boolean> {
  return fetch(`${origin}/auth/csrf`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

// Nothing of vitest, which states a test environment.
function getPlainEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NODE_ENV: "production", CI: "1" };
}

async function build(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const cwd = `${room}${name}`;
  rmSync(`${cwd}/.output`, { recursive: true, force: true });
  const [builder, written] = run(args, { cwd, env: { ...getPlainEnv(), ...env } });
  const [code] = (await once(builder, "exit")) as [number];
  if (code !== 0) throw new Error(`${name} could not be built:\n${written()}`);
  return written();
}

interface Start {
  readonly origin: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: NodeJS.Signals;
}

async function start(name: string, args: readonly string[], { origin, env, signal }: Start) {
  const [server, said] = run(args, { cwd: `${room}${name}`, env });
  const end = async (): Promise<void> => {
    const ended = server.exitCode === null ? once(server, "exit") : undefined;
    server.kill(signal);
    await ended;
  };
  for (let attempt = 0; !(await isListening(origin)); attempt++) {
    if (attempt > 1200 || server.exitCode !== null) {
      await end();
      throw new Error(`${name} did not start:\n${said()}`);
    }
    await pause(50);
  }
  return { said, end };
}

const getVariables = (origin: string, op: Op) => ({
  NODE_ENV: "production",
  AUTH_URL: origin,
  AUTH_SECRET: "a-secret-of-the-frameworks-tests-0123456789",
  OP_ISSUER: op.issuer,
  OP_ID: CLIENT_ID,
  OP_SECRET: CLIENT_SECRET,
});

const openBrowser = (origin: string): Browser =>
  createBrowser((request) => fetch(request, { redirect: "manual" }), { origin });

/** Builds an application of this folder for production, and starts it in Node. */
export async function startApp(name: string, args: readonly string[]): Promise<App> {
  const written = await build(name, args);
  const op = await startOp();
  const port = await findPort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...getPlainEnv(), ...getVariables(origin, op), PORT: `${port}`, HOST: "127.0.0.1" };
  const started = await start(name, [".output/server/index.mjs"], {
    origin,
    env,
    signal: "SIGKILL",
  });
  return {
    origin,
    op,
    output: () => written + started.said(),
    open: () => openBrowser(origin),
    async close() {
      await started.end();
      await op.close();
    },
  };
}

/** Starts the development server of an application of this folder. */
export async function startDevelopment(
  name: string,
  args: readonly string[],
): Promise<Omit<App, "op">> {
  const port = await findPort();
  const origin = `http://localhost:${port}`;
  const env = { ...getPlainEnv(), NODE_ENV: "development", OP_ISSUER: origin, OP_ID: "id" };
  const address = ["--port", `${port}`, "--host", "localhost"];
  // It ends the processes that it has started.
  const { said, end } = await start(name, [...args, ...address], {
    origin,
    env,
    signal: "SIGTERM",
  });
  return { origin, output: said, open: () => openBrowser(origin), close: end };
}

/** Builds an application of this folder for Cloudflare Workers, and starts it in workerd. */
export async function startWorker(name: string, args: readonly string[]): Promise<App> {
  const written = await build(name, args, { NITRO_PRESET: "cloudflare_module" });
  const op = await startOp();
  const port = await findPort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = `${room}${name}/.output/server`;
  const chunks = globSync("**/*.{mjs,js}", { cwd: folder }).filter((file) => file !== "index.mjs");
  let said = "";
  const worker = new Miniflare({
    host: "127.0.0.1",
    port,
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["nodejs_compat"],
    modulesRoot: folder,
    modules: ["index.mjs", ...chunks].map((file) => ({
      type: "ESModule" as const,
      path: `${folder}/${file}`,
    })),
    bindings: getVariables(origin, op),
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (said += text));
      }
    },
  });
  await worker.ready;
  return {
    origin,
    op,
    output: () => written + said,
    open: () => openBrowser(origin),
    async close() {
      await worker.dispose();
      await op.close();
    },
  };
}
