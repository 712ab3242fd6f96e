import { toRequest } from "../http/lazy-request.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Connection } from "../types/request-source.ts";

/**
 * Returns a copy of a request, whose body has been read, with the posted fields as JSON. It is for functions of the
 * application that accept the request. The copy keeps the connection, so server functions see the same client address.
 */
export function toJsonRequest(ctx: AuthContext, fields: Record<string, unknown>): Request {
  const headers = new Headers(ctx.request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  const copy = new Request(ctx.url, { method: "POST", headers, body: JSON.stringify(fields) });
  return toRequest(copy, ctx.request as Connection);
}
