import type { Connection, LazyRequest } from "../types/request-source.ts";

/** What `handle` was told about requests that it has passed on, for the later calls of the same requests. */
export interface Connections {
  /** Keeps what a server knows about a request, but not how it sends the response to the routes. */
  keep(request: Request | LazyRequest | undefined, connection: Connection | undefined): undefined;
  /** Returns the connection of a request: as `handle` was told, else as the request itself states it. */
  find(request: Request | LazyRequest): Connection;
}

/** Creates the connections of an Auth, which are kept as long as their requests. */
export function createConnections(): Connections {
  const known = new WeakMap<object, Connection>();
  return {
    keep(request, connection) {
      // Requests of bindings and of srvx state their connection; calls of a binding with lazy ones have another request.
      if (!request || !connection || "ip" in request || "toRequest" in request) return undefined;
      const { ip, target, waitUntil } = connection;
      const { callsFunction } = request as Connection;
      known.set(request, { ip, target, waitUntil, callsFunction });
      return undefined;
    },
    find: (request) => known.get(request) ?? (request as Connection),
  };
}
