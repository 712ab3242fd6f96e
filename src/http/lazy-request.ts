import type { LazyRequest } from "../types/request-source.ts";

/** Returns the Request of a request that may be lazy. */
export function toRequest(request: Request | LazyRequest): Request {
  return "toRequest" in request ? request.toRequest() : request;
}
