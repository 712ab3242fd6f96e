/** The URL members that most requests need. A URL has them too. */
export type RequestUrl = Pick<URL, "href" | "origin" | "protocol" | "host" | "pathname">;

// Excludes characters that the URL parser removes, escapes or treats as a delimiter (URL standard, path state), and
// segments that may consist of dots.
const PLAIN = /^(https?:\/\/[\w.:[\]-]+)((?:\/(?![.%])[\w.~!$&'()*+,;=:@%-]*)+)(?=[?#]|$)/;

/**
 * Creates the reader of request URLs, which returns the same result as the URL parser. Creating a URL is slow, and most
 * requests to a server have the same origin, so the origin is parsed only when it changes.
 * @throws TypeError when the URL is malformed.
 */
export function createUrlReader(): (href: string) => RequestUrl {
  let start = "";
  let server: Omit<RequestUrl, "href" | "pathname"> | undefined;
  return (href) => {
    const [, given, pathname] = PLAIN.exec(href) ?? [];
    if (!given || !pathname) return new URL(href);
    if (!server || given !== start) {
      server = new URL(given);
      start = given;
    }
    const { origin, protocol, host } = server;
    return { href, origin, protocol, host, pathname };
  };
}
