import { callHook } from "../hooks/hooks.ts";
import { isSamePage } from "../http/target.ts";
import { andThen } from "../platform/awaitable.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

// oxlint-disable-next-line no-control-regex -- browsers drop some of them and parse the rest
const CONTROL = /[\u0000-\u001f\u007f\\]/;

/** Returns the URL if it has the given origin, else the origin. Paths are resolved against the origin. */
export function toSameOrigin(url: string, origin: string): string {
  if (CONTROL.test(url)) return origin;
  // `//evil.example` is resolved as a path, so that it does not become a host.
  const { href } = parseUrl(url.startsWith("/") ? origin + url : url) ?? {};
  // `new URL("blob:http://here/1").origin` is `http://here` too, so the text itself must begin with the origin.
  if (!href?.startsWith(`${origin}/`)) return origin;
  return url === origin ? url : href;
}

// Clients assign the target to `location`, where these schemes run scripts or show an attacker's content.
const ACTIVE = /^(?:javascript|data|vbscript|blob|file|about):$/;

// A tap may return a path of the public origin, or an absolute URL whose scheme is not active content.
function checked(target: string, origin: string): string {
  if (target.startsWith("/") || target.startsWith("\\")) return toSameOrigin(target, origin);
  const url = parseUrl(target);
  return url && !ACTIVE.test(url.protocol) ? target : origin;
}

/** Returns the redirect target that the `redirect` hook allows. Without a tap, only the public origin is allowed. */
export function safeRedirect(ctx: AuthContext, url: string): Awaitable<string> {
  const result = callHook(ctx.kernel.hooks.redirect, { url, baseUrl: ctx.origin }, ctx);
  return andThen(result, (target) =>
    typeof target === "string" && target !== ""
      ? checked(target, ctx.origin)
      : toSameOrigin(url, ctx.origin),
  );
}

/** Returns whether a redirect to a URL would lead a GET to the requested page, whatever its query. */
export function isHere(
  { request, origin }: Pick<AuthContext, "request" | "origin">,
  target: string,
): boolean {
  const page = new URL(target, origin);
  page.search = "";
  const isOwn = request.method === "GET" && page.origin === origin;
  return isOwn && isSamePage(page, new URL(request.url));
}

/**
 * Returns the absolute URL of a page, given as a path or URL, with query parameters set. `undefined` values are
 * skipped.
 */
export function pageUrl(
  page: string,
  origin: string,
  query: Record<string, string | undefined>,
): string {
  const url = new URL(page, origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
