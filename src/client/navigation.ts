/** Returns whether this code runs in a page. A server serves many users, so state must not be shared there. */
export function isPage(): boolean {
  return typeof document !== "undefined";
}

const withoutHash = (url: string) => url.split("#", 1)[0];

/**
 * Navigates to a URL; does nothing outside a page. With `replace`, the current page is left out of the history, as in a
 * server's redirect.
 */
export function navigate(url: string, how: "assign" | "replace" = "assign"): void {
  if (!isPage()) return;
  const isHere = url.includes("#") && withoutHash(url) === withoutHash(location.href);
  location[how](url);
  // If only the fragment differs, browsers only scroll.
  if (isHere) location.reload();
}

/**
 * Returns the URL to go to afterwards, by default this page. The parameter `error` is removed, and with it `code`: they
 * belong to an earlier attempt and would look like a failure of this one.
 */
export function getTargetUrl(wanted: string | undefined): string | undefined {
  const target = wanted ?? (isPage() ? location.href : undefined);
  if (target === undefined || !URL.canParse(target, "http://localhost")) return target;
  const url = new URL(target, isPage() ? location.href : "http://localhost");
  // `?tab=2` is relative to this page, which the server does not know.
  const isRelative = isPage() && /^[^/]/.test(target) && !URL.canParse(target);
  if (!url.searchParams.has("error")) return isRelative ? url.href : target;
  url.searchParams.delete("error");
  url.searchParams.delete("code");
  return URL.canParse(target) || isPage() ? url.href : url.pathname + url.search + url.hash;
}

/**
 * Returns a value as a resolved http or https URL, else `undefined`: navigating to a `javascript:` URL would run
 * script.
 */
export function safeUrl(value: unknown): URL | undefined {
  const here = isPage() ? location.href : undefined;
  if (typeof value !== "string" || !URL.canParse(value, here)) return undefined;
  const url = new URL(value, here);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}
