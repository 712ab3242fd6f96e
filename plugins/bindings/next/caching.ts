import { forbidSharedCaching } from "../../../src/_kit.ts";

/**
 * Keeps a response out of shared caches, as the response of a proxy or a route handler. Next.js drops the `Cache-Control` of a
 * route handler where `headers()` of `next.config` or a proxy sets one for its path; `Vary` is sent beside theirs.
 */
export function keepFromCaches(headers: Headers): void {
  forbidSharedCaching(headers);
  const isStored = !/\bno-store\b/i.test(headers.get("cache-control") ?? "");
  // RFC 9111 section 4.1: a response that varies by `*` is given to no other request.
  headers.append("vary", isStored ? "cookie" : "*");
  // RFC 9213: what CDNs obey before `Cache-Control`. Some of them look at no `Vary`.
  headers.set("cdn-cache-control", "no-store");
}
