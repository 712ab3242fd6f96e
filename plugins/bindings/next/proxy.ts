import type { NextRequest } from "next/server";
import {
  forbidCaching,
  isSafeMethod,
  parseUrl,
  serializeCookie,
  wantsData,
  withoutSet,
} from "../../../src/_kit.ts";
import type { CookieToSet, RequestEvent } from "../../../src/kernel.ts";
import { keepFromCaches } from "./caching.ts";
import { applyCookies, PROXY_COOKIES } from "./cookies.ts";
import type { NextProxyEvent } from "./types.ts";
import { createWaitUntil } from "./wait-until.ts";

// The header by which a proxy tells Next.js which headers the code behind it sees.
const OVERRIDDEN = "x-middleware-override-headers";
const OVERRIDE = "x-middleware-request-";
const REWRITE = "x-middleware-rewrite";

/** A request of a proxy, and the cookies to set. */
export interface ProxyRequest {
  readonly event: RequestEvent;
  /** Returns the response with the cookies. Without a response, the request continues. */
  respond(response?: Response | null | void): Promise<Response>;
}

// Next.js treats a rewrite to another origin than its request's as a rewrite to another server.
function rewriteWithin(headers: Headers, { url }: NextRequest, given: NextRequest): void {
  const target = parseUrl(headers.get(REWRITE) ?? "");
  if (target?.origin !== new URL(url).origin) return;
  const { pathname, search } = target;
  headers.set(REWRITE, new URL(given.url).origin + pathname + search);
}

/**
 * Opens the request of a proxy.
 * @param given The request as Next.js passes it.
 */
export function openProxy(
  request: NextRequest,
  given: NextRequest,
  context?: Partial<NextProxyEvent>,
): ProxyRequest {
  const waitUntil = context?.waitUntil
    ? (work: Promise<unknown>) => context.waitUntil?.(work)
    : createWaitUntil();
  const cookies = new Map<string, CookieToSet>();
  // Next.js hides from proxies which requests are of its router, which accepts everything and follows redirects.
  const isNavigation = isSafeMethod(request.method) && !wantsData(request);
  return {
    event: {
      req: Object.assign(request, { waitUntil, ...(isNavigation && { isNavigation }) }),
      res: {
        cookies: {
          set: (name, value, attributes) => void cookies.set(name, { name, value, attributes }),
        },
      },
    },
    async respond(made) {
      const { NextResponse } = await import("next/server.js");
      const response = made ?? NextResponse.next();
      // The headers of redirects are immutable.
      const own = new Response(response.body, response);
      rewriteWithin(own.headers, request, given);
      // The application may have ended the session since it was read.
      const due = withoutSet([...cookies.values()], ({ name }) => name, own.headers);
      if (due.length) forbidCaching(own.headers);
      keepFromCaches(own.headers);
      if (!due.length) return own;
      const lines = due.map(serializeCookie);
      for (const line of lines) own.headers.append("set-cookie", line);
      if (!isPassed(own)) return own;
      // The code behind the proxy reads the renewed session, and does not renew it again.
      const others = own.headers.get(PROXY_COOKIES);
      own.headers.set(PROXY_COOKIES, [...(others ? [others] : []), ...lines].join(","));
      if (!own.headers.has(OVERRIDDEN)) {
        const same = NextResponse.next({ request: { headers: new Headers(request.headers) } });
        copyOverrides(same.headers, own.headers);
      }
      overrideCookie(own.headers, due);
      return own;
    },
  };
}

const isPassed = ({ headers }: Response): boolean =>
  headers.has("x-middleware-next") || headers.has(REWRITE);

function copyOverrides(from: Headers, to: Headers): void {
  for (const [name, value] of from) {
    if (name === OVERRIDDEN || name.startsWith(OVERRIDE)) to.set(name, value);
  }
}

// The application's proxy may have removed all cookies from the request. Then no cookie is added.
function overrideCookie(headers: Headers, cookies: readonly CookieToSet[]): void {
  const names = headers.get(OVERRIDDEN)?.split(",") ?? [];
  if (!names.some((name) => name.trim() === "cookie")) return;
  headers.set(`${OVERRIDE}cookie`, applyCookies(headers.get(`${OVERRIDE}cookie`), cookies));
}
