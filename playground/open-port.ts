import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A port that is open on every requested address. */
export interface OpenPort {
  readonly port: number;
  /** Handles requests with the listener. */
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

const TRIES = 20;

function getCode(error: unknown): string | undefined {
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

// A port that is taken on one address counts as taken, because `localhost` can mean either address.
async function listenOnAll(wanted: number, hosts: readonly string[]): Promise<OpenPort> {
  const servers: Server[] = [];
  let port = wanted;
  for (const host of hosts) {
    try {
      const server = await listen(port, host);
      servers.push(server);
      port = (server.address() as AddressInfo).port;
    } catch (error) {
      // The machine has no IPv6.
      if (servers.length && /EADDRNOTAVAIL|EAFNOSUPPORT/.test(getCode(error) ?? "")) continue;
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

/** Opens the wanted port, or the next free one; 0 lets the system choose. */
export async function openPort(wanted: number, hosts: readonly string[]): Promise<OpenPort> {
  for (let tried = 0; ; tried++) {
    try {
      return await listenOnAll(wanted && wanted + tried, hosts);
    } catch (error) {
      if (getCode(error) !== "EADDRINUSE" || tried === TRIES) throw error;
    }
  }
}
