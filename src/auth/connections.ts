import type { Connection, LazyRequest } from "../types/request-source.ts";

/** The connections that `handle` received with requests that it passed on, for later calls with the same requests. */
export interface Connections {
  /** Keeps the connection of a request, except the fields that only matter for the responses of routes. */
  keep(request: Request | LazyRequest | undefined, connection: Connection | undefined): undefined;
  /** Returns the connection that `handle` received with a request, or else the one that the request itself has. */
  find(request: Request | LazyRequest): Connection;
}

/** Creates the connections of an Auth. Each one is kept as long as its request. */
export function createConnections(): Connections {
  const known = new WeakMap<object, Connection>();
  return {
    keep(request, connection) {
      // Requests of bindings and of srvx have their own connection. Bindings with lazy requests pass another object to
      // calls.
      if (!request || !connection || "ip" in request || "toRequest" in request) return undefined;
      const { ip, target, waitUntil } = connection;
      const { callsFunction, isNavigation } = request as Connection;
      known.set(request, { ip, target, waitUntil, callsFunction, isNavigation });
      return undefined;
    },
    find: (request) => known.get(request) ?? (request as Connection),
  };
}
