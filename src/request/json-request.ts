import type { AuthContext } from "../types/kernel.ts";

/**
 * Returns a copy of a request whose body, already read by then, is the posted fields as JSON, for
 * functions of the application that take the request.
 */
export function toJsonRequest(ctx: AuthContext, fields: Record<string, unknown>): Request {
  const { headers } = ctx.request;
  const body = JSON.stringify(fields);
  const request = new Request(ctx.url, { method: "POST", headers, body });
  request.headers.delete("content-length");
  request.headers.set("content-type", "application/json");
  return request;
}
