// Matches parts of a path that the URL parser removes or replaces: dot segments, backslashes, tabs and line breaks.
const REWRITTEN = /^[^?#]*?(?:[\\\t\n\r]|\/(?:\.|%2e){1,2}(?=[/\\?#]|$))/i;

/**
 * Returns whether the URL parser changes the path of a request target. A router may use the path as it is written, so a
 * decision about the parsed path does not apply to the written one.
 */
export function isRewritten(target: string): boolean {
  return REWRITTEN.test(target);
}

/** Returns the path of a request target as it is written. */
export function getWrittenPath(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
}

/**
 * Returns a path without the slash at its end. Frameworks redirect visitors to the path with the slash
 * (`trailingSlash`), which names the same page.
 */
export function withoutEndSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

// Letters, digits, hyphen, dot and underscore. Not the tilde, which some front servers escape.
const NEEDLESS = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/gi;

/**
 * Returns a path without unnecessary escapes, which browsers do not write (RFC 3986 section 6.2.2.2). For a router that
 * decodes them, `/%61dmin` is the page `/admin`.
 */
export function withoutNeedlessEscapes(path: string): string {
  return path.replaceAll(NEEDLESS, (escape) => decodeURIComponent(escape));
}
