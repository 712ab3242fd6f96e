import type { LazyRequest } from "../types/request-source.ts";

/** Returns whether a request accepts HTML. */
export function wantsPage({ headers }: Pick<LazyRequest, "headers">): boolean {
  return headers.get("accept")?.includes("text/html") ?? false;
}

/**
 * Returns whether a script asks for JSON, of errors and redirects too. The clients of Auth.js read both from a URL, and say so by
 * `x-auth-return-redirect`.
 */
export function wantsJson({ headers }: Pick<LazyRequest, "headers">): boolean {
  return wantsData({ headers }) && headers.get("x-auth-return-redirect") === null;
}

/** Returns whether a request asks for JSON: of a page, for its data, which the application shows in a page of its own. */
export function wantsData({ headers }: Pick<LazyRequest, "headers">): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("application/json") && !accept.includes("text/html");
}
