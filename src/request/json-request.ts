import { toRequest } from "../http/lazy-request.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Connection } from "../types/request-source.ts";

/**
 * Returns a copy of a request whose body, already read by then, is the posted fields as JSON, for
 * functions of the application that take the request. Server functions take the copy for that request: from the same address.
 */
export function toJsonRequest(ctx: AuthContext, fields: Record<string, unknown>): Request {
  const headers = new Headers(ctx.request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  const copy = new Request(ctx.url, { method: "POST", headers, body: JSON.stringify(fields) });
  return toRequest(copy, ctx.request as Connection);
}
