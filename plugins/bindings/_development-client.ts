import { type EventReader, type H3Event, isWebEvent } from "./_event.ts";

/** The header by which a development server's process passes a client's address to the worker that responds. */
const HEADER = "x-keyhook-client-address";

/** The parts of a Nitro (2 or 3) whose development server passes addresses. */
export interface DevelopmentServer {
  readonly options: {
    readonly dev: boolean;
    readonly devHandlers: object[];
  };
}

interface NodeRequest {
  readonly headers: Record<string, unknown>;
  readonly socket?: { readonly remoteAddress?: string };
}

function passAddress(event: H3Event): undefined {
  const node = (isWebEvent(event) ? event.req.runtime?.node?.req : event.node.req) as
    | NodeRequest
    | undefined;
  // Overwrites what the client has sent.
  const address = node?.socket?.remoteAddress ?? "";
  if (node) node.headers[HEADER] = address;
  if (isWebEvent(event)) event.req.headers.set(HEADER, address);
  return undefined;
}

/**
 * Makes a development server pass the address of each client. Its worker sees the server's address or none, and Nitro
 * would trust the client's own header.
 */
export function passClientAddresses({ options }: DevelopmentServer): void {
  if (!options.dev) return;
  const handler = Object.assign(passAddress, { __is_handler__: true as const });
  options.devHandlers.unshift({ route: "", handler });
}

/** Returns a reader for the worker of a development server, which uses the client address that the server passed. */
export function readClientAddresses(read: EventReader): EventReader {
  return (event) => {
    const { source, connection } = read(event);
    const ip = source.req.headers.get(HEADER) || undefined;
    // Server functions read the address from the request.
    Object.defineProperty(source.req, "ip", { value: ip, configurable: true, writable: true });
    return { source, connection: { ...connection, ip } };
  };
}
