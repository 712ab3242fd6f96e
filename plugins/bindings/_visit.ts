import { forbidSharedCaching, keepUnshared } from "../../src/_kit.ts";
import type { Connection, CookieAttributes, RequestSource } from "../../src/kernel.ts";

/** A request of a framework that takes cookies, and the response that it will get. */
export interface Visit {
  readonly connection: Connection;
  readonly source: RequestSource;
  /** Returns the response as it may be sent, after the application has made it. */
  finish(response: Response): Response;
}

/** A cache of a framework, which stores the response to a request whatever its headers say. */
export interface VisitCache {
  readonly options: { readonly maxAge?: number | undefined };
  /** Keeps the response out of the cache. */
  set(input: false): void;
}

/** What a framework gives of a request. */
export interface VisitParts {
  readonly request: Request;
  /** The URL of the page: that of the request may be of the page's data, or of a call of the server. */
  readonly url: URL;
  readonly connection: Connection;
  /** Sets a cookie of the response; the framework encodes its value. */
  setCookie(name: string, value: string, attributes: CookieAttributes & { path: string }): void;
  readonly cache?: VisitCache | undefined;
}

// One that says nothing is not stored by shared caches as long as it states no age (RFC 9111 section 4.2.2).
function isShared(value: string | null): boolean {
  return value !== null && !/\b(?:private|no-store|no-cache)\b/i.test(value);
}

function makePrivate(response: Response): Response {
  try {
    forbidSharedCaching(response.headers);
    keepUnshared(response.headers);
    return response;
  } catch {
    // That of a `fetch` cannot be changed.
    return makePrivate(new Response(response.body, response));
  }
}

/** Creates the visit of a request. */
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
          if (!isStored && !isShared(sent.headers.get("cache-control"))) return;
          throw new Error(
            "The session was read while the page was streamed, and its `cache-control` or a route rule lets caches give it " +
              "to other visitors. Read the session before the first part is sent, or drop that.",
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
      // The page may have asked for it after its session was read.
      if (isPrivate) cache?.set(false);
      return sent;
    },
  };
}
