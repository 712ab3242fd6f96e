import { listCookies } from "../../../src/_kit.ts";

/** A cookie by its name and its unencoded value. */
export interface CookieValue {
  readonly name: string;
  readonly value: string;
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

/**
 * Returns a Cookie header with the current cookies of a request: those that were sent, in their original form, and
 * those that were set since. `cookies()` of Next.js knows both but merges cookies of the same name, of which browsers
 * may send several. `headers()` knows only what was sent.
 */
export function applyCookies(sent: string | null, current: readonly CookieValue[]): string {
  const known = listCookies(sent);
  const isSent = ({ name, value }: CookieValue) =>
    known.some(([other, raw]) => other === name && decode(raw) === value);
  const changed = current.filter((cookie) => !isSent(cookie));
  const names = new Set(changed.map(({ name }) => name));
  if (!names.size) return sent ?? "";
  return [
    ...known.filter(([name]) => !names.has(name)).map(([name, raw]) => `${name}=${raw}`),
    ...changed
      .filter(({ value }) => value !== "")
      .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`),
  ].join("; ");
}

/** The cookies that a proxy has set, as Next.js passes them to the code behind it. Browsers cannot send this header. */
export const PROXY_COOKIES = "x-middleware-set-cookie";

/** Returns whether a proxy has set a cookie of this request, so that the proxy's response carries it. */
export function isSetByProxy(cookies: string | null | undefined, name: string): boolean {
  return `,${(cookies ?? "").replace(/\s/g, "")}`.includes(`,${name}=`);
}
