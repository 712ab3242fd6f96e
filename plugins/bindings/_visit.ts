import { forbidSharedCaching, isCachingHeader, keepUnshared } from "../../src/_kit.ts";
import type { Connection, CookieAttributes, RequestSource } from "../../src/kernel.ts";

/** A request of a framework that handles cookies, and the response to it. */
export interface Visit {
  readonly connection: Connection;
  readonly source: RequestSource;
  /** Returns the response to send, after the application has created it. */
  finish(response: Response): Response;
}

/** A framework's cache, which stores the response to a request whatever its headers say. */
export interface VisitCache {
  readonly options: { readonly maxAge?: number | undefined };
  /** Keeps the response out of the cache. */
  set(input: false): void;
}

/** What a framework provides for a request. */
export interface VisitParts {
  readonly request: Request;
  /** The URL of the page. The URL of the request may be that of the page's data, or of a server function call. */
  readonly url: URL;
  readonly connection: Connection;
  /** Sets a cookie of the response. The framework encodes its value. */
  setCookie(name: string, value: string, attributes: CookieAttributes & { path: string }): void;
  readonly cache?: VisitCache | undefined;
}

const UNSHARED = /^0$|\b(?:private|no-store|no-cache)\b/i;

// Returns whether a header lets shared caches store a response. Without one, they could only estimate how long it is
// fresh, from fields that a rendered page does not have, such as `last-modified` (RFC 9111 section 4.2.2).
function isShared(headers: Headers): boolean {
  return [...headers].some(([name, value]) => isCachingHeader(name) && !UNSHARED.test(value));
}

function makePrivate(response: Response): Response {
  try {
    forbidSharedCaching(response.headers);
    keepUnshared(response.headers);
    return response;
  } catch {
    // The headers of a `fetch` response are immutable.
    return makePrivate(new Response(response.body, response));
  }
}

export function createVisit({ request, url, connection, setCookie, cache }: VisitParts): Visit {
  const { method, headers, signal } = request;
  let isPrivate = false;
  let sent: Response | undefined;
  const req = Object.assign(new Request(url, { method, headers, signal }), connection);
  const source: RequestSource = {
    req,
    res: {
      cookies: {
        set(name, value, { path = "/", httpOnly = false, secure = false, ...attributes }) {
          setCookie(name, value, { ...attributes, path, httpOnly, secure });
        },
        forbidCaching() {
          isPrivate = true;
          if (!sent) return cache?.set(false);
          const isStored = cache?.options.maxAge !== undefined;
          if (!isStored && !isShared(sent.headers)) return;
          throw new Error(
            "The session was read while the page was streamed, but its `cache-control` or a route rule lets caches serve it " +
              "to other visitors. Read the session before the first part is sent, or prevent caching.",
          );
        },
      },
    },
  };
  return {
    connection,
    source,
    finish(response) {
      sent = isPrivate ? makePrivate(response) : response;
      // The page may have enabled the cache after its session was read.
      if (isPrivate) cache?.set(false);
      return sent;
    },
  };
}
