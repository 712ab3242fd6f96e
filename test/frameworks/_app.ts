import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Builds an application of this folder for production, and starts it. */
export async function startApp(name: string, build: readonly string[]): Promise<App> {
  const cwd = `${room}${name}`;
  const { PATH, HOME, TMPDIR } = process.env;
  // Nothing of vitest, which states a test environment.
  const plain: NodeJS.ProcessEnv = { PATH, HOME, TMPDIR, NODE_ENV: "production", CI: "1" };
  rmSync(`${cwd}/.output`, { recursive: true, force: true });
  const [builder, written] = run(build, { cwd, env: plain });
  const [code] = (await once(builder, "exit")) as [number];
  if (code !== 0) throw new Error(`${name} could not be built:\n${written()}`);

  const op = await startOp();
  const port = String(await findPort());
  const origin = `http://127.0.0.1:${port}`;
  const [server, said] = run([".output/server/index.mjs"], {
    cwd,
    env: {
      ...plain,
      PORT: port,
      HOST: "127.0.0.1",
      AUTH_URL: origin,
      AUTH_SECRET: "a-secret-of-the-frameworks-tests-0123456789",
      OP_ISSUER: op.issuer,
      OP_ID: CLIENT_ID,
      OP_SECRET: CLIENT_SECRET,
    },
  });
  for (let attempt = 0; !(await isListening(origin)); attempt++) {
    if (attempt > 200 || server.exitCode !== null) {
      throw new Error(`${name} did not start:\n${said()}`);
    }
    await pause(50);
  }
  return {
    origin,
    op,
    output: () => written() + said(),
    open: () => createBrowser((request) => fetch(request, { redirect: "manual" }), { origin }),
    async close() {
      const ended = server.exitCode === null ? once(server, "exit") : undefined;
      server.kill("SIGKILL");
      await ended;
      await op.close();
    },
  };
}
