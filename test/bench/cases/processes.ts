import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { After, Case, Round, Sides } from "../measure.ts";
import { here, root } from "../setup.ts";
import { coreCookie, keyhookCookie } from "../subjects.ts";

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

const typeCheck = (app: string): Round => {
  const options =
    "--ignoreConfig --noEmit --skipLibCheck --strict --target es2023 --module nodenext";
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  return () => spent([tsc, ...options.split(" "), "--types", "node", `apps/${app}.ts`]);
};

const CONNECTIONS = 32;
const SECONDS = 0.7;

/** Measures responses per second over keep-alive connections, each with one pending request. */
async function load(port: number, cookie: string): Promise<number> {
  const text = `GET /auth/session HTTP/1.1\r\nhost: localhost:${port}\r\ncookie: ${cookie}\r\n\r\n`;
  const request = Buffer.from(text);
  let answers = 0;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setNoDelay(true);
    // A response fits into one packet.
    socket.on("data", (data) => {
      if (!data.includes("Ada Lovelace")) throw new Error(`wrong answer: ${data.toString()}`);
      answers++;
      socket.write(request);
    });
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  for (const socket of sockets) socket.destroy();
  return answers / SECONDS;
}

async function throughput(
  after: After,
  app: string,
  cookie: string | Promise<string> = "",
): Promise<Round> {
  const child = fork(`${here}serve.ts`, app.split(" "), { stdio: "inherit" });
  after(() => child.kill());
  const [port] = await once(child, "message");
  const sent = await cookie;
  await load(Number(port), sent);
  return () => load(Number(port), sent);
}

const each = (make: (app: string) => Round, names: Record<string, string> = NAMES) =>
  Object.fromEntries(Object.entries(names).map(([side, app]) => [side, () => make(app)])) as Sides;

export const cases: Case[] = [
  {
    name: "cold start, first answer over bare node",
    unit: "ms",
    target: 0.4,
    rounds: 11,
    sides: each(firstAnswer),
  },
  {
    name: "throughput over loopback",
    unit: "req/s",
    target: 12,
    higherIsBetter: true,
    rounds: 11,
    sides: {
      ours: (after) => throughput(after, "keyhook", keyhookCookie()),
      "@auth/core": (after) => throughput(after, "core", coreCookie()),
      "bare h3": (after) => throughput(after, "h3"),
      "ours with srvx's Response": (after) => throughput(after, "keyhook fast", keyhookCookie()),
    },
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
