/** Parses a URL; `undefined` when it is malformed. In place of `URL.parse`, which Node 20 does not have. */
export function parseUrl(text: string | URL, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}
