/**
 * Returns `basePath` of the application's `next.config`, which Next.js writes into its bundles. Route handlers see paths
 * without it.
 */
export function getNextBase(): string {
  return process.env.__NEXT_ROUTER_BASEPATH ?? "";
}

/**
 * Returns the URL of a request of the routes, each of which has one path: with `trailingSlash` of `next.config`, Next.js
 * leads all requests to the path with a slash, and writes that into its bundles too.
 */
export function toRouteUrl(request: Pick<Request, "url">): string {
  const url = toPublicUrl(request);
  if (!process.env.__NEXT_TRAILING_SLASH) return url;
  const parsed = new URL(url);
  parsed.pathname = parsed.pathname.replace(/\/$/, "");
  return parsed.href;
}

/** Returns the URL of a request of a route handler as the browser knows it. */
export function toPublicUrl({ url }: Pick<Request, "url">): string {
  const base = getNextBase();
  if (!base) return url;
  const parsed = new URL(url);
  parsed.pathname = base + parsed.pathname;
  return parsed.href;
}
