import type { NextRequest } from "next/server";
import type { CookieSink, RequestEvent } from "../../../src/kernel.ts";
import { applyCookies, isSetByProxy, PROXY_COOKIES } from "./cookies.ts";
import { getNextBase, toPublicUrl } from "./url.ts";
import { createWaitUntil } from "./wait-until.ts";

/** An App router request: one event for reading its session, and one for changing it. */
export interface AppEvent {
  /** Omits cookies that renew the session if the proxy has already renewed it. */
  readonly read: RequestEvent;
  readonly change: RequestEvent;
  /** For server functions of plugins. While a component renders, the cookies that they set are dropped. */
  readonly call: RequestEvent;
}

interface Opened {
  /** The cookies of the request, including those that this event has set. */
  cookie: string;
  /** A promise, because a layout and its page ask concurrently. */
  readonly event: Promise<AppEvent>;
}

// The path is unknown here. Only the path of a route handler's request is needed.
function findUrl(headers: Pick<Headers, "get">): string {
  const url = `http://${headers.get("host") ?? "localhost"}${getNextBase()}/`;
  return URL.canParse(url) ? url : "http://localhost/";
}

/**
 * Creates the function that returns the event of the current request. A server action, and the page that is rendered
 * after it in the same request, share one event. A route handler passes its request.
 */
export function createAppEvents(): (request?: NextRequest) => Promise<AppEvent> {
  const events = new WeakMap<object, Opened>();
  return async (given) => {
    // Imported here, because a proxy, a test or a build that reads no session needs nothing of Next.js. Errors of these
    // functions are Next.js's own: that a page cannot be prerendered, or that code for all visitors must not read a
    // session.
    const { cookies, headers } = await import("next/headers.js");
    const [sent, jar] = await Promise.all([headers(), cookies()]);
    const getCookie = () => applyCookies(sent.get("cookie"), jar.getAll());
    const cookie = getCookie();
    const known = events.get(sent);
    // The application may have changed the cookies itself since then.
    if (known?.cookie === cookie) return known.event;

    const renewed = sent.get(PROXY_COOKIES);
    const set: CookieSink["set"] = (name, value, attributes) => {
      jar.set(name, value, attributes);
      opened.cookie = getCookie();
    };
    const renew: CookieSink["set"] = (name, value, attributes) => {
      if (!isSetByProxy(renewed, name)) set(name, value, attributes);
    };
    const trySet: CookieSink["set"] = (...cookie) => {
      try {
        set(...cookie);
      } catch {
        // A component is rendering, and Next.js does not accept cookies then.
      }
    };
    const open = async (): Promise<AppEvent> => {
      const request = await createRequest(sent, cookie, given);
      const req = Object.assign(request, { waitUntil: createWaitUntil() });
      return {
        read: { req, res: { cookies: { set: renew } } },
        change: { req, res: { cookies: { set } } },
        call: { req, res: { cookies: { set: trySet } } },
      };
    };
    const opened: Opened = { cookie, event: open() };
    events.set(sent, opened);
    return opened.event;
  };
}

async function createRequest(
  sent: Pick<Headers, "get" | "entries">,
  cookie: string,
  given: NextRequest | undefined,
): Promise<Request> {
  const isAsGiven = given && given.headers.get("cookie") === (cookie || null);
  if (isAsGiven && !getNextBase()) return given;
  const headers = new Headers([...sent.entries()]);
  if (cookie) headers.set("cookie", cookie);
  else headers.delete("cookie");
  if (!given) return new Request(findUrl(sent), { headers });
  const { NextRequest: Made } = await import("next/server.js");
  return new Made(toPublicUrl(given), { method: given.method, headers });
}
