import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A port that is open, on every address it was asked for. */
export interface OpenPort {
  readonly port: number;
  /** Puts the answers behind it. */
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

const TRIES = 20;

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function listen(port: number, host: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}

async function close(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}

// A taken port on one of the addresses is a taken port: `localhost` may mean either.
async function listenOnAll(wanted: number, hosts: readonly string[]): Promise<OpenPort> {
  const servers: Server[] = [];
  let port = wanted;
  for (const host of hosts) {
    try {
      const server = await listen(port, host);
      servers.push(server);
      port = (server.address() as AddressInfo).port;
    } catch (error) {
      // A machine without IPv6.
      if (servers.length && /EADDRNOTAVAIL|EAFNOSUPPORT/.test(codeOf(error) ?? "")) continue;
      await close(servers);
      throw error;
    }
  }
  return {
    port,
    serve(listener) {
      for (const server of servers) server.on("request", listener);
    },
    close: () => close(servers),
  };
}

/** Opens the wanted port, or the next one that is free; 0 leaves the choice to the system. */
export async function openPort(wanted: number, hosts: readonly string[]): Promise<OpenPort> {
  for (let tried = 0; ; tried++) {
    try {
      return await listenOnAll(wanted && wanted + tried, hosts);
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE" || tried === TRIES) throw error;
    }
  }
}
