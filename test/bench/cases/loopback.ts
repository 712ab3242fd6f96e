import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Case, Side } from "../measure.ts";
import type { Listening, ServerName } from "../servers.ts";
import { here } from "../setup.ts";

const CONNECTIONS = 32;
const SECONDS = 0.7;

/** Measures responses per second over keep-alive connections, each with one pending request. */
async function load({ port, cookie }: Listening): Promise<number> {
  const text = `GET /auth/session HTTP/1.1\r\nhost: localhost:${port}\r\ncookie: ${cookie}\r\n\r\n`;
  const request = Buffer.from(text);
  let answers = 0;
  let failure: Error | undefined;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setNoDelay(true);
    socket.on("data", (data) => {
      // The end of a chunked response may arrive separately.
      if (data.toString("latin1") === "0\r\n\r\n") return;
      if (!data.includes("Ada Lovelace")) failure ??= new Error(`wrong answer: ${data.toString()}`);
      answers++;
      socket.write(request);
    });
    return socket;
  });
  // Each response wakes a sleeping client, at the server's cost: a slower server would pay more
  // often.
  let isOver = false;
  const poll = () => void (isOver || setImmediate(poll));
  poll();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  isOver = true;
  for (const socket of sockets) socket.destroy();
  if (failure) throw failure;
  return answers / SECONDS;
}

/** Starts a server in a separate process from that of its client. */
const throughput =
  (name: ServerName): Side =>
  async (after) => {
    const child = fork(`${here}serve.ts`, [name], { stdio: "inherit" });
    after(() => child.kill());
    const [listening] = (await once(child, "message")) as [Listening];
    await load(listening);
    return () => load(listening);
  };

/** Compares a server with others. `target` is the target of the ratio to the first of them. */
function beside(ours: ServerName, target: number, [against, ...others]: ServerName[]): Case {
  const sides = [against, ...others].map((name) => [name, throughput(name)]);
  return {
    name: `GET /session over loopback, ${ours}, of ${against}`,
    unit: "req/s",
    target,
    against,
    higherIsBetter: true,
    rounds: 11,
    sides: { ...Object.fromEntries(sides), ours: throughput(ours) },
  };
}

export const cases: Case[] = [
  ...(["h3", "node", "fetch"] as const).flatMap((face) => [
    beside(`keyhook ${face}`, 0.7, ["bare h3"]),
    beside(`keyhook ${face}`, 1, ["@fastify/secure-session", "@auth/core"]),
  ]),
  beside("keyhook h3, in memory", 1, ["@fastify/session", "@auth/core"]),
  beside("keyhook node, in memory", 1, ["@fastify/session"]),
];
