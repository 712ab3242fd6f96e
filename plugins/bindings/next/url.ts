import type { NextRequest } from "next/server";
import { parseUrl } from "../../../src/_kit.ts";

/**
 * Returns `basePath` of the application's `next.config`, which Next.js inlines into its bundles. Route handlers see
 * paths without it.
 */
export function getNextBase(): string {
  return process.env.__NEXT_ROUTER_BASEPATH ?? "";
}

/**
 * Returns the URL of a request for the routes, each of which has one path. With `trailingSlash` of `next.config`,
 * Next.js redirects all requests to the path with a slash. It inlines that setting too.
 */
export function toRouteUrl(request: Pick<Request, "url">): string {
  const url = toPublicUrl(request);
  if (!process.env.__NEXT_TRAILING_SLASH) return url;
  const parsed = new URL(url);
  parsed.pathname = parsed.pathname.replace(/\/$/, "");
  return parsed.href;
}

/**
 * Returns the public URL from the environment, whose origin applies to every request. `next start` behind a proxy knows
 * only its own address, such as `http://localhost:3000`.
 */
function getConfiguredUrl(): URL | undefined {
  const { AUTH_URL, NEXTAUTH_URL } = process.env;
  const url = parseUrl(AUTH_URL || NEXTAUTH_URL || "");
  // The URL parser reads `localhost:3000` as a URL with the scheme `localhost`.
  return url?.protocol.startsWith("http") ? url : undefined;
}

/**
 * Returns the request of a route handler or a proxy at the origin of `AUTH_URL`, as next-auth does. The application
 * derives redirects, links and targets of sign-ins from this URL.
 */
export async function toPublicRequest(request: NextRequest): Promise<NextRequest> {
  const configured = getConfiguredUrl();
  const { pathname, search, origin } = new URL(request.url);
  if (!configured || configured.origin === origin) return request;
  const { NextRequest: Made } = await import("next/server.js");
  const { protocol, hostname, port } = configured;
  // A clone keeps the `basePath` and the languages of `next.config`.
  const nextUrl = Object.assign(request.nextUrl.clone(), { protocol, hostname, port });
  const made = new Made(configured.origin + pathname + search, request);
  return Object.defineProperty(made, "nextUrl", { value: nextUrl });
}

/** Returns the URL of a route handler's request as the browser knows it. */
export function toPublicUrl({ url }: Pick<Request, "url">): string {
  const base = getNextBase();
  if (!base) return url;
  const parsed = new URL(url);
  parsed.pathname = base + parsed.pathname;
  return parsed.href;
}
