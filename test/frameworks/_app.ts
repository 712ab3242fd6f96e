import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, startOp } from "../_op.ts";

const room = fileURLToPath(new URL(".", import.meta.url));

/** Whether `npm run test:frameworks` has installed the frameworks. On CI this is required. */
export const isInstalled: boolean = existsSync(`${room}next-16/node_modules/keyhook/package.json`);
if (!isInstalled) {
  if (process.env.KEYHOOK_FRAMEWORKS) throw new Error("The frameworks are not installed.");
  console.warn("the frameworks are not installed: skipped (npm run test:frameworks)");
}

/** Returns the path of a file in a package, in the version that this folder's application has installed. */
export function findFile(name: string, dependency: string, file: string): string {
  const { resolve } = createRequire(`${room}${name}/package.json`);
  return join(dirname(resolve(`${dependency}/package.json`)), file);
}

/** A running production build of an application. */
export interface App {
  readonly origin: string;
  readonly op: Op;
  /** Its output since the start, including the build's. */
  readonly output: () => string;
  /** Opens a browser with its own cookies. */
  open(): Browser;
  close(): Promise<void>;
}

/** A production build that runs in Node. */
export interface NodeApp extends App {
  /** Starts another process of the same build, which is reached at the same origin. */
  join(): Promise<App>;
  /**
   * Starts another process of the same build, with its own origin and further variables. Passkeys can be bound to the
   * host `localhost`.
   */
  startAnother(env: NodeJS.ProcessEnv, host?: string): Promise<App>;
}

/** Bindings of a worker, besides the variables. */
export interface WorkerBindings {
  readonly d1Databases?: string[];
  readonly kvNamespaces?: string[];
}

interface Command {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The program. Default: Node. */
  readonly runtime?: string | undefined;
}

function run(
  args: readonly string[],
  { cwd, env, runtime = process.execPath }: Command,
): [ChildProcess, () => string] {
  let text = "";
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(runtime, args, { cwd, env: { ...env, PATH: path } });
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

// An application whose boot was refused also responds.
async function isListening(origin: string): Promise<boolean> {
  return fetch(`${origin}/auth/csrf`).then(
    () => true,
    () => false,
  );
}

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

// Without the variables of vitest, which indicate a test environment.
function getPlainEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NODE_ENV: "production", CI: "1", NEXT_TELEMETRY_DISABLED: "1" };
}

// Folders that an earlier build may have left.
const OUTPUTS = [".output", ".next", ".svelte-kit", "build", "dist", ".react-router"];

async function build(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const cwd = `${room}${name}`;
  // A build of another preset, next to the first build.
  const outputs = env.OUTPUT_DIR ? [env.OUTPUT_DIR] : OUTPUTS;
  for (const output of outputs) rmSync(`${cwd}/${output}`, { recursive: true, force: true });
  const [builder, written] = run(args, { cwd, env: { ...getPlainEnv(), ...env } });
  const [code] = (await once(builder, "exit")) as [number];
  if (code !== 0) throw new Error(`${name} could not be built:\n${written()}`);
  return written();
}

/** Runs a command in the folder of an application, and resolves to its output. */
export async function runIn(name: string, args: readonly string[]): Promise<string> {
  const [command, written] = run(args, { cwd: `${room}${name}`, env: getPlainEnv() });
  const [code] = (await once(command, "exit")) as [number];
  return `exit ${code}\n${written()}`;
}

const getVariables = (origin: string, op: Op) => ({
  NODE_ENV: "production",
  AUTH_URL: origin,
  AUTH_SECRET: "a-secret-of-the-frameworks-tests-0123456789",
  OP_ISSUER: op.issuer,
  OP_ID: CLIENT_ID,
  OP_SECRET: CLIENT_SECRET,
});

const openBrowser = (origin: string, basePath?: string): Browser =>
  createBrowser((request) => fetch(request, { redirect: "manual" }), {
    origin,
    ...(basePath !== undefined && { basePath }),
  });

// Opens a browser whose requests a load balancer sends to another process.
const openBehind = (origin: string, port: number): Browser =>
  createBrowser(
    async (request) => {
      const { url, method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const target = Object.assign(new URL(url), { port: `${port}` });
      return fetch(target, { method, headers, body, redirect: "manual" });
    },
    { origin },
  );

interface Served {
  readonly port: number;
  readonly output: () => string;
  close(): Promise<void>;
}

/** Starts a server, whose environment may depend on its port. */
async function serve(
  args: readonly string[],
  cwd: string,
  getEnv: (port: number) => NodeJS.ProcessEnv,
  {
    host = "127.0.0.1",
    signal = "SIGKILL",
    runtime,
  }: { host?: string; signal?: NodeJS.Signals; runtime?: string | undefined } = {},
): Promise<Served> {
  const port = await findPort();
  const env = { ...getEnv(port), PORT: `${port}`, HOST: host };
  const [server, output] = run(args, { cwd, env, runtime });
  for (let attempt = 0; !(await isListening(`http://${host}:${port}`)); attempt++) {
    if (attempt > 1200 || server.exitCode !== null) {
      throw new Error(`The application in ${cwd} did not start:\n${output()}`);
    }
    await pause(50);
  }
  return {
    port,
    output,
    async close() {
      const ended = server.exitCode === null ? once(server, "exit") : undefined;
      server.kill(signal);
      await ended;
    },
  };
}

/** How `startApp` builds and starts an application. */
interface AppOptions {
  /** The environment of the build. */
  env?: NodeJS.ProcessEnv;
  /** Arguments of Node that start the server. Default: the output of Nitro. */
  command?: readonly string[];
  /** Where its routes are. Default `/auth`. */
  basePath?: string;
  /** Environment of the server, over the common one. */
  variables?: NodeJS.ProcessEnv;
  /** The program that starts the server instead of Node. */
  runtime?: string;
}

/** Builds an application of this folder for production, unless `args` are empty, and starts it in Node. */
export async function startApp(
  name: string,
  args: readonly string[],
  {
    env = {},
    command = [".output/server/index.mjs"],
    basePath,
    variables = {},
    runtime,
  }: AppOptions = {},
): Promise<NodeApp> {
  const cwd = `${room}${name}`;
  const written = args.length ? await build(name, args, env) : "";
  const op = await startOp();
  const start = (getEnv: (port: number) => NodeJS.ProcessEnv) =>
    serve(command, cwd, (port) => ({ ...getPlainEnv(), ...getEnv(port), ...variables }), {
      runtime,
    });
  const first = await start((port) => getVariables(`http://127.0.0.1:${port}`, op));
  const origin = `http://127.0.0.1:${first.port}`;
  return {
    origin,
    op,
    output: () => written + first.output(),
    open: () => openBrowser(origin, basePath),
    async join() {
      const { port, output, close } = await start(() => getVariables(origin, op));
      return { origin, op, output, open: () => openBehind(origin, port), close };
    },
    async startAnother(more, host = "127.0.0.1") {
      const toOrigin = (port: number) => `http://${host}:${port}`;
      const other = await start((port) => ({ ...getVariables(toOrigin(port), op), ...more }));
      const place = toOrigin(other.port);
      return {
        origin: place,
        op,
        output: other.output,
        open: () => openBrowser(place),
        close: other.close,
      };
    },
    async close() {
      await first.close();
      await op.close();
    },
  };
}

/**
 * Starts the development server of an application of this folder.
 * @param onFault Called with each response that explains why the application does not start.
 */
export async function startDevelopment(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  onFault?: (text: string) => void,
): Promise<App> {
  const op = await startOp();
  const { NODE_ENV: _, ...plain } = getPlainEnv();
  const host = "localhost";
  const server = await serve(
    args,
    `${room}${name}`,
    (port) => ({
      ...plain,
      NODE_ENV: "development",
      OP_ISSUER: `http://${host}:${port}`,
      OP_ID: "id",
      ...env,
    }),
    { host, signal: "SIGTERM" },
  );
  const origin = `http://${host}:${server.port}`;
  // The server listens before it has finished building. Until then it responds with 503, or with
  // 500 to requests that it already accepted.
  const read = async () => fetch(`${origin}/auth/session`);
  let response = await read();
  for (let attempt = 0; !response.ok; attempt++, response = await read()) {
    if (response.status === 500) onFault?.(await response.text());
    if (attempt > 300) throw new Error(`The application ${name} is not ready:\n${server.output()}`);
    await pause(100);
  }
  return {
    origin,
    op,
    output: server.output,
    open: () => openBrowser(origin),
    async close() {
      await server.close();
      await op.close();
    },
  };
}

/** Builds an application of this folder for Cloudflare Workers by Nitro, and starts it in workerd. */
export async function startWorker(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  bound: WorkerBindings = {},
): Promise<App> {
  const { OUTPUT_DIR = ".output" } = env;
  const written = await build(name, args, { ...env, NITRO_PRESET: "cloudflare_module" });
  return serveBuiltWorker(`${name}/${OUTPUT_DIR}`, { written, bound });
}

/** Starts a build of Nitro for Cloudflare Workers in workerd. */
export async function serveBuiltWorker(output: string, options: WorkerOptions): Promise<App> {
  const folder = `${room}${output}/server`;
  const chunks = globSync("**/*.{mjs,js}", { cwd: folder }).filter((file) => file !== "index.mjs");
  return serveWorker(folder, ["index.mjs", ...chunks], options);
}

interface WorkerOptions {
  /** The output of the build. */
  readonly written?: string;
  readonly bound?: WorkerBindings;
  /** Variables over the common ones. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts a folder of modules in workerd. The first module is the worker. */
export async function serveWorker(
  folder: string,
  files: readonly string[],
  { written = "", bound = {}, variables = {} }: WorkerOptions = {},
): Promise<App> {
  const op = await startOp();
  const port = await findPort();
  const origin = `http://127.0.0.1:${port}`;
  let said = "";
  const worker = new Miniflare({
    host: "127.0.0.1",
    port,
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["nodejs_compat"],
    modulesRoot: folder,
    modules: files.map((file) => ({ type: "ESModule" as const, path: `${folder}/${file}` })),
    bindings: { ...getVariables(origin, op), ...variables },
    ...bound,
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
