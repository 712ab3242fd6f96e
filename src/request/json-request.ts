import type { AuthContext } from "../types/kernel.ts";

/**
 * Returns a copy of a request whose body, already read by then, is the posted fields as JSON, for
 * functions of the application that take the request.
 */
export function toJsonRequest(ctx: AuthContext, fields: Record<string, unknown>): Request {
  const headers = new Headers(ctx.request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  return new Request(ctx.url, { method: "POST", headers, body: JSON.stringify(fields) });
}
