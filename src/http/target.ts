// What the URL parser removes or replaces in a path: dot segments, backslashes, tabs and line breaks.
const REWRITTEN = /^[^?#]*?(?:[\\\t\n\r]|\/(?:\.|%2e){1,2}(?=[/\\?#]|$))/i;

/**
 * Returns whether the path of a request target is another one to the URL parser than as it is written. A router may take
 * it as it is written: what was decided about the one path says nothing of the other.
 */
export function isRewritten(target: string): boolean {
  return REWRITTEN.test(target);
}

/** Returns the path of a request target as it is written. */
export function getWrittenPath(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
}

/**
 * Returns a path without the slash at its end: frameworks lead visitors to the path with one (`trailingSlash`), which names
 * the same page.
 */
export function withoutEndSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

// Letters, digits, hyphen, dot and underscore. Not the tilde, which some servers escape that stand in front of others.
const NEEDLESS = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/gi;

/**
 * Returns a path without the escapes that it does not need, which browsers do not write (RFC 3986 section 6.2.2.2). To a
 * router that decodes them, `/%61dmin` is the page of `/admin`.
 */
export function withoutNeedlessEscapes(path: string): string {
  return path.replaceAll(NEEDLESS, (escape) => decodeURIComponent(escape));
}
