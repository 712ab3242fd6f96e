/** What most requests need of their URL. A URL has these members too. */
export type RequestUrl = Pick<URL, "href" | "origin" | "protocol" | "host" | "pathname">;

// No character that the URL parser leaves out, escapes or takes for the end of a part (URL standard, path state), and no
// segment that may consist of dots.
const PLAIN = /^(https?:\/\/[\w.:[\]-]+)((?:\/(?![.%])[\w.~!$&'()*+,;=:@%-]*)+)(?=[?#]|$)/;

/**
 * Creates the reader of the URLs of requests, whose result is that of the URL parser. Creating a URL takes long, and the
 * requests of a server mostly have the same origin: it is parsed once for those that follow each other.
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
