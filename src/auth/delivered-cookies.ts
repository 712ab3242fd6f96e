import { listCookies, serializeCookie } from "../http/cookies.ts";
import type { CookieToSet } from "../types/cookie.ts";

/**
 * The cookies that the server's own calls have set for a request. A later call of the same request reads them, as it
 * would in the browser's next request.
 */
export interface DeliveredCookies {
  /** Returns the request with the cookies that were set for it: the same one if there are none. */
  apply(request: Request): Request;
  /** Appends cookies to the headers of the request's response. One that an earlier call has set is replaced. */
  deliver(request: Request, headers: Headers, cookies: readonly CookieToSet[]): void;
}

type Known = ReadonlyMap<string, CookieToSet>;

const isCleared = ({ value, attributes }: CookieToSet): boolean =>
  value === "" || (attributes.maxAge ?? 1) <= 0;

function buildHeader(sent: string | null, known: Known): string {
  const kept = listCookies(sent)
    .filter(([name]) => !known.has(name))
    .map(([name, raw]) => `${name}=${raw}`);
  const added = [...known.values()]
    .filter((cookie) => !isCleared(cookie))
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  return [...kept, ...added].join("; ");
}

function remove(headers: Headers, lines: readonly string[]): void {
  if (!lines.length) return;
  const rest = headers.getSetCookie().filter((line) => !lines.includes(line));
  headers.delete("set-cookie");
  for (const line of rest) headers.append("set-cookie", line);
}

/** Creates the memory of what was set, which lasts as long as each request. */
export function createDeliveredCookies(): DeliveredCookies {
  const byRequest = new WeakMap<Request, Known>();
  return {
    apply(request) {
      const known = byRequest.get(request);
      if (!known) return request;
      const headers = new Headers(request.headers);
      headers.set("cookie", buildHeader(headers.get("cookie"), known));
      const { url, method, signal } = request;
      return new Request(url, { method, headers, signal });
    },
    deliver(request, headers, cookies) {
      const known = new Map(byRequest.get(request));
      const replaced = cookies.flatMap(({ name }) => known.get(name) ?? []);
      remove(headers, replaced.map(serializeCookie));
      for (const cookie of cookies) {
        known.set(cookie.name, cookie);
        headers.append("set-cookie", serializeCookie(cookie));
      }
      byRequest.set(request, known);
    },
  };
}
