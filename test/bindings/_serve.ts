import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { toAppBody, type Site } from "./_suite.ts";

export interface Served extends Site {
  port: number;
  close(): Promise<void>;
}

export async function served(server: Server): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    fetch: (request) => fetch(request),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const listen = (listener: RequestListener): Promise<Served> =>
  served(createServer(listener));

/** The final handler of the application, for frameworks on `node:http`. */
export function nodeApp(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  const answer = () => res.end(toAppBody(req.method ?? "", Buffer.concat(chunks).toString()));
  // A body parser may have run before.
  if (req.readableEnded) return void answer();
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", answer);
}

/** A raw connection to a server, for requests that a client would not send. */
export interface Wire {
  socket: Socket;
  write(text: string): void;
  /** Reads the next response by its Content-Length or chunks; `undefined` if the server closed the connection. */
  answer(): Promise<{ status: number; head: string; body: string } | undefined>;
  close(): void;
}

export async function dial(port: number): Promise<Wire> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let ended = false;
  let wake = () => {};
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  socket.on("end", end);
  socket.on("error", end);
  socket.on("close", end);
  await new Promise<void>((resolve) => socket.once("connect", resolve));

  const complete = () => {
    const split = received.indexOf("\r\n\r\n");
    if (split < 0) return undefined;
    const head = received.slice(0, split);
    const rest = received.slice(split + 4);
    const status = Number(head.split(" ", 2)[1]);
    if (/^transfer-encoding: *chunked/im.test(head)) {
      let body = "";
      for (let at = 0; ;) {
        const line = rest.indexOf("\r\n", at);
        if (line < 0) return undefined;
        const size = Number.parseInt(rest.slice(at, line), 16);
        const end = line + 2 + size + 2;
        if (rest.length < end) return undefined;
        body += rest.slice(line + 2, end - 2);
        at = end;
        if (size > 0) continue;
        received = rest.slice(at);
        return { status, head, body };
      }
    }
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (rest.length < length) return undefined;
    received = rest.slice(length);
    return { status, head, body: rest.slice(0, length) };
  };

  return {
    socket,
    write: (text) => void socket.write(text, "latin1"),
    async answer() {
      for (;;) {
        const found = complete();
        if (found) return found;
        if (ended) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => socket.destroy(),
  };
}
