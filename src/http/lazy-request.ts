import type { Connection, LazyRequest } from "../types/request-source.ts";

/**
 * Returns the Request of a request that may be lazy. The Request carries the connection's address: functions of the
 * application pass it to server functions, which decide by that address.
 */
export function toRequest(
  request: Request | LazyRequest,
  { ip }: Pick<Connection, "ip"> = {},
): Request {
  const made = "toRequest" in request ? request.toRequest() : request;
  return ip === undefined || "ip" in made ? made : Object.assign(made, { ip });
}
