/** Parses a URL; returns `undefined` if it is malformed. Replaces `URL.parse`, which Node 20 does not have. */
export function parseUrl(text: string | URL, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}
