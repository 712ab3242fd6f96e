import type { NextRequest } from "next/server";
import { parseUrl } from "../../../src/_kit.ts";

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

/**
 * Returns the origin that `AUTH_URL` states, which is that of every request for the application: `next start` behind a proxy
 * knows its own address only, such as `http://localhost:3000`.
 */
function getStatedOrigin(): string | undefined {
  const { AUTH_URL, NEXTAUTH_URL } = process.env;
  return parseUrl(AUTH_URL || NEXTAUTH_URL || "")?.origin;
}

/**
 * Returns the request of a route handler at the origin that `AUTH_URL` states, as next-auth does: what the application makes
 * of `request.url` are redirects and links. A proxy gets its request as it is, because Next.js takes a rewrite to
 * another origin for one to another server.
 */
export async function toPublicRequest(request: NextRequest): Promise<NextRequest> {
  const origin = getStatedOrigin();
  const { pathname, search, origin: own } = new URL(request.url);
  if (!origin || origin === own) return request;
  const { NextRequest: Made } = await import("next/server.js");
  return new Made(origin + pathname + search, request);
}

/** Returns the URL of a request of a route handler as the browser knows it. */
export function toPublicUrl({ url }: Pick<Request, "url">): string {
  const base = getNextBase();
  if (!base) return url;
  const parsed = new URL(url);
  parsed.pathname = base + parsed.pathname;
  return parsed.href;
}
