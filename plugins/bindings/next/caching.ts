import { forbidSharedCaching } from "../../../src/_kit.ts";

/**
 * Keeps a response of a proxy or a route handler out of shared caches. Next.js drops the `Cache-Control` of a route
 * handler if `headers()` of `next.config` or a proxy sets one for its path. `Vary` is sent in addition to theirs.
 */
export function keepFromCaches(headers: Headers): void {
  forbidSharedCaching(headers);
  const isStored = !/\bno-store\b/i.test(headers.get("cache-control") ?? "");
  // RFC 9111 section 4.1: a response that varies by `*` is not reused for any other request.
  headers.append("vary", isStored ? "cookie" : "*");
  // RFC 9213: CDNs obey this header before `Cache-Control`. Some CDNs ignore `Vary`.
  headers.set("cdn-cache-control", "no-store");
}
