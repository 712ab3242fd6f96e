// Headers that shared caches obey before, or instead of, `Cache-Control` (RFC 9213, and what CDNs and proxies used
// before it).
const SHARED_CACHE_HEADERS: readonly string[] = [
  "cdn-cache-control",
  "cloudflare-cdn-cache-control",
  "netlify-cdn-cache-control",
  "vercel-cdn-cache-control",
  "surrogate-control",
  "edge-control",
  "x-accel-expires",
  "x-litespeed-cache-control",
];

/** Returns whether a header may let caches store a response. */
export function isCachingHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === "cache-control" || SHARED_CACHE_HEADERS.includes(lower);
}

/** The `Cache-Control` value that keeps a response out of every cache. */
const PRIVATE = "private, no-store";

/** The header that keeps a response out of every cache. */
export const PRIVATE_HEADERS: Readonly<Record<string, string>> = { "cache-control": PRIVATE };

// Lists directives without arguments: `private="set-cookie"` forbids less, and `x="no-store"` forbids nothing.
function listDirectives(value: string): string[] {
  const unquoted = value.replace(/"(?:[^"\\]|\\.)*"?/g, '""');
  return unquoted.split(",").map((directive) => directive.trim().toLowerCase());
}

/** Returns whether `Cache-Control` keeps a response out of every cache. */
export function isPrivate(value: string | null): boolean {
  if (value === null) return false;
  if (value === PRIVATE) return true;
  const directives = listDirectives(value);
  return directives.includes("private") && directives.includes("no-store");
}

/** Sets the headers so that no cache stores the response, whatever they were before (SECURITY.md R10). */
export function forbidCaching(headers: Headers): void {
  if (!isPrivate(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);
  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);
}

/** Returns whether `Cache-Control` keeps a response out of shared caches. */
export function isForOneVisitor(value: string | null): boolean {
  const directives = listDirectives(value ?? "");
  return directives.includes("private") || directives.includes("no-store");
}

/**
 * Forbids shared caches to store a response, because it depends on the session. The application may still have allowed
 * this visitor's browser to cache it (`private, max-age=60`).
 */
export function forbidSharedCaching(headers: Headers): void {
  if (!isForOneVisitor(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);
  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);
}

/**
 * Removes headers that an application set for all its responses to make them cacheable, if a response's own
 * `Cache-Control` (`own`) restricts it to one visitor (SECURITY.md R10).
 */
export function dropCaching(headers: Pick<Headers, "delete">, own: string | null): void {
  if (!isForOneVisitor(own)) return;
  headers.delete("cache-control");
  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);
}

/** Calls a function after each header that is set or appended from now on. */
export function watchWrites(headers: Headers, listener: () => void): void {
  for (const method of ["set", "append"] as const) {
    const write = headers[method].bind(headers);
    headers[method] = (name, value) => {
      write(name, value);
      listener();
    };
  }
}

/** Keeps a response for one visitor out of shared caches, whatever is set later. */
export function keepUnshared(headers: Headers): void {
  if (!isForOneVisitor(headers.get("cache-control"))) return;
  watchWrites(headers, () => forbidSharedCaching(headers));
}

/**
 * Forbids caching, and keeps it forbidden for shared caches whatever is set later. The application may still let this
 * visitor's browser cache the response (`private, max-age=60`).
 */
export function keepPrivate(headers: Headers): void {
  forbidCaching(headers);
  const isWatched = Object.hasOwn(headers, "set");
  if (!isWatched) keepUnshared(headers);
}
