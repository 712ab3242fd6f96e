/** Whether this code runs in a page. A server must neither watch nor share: it serves many people. */
export function isPage(): boolean {
  return typeof document !== "undefined";
}

const withoutHash = (url: string) => url.split("#", 1)[0];

/** Leaves the page. */
export function go(url: string): void {
  if (!isPage()) return;
  const isHere = url.includes("#") && withoutHash(url) === withoutHash(location.href);
  location.assign(url);
  // Browsers only scroll when nothing but the part after # differs.
  if (isHere) location.reload();
}

/**
 * Where to go afterwards. An `error` in it is of an earlier attempt, and would be taken for a failure
 * of this one.
 */
export function targetOf(wanted: string | undefined): string | undefined {
  const target = wanted ?? (isPage() ? location.href : undefined);
  if (target === undefined || !URL.canParse(target, "http://localhost")) return target;
  const url = new URL(target, isPage() ? location.href : "http://localhost");
  if (!url.searchParams.has("error")) return target;
  url.searchParams.delete("error");
  url.searchParams.delete("code");
  return URL.canParse(target) || isPage() ? url.href : url.pathname + url.search + url.hash;
}

/** An http or https URL, resolved; nothing that runs when a page goes there (SECURITY.md R9). */
export function safeUrl(value: unknown): URL | undefined {
  const here = isPage() ? location.href : undefined;
  if (typeof value !== "string" || !URL.canParse(value, here)) return undefined;
  const url = new URL(value, here);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}
