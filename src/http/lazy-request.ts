import type { LazyRequest } from "../types/auth.ts";

/** Returns the Request of a request that may be lazy. */
export function toRequest(request: Request | LazyRequest): Request {
  return "toRequest" in request ? request.toRequest() : request;
}
