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

/**
 * Returns whether a URL is that of a page: it has the page's path, and the parameters of the page's own URL. For
 * `/?view=signin`, the path alone is also that of other pages.
 */
export function isSamePage(page: URL, here: URL): boolean {
  const list = ({ searchParams }: URL, name: string) => JSON.stringify(searchParams.getAll(name));
  return (
    withoutEndSlash(page.pathname) === withoutEndSlash(here.pathname) &&
    [...page.searchParams.keys()].every((name) => list(page, name) === list(here, name))
  );
}

// Letters, digits, hyphen, dot and underscore. Not the tilde, which some front servers escape.
const NEEDLESS = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/gi;

// The escapes of characters beyond ASCII. Browsers write them in upper case.
const BEYOND_ASCII = /%[89a-f][\da-f]/gi;

/**
 * Returns a path with the escapes that browsers write (RFC 3986 sections 6.2.2.1 and 6.2.2.2). For a router that decodes
 * them, `/%61dmin` is the page `/admin`, and `/caf%c3%a9` the page `/caf%C3%A9`.
 */
export function withPlainEscapes(path: string): string {
  return path
    .replaceAll(NEEDLESS, (escape) => decodeURIComponent(escape))
    .replaceAll(BEYOND_ASCII, (escape) => escape.toUpperCase());
}
