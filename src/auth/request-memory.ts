import { listCookies, serializeCookie } from "../http/cookies.ts";
import type { CookieToSet } from "../types/cookie.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";
import type { ResponseSink } from "../types/request-source.ts";

/** A session that was read, with the cookies that renew it. */
export interface SessionRead {
  readonly session: Session | null;
  readonly cookies: readonly CookieToSet[];
  /**
   * Whether the session came from one of several session cookies: the browser keeps the others when one is renewed.
   */
  readonly isOneOfSeveral: boolean;
  /** The headers and cookie objects that have received the cookies. */
  readonly receivers: WeakSet<object>;
}

/** The session of a request, once it was read. A failed read is not kept. */
export interface SessionMemory {
  read?: Promise<SessionRead> | undefined;
}

/**
 * What the server's own calls know about a request: its session, and the cookies that were set for it. Later calls with
 * the same request read these cookies, as the browser's next request would.
 */
export interface RequestMemory {
  /** Returns the request with the cookies that were set for it; the same request if there are none. */
  apply(request: Request): Request;
  /**
   * Sets cookies on the request's response, and replaces those that an earlier call set. With `othersStay`, later calls
   * still read the cookies of these names that came with the request.
   */
  deliver(
    request: Request,
    response: ResponseSink,
    cookies: readonly CookieToSet[],
    othersStay?: boolean,
  ): void;
  /** Returns the session memory of a request: the same object until the session is forgotten. */
  openSession(request: Request): SessionMemory;
  /** Forgets the session after the request may have changed it. */
  forgetSession(request: Request): void;
}

interface Known extends CookieToSet {
  readonly othersStay: boolean;
}
type AllKnown = ReadonlyMap<string, Known>;

const isCleared = ({ value, attributes }: CookieToSet): boolean =>
  value === "" || (attributes.maxAge ?? 1) <= 0;

function buildHeader(sent: string | null, known: AllKnown): string {
  const kept = listCookies(sent)
    .filter(([name]) => known.get(name)?.othersStay !== false)
    .map(([name, raw]) => `${name}=${raw}`);
  const added = [...known.values()]
    .filter((cookie) => !isCleared(cookie))
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  // The renewed cookies come first: of two with the same session, the first is read.
  return [...added, ...kept].join("; ");
}

function remove(headers: Headers, lines: readonly string[]): void {
  if (!lines.length) return;
  const rest = headers.getSetCookie().filter((line) => !lines.includes(line));
  headers.delete("set-cookie");
  for (const line of rest) headers.append("set-cookie", line);
}

/** Creates the memory, which lasts as long as each request. */
export function createRequestMemory({ sessionTransport }: Kernel): RequestMemory {
  const sessions = new WeakMap<Request, SessionMemory>();
  const byRequest = new WeakMap<Request, AllKnown>();
  return {
    apply(request) {
      const known = byRequest.get(request);
      if (!known) return request;
      const headers = new Headers(request.headers);
      if (sessionTransport) sessionTransport.forward(headers, [...known.values()]);
      else headers.set("cookie", buildHeader(headers.get("cookie"), known));
      const { url, method, signal } = request;
      return new Request(url, { method, headers, signal });
    },
    deliver(request, response, cookies, othersStay = false) {
      const known = new Map(byRequest.get(request));
      const replaced = cookies.flatMap(({ name }) => known.get(name) ?? []);
      for (const cookie of cookies) known.set(cookie.name, { ...cookie, othersStay });
      byRequest.set(request, known);
      if (sessionTransport) {
        // A framework that accepts only cookies cannot send these headers. The client's next request renews the
        // session.
        if ("cookies" in response) return;
        for (const [name, value] of sessionTransport.send([...known.values()])) {
          response.headers.set(name, value);
        }
        return;
      }
      if ("cookies" in response) {
        for (const { name, value, attributes } of cookies) {
          response.cookies.set(name, value, attributes);
        }
        return;
      }
      remove(response.headers, replaced.map(serializeCookie));
      for (const cookie of cookies) {
        response.headers.append("set-cookie", serializeCookie(cookie));
      }
    },
    openSession(request) {
      const memory = sessions.get(request) ?? {};
      sessions.set(request, memory);
      return memory;
    },
    forgetSession: (request) => void sessions.delete(request),
  };
}
