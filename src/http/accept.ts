import type { LazyRequest } from "../types/request-source.ts";

/**
 * Returns whether the response is shown as a page: the request accepts HTML, or a browser navigates. Scripts cannot set
 * `Sec-Fetch-Mode`, and their `fetch` accepts everything (any type, not HTML by name) unless they say otherwise.
 */
export function wantsPage({ headers }: Pick<LazyRequest, "headers">): boolean {
  const isNavigation = headers.get("sec-fetch-mode") === "navigate";
  return isNavigation || (headers.get("accept")?.includes("text/html") ?? false);
}

/**
 * Returns whether a script asks for JSON, for errors and redirects too. Clients of Auth.js read both from a URL, and
 * indicate that with `x-auth-return-redirect`.
 */
export function wantsJson({ headers }: Pick<LazyRequest, "headers">): boolean {
  return wantsData({ headers }) && headers.get("x-auth-return-redirect") === null;
}

/**
 * Returns whether a request asks for JSON. For a page, that is the page's data, which the application shows in its own
 * page.
 */
export function wantsData({ headers }: Pick<LazyRequest, "headers">): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("application/json") && !accept.includes("text/html");
}
