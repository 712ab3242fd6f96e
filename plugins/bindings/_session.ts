import { isSafeMethod, keepPrivate } from "../../src/_kit.ts";
import { AuthError, SessionRequired } from "../../src/errors.ts";
import type { Auth, Session } from "../../src/kernel.ts";
import type { EventReader, EventSource, H3Event } from "./_event.ts";

/**
 * An error of Keyhook as one that h3 1 and 2 respond to with its status, without either being imported: version 1
 * knows its errors by a mark of their class, version 2 by their name.
 */
class EventFailure extends Error {
  static readonly __h3_error__ = true;
  override readonly name = "HTTPError";
  readonly type: string;
  readonly status: number;
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly statusText: string;
  readonly data: { readonly error: string };
  // Otherwise Nitro logs a stack for each visitor without a session.
  readonly unhandled = false;
  readonly fatal = false;
  // h3 2 sends these instead of the headers of the event.
  readonly headers: Headers = new Headers({ "cache-control": "private, no-store" });

  constructor(error: AuthError) {
    super(error.message, { cause: error });
    this.type = error.type;
    this.data = { error: error.type };
    this.status = this.statusCode = error.status;
    this.statusMessage = this.statusText = error.status === 401 ? "Unauthorized" : "Refused";
  }

  toJSON(): object {
    const { status, statusCode, statusText, statusMessage, message, data } = this;
    return { status, statusCode, statusText, statusMessage, message, data };
  }
}

const getName = (cookie: string) => cookie.slice(0, cookie.indexOf("="));

// A sign-in in the same request has set the cookie before it was renewed.
function appendCookies(headers: Headers, cookies: readonly string[]): void {
  if (!cookies.length) return;
  const names = new Set(cookies.map(getName));
  const kept = headers.getSetCookie().filter((cookie) => !names.has(getName(cookie)));
  headers.delete("set-cookie");
  for (const cookie of [...kept, ...cookies]) headers.append("set-cookie", cookie);
}

/** A session that was read, on which the response does not depend yet. */
export interface HeldSession {
  readonly session: Session | null;
  /** Makes the response depend on it: no cache stores it, and it carries renewed cookies. */
  use(): void;
}

/** The sessions of events, each read once. */
export interface EventSessions {
  /** Resolves to the session of an event, for a page of which it is not known yet whether it shows the session. */
  hold(event: H3Event): Promise<HeldSession>;
  /**
   * Resolves to the session of an event; `null` without one. No cache stores its response from then on.
   * @throws Error in a cached handler of Nitro: other visitors receive its response.
   */
  getSession(event: H3Event): Promise<Session | null>;
  /**
   * Resolves to the session of an event.
   * @throws Error without one, to which h3 responds with 401.
   */
  requireSession(event: H3Event): Promise<Session>;
  /** Forgets the session of an event, because this request may have changed it: the next read has the new one. */
  forget(event: H3Event): void;
}

interface NitroContext {
  readonly cache?: unknown;
  readonly routeRules?: { readonly cache?: unknown };
}

/** Creates the reader of sessions for the events of an Auth. */
export function createEventSessions(
  auth: Pick<Auth, "getSession" | "requireSession">,
  read: EventReader,
): EventSessions {
  // By request: Nitro 3 gives the event of a cached handler another one, without cookies.
  const sessions = new WeakMap<Request, Promise<HeldSession>>();
  const requests = new WeakMap<H3Event, Request>();

  const isCached = (event: H3Event, { req }: EventSource["source"]): boolean => {
    const { cache, routeRules } = event.context as NitroContext;
    const first = requests.get(event) ?? req;
    requests.set(event, first);
    return cache !== undefined || (routeRules?.cache !== undefined && req !== first);
  };

  const open = (event: H3Event): EventSource["source"] => {
    const { source } = read(event);
    if (isCached(event, source)) {
      throw new Error(
        "The session was read in a cached handler, whose response other visitors receive. Remove `cache`, `swr` and `isr` " +
          "from its route rules, or read the session in the browser.",
      );
    }
    return source;
  };

  const start = ({ req, res }: EventSource["source"]): Promise<HeldSession> => {
    const renewed = new Headers();
    const held = auth.getSession({ req, res: { headers: renewed } }).then((session) => {
      let isUsed = false;
      const use = () => {
        // Nitro 3 applies the headers of its route rules when the response is made.
        keepPrivate(res.headers);
        // After a sign-in or sign-out in the same request, the cookies are those of the old session.
        const isCurrent = !isUsed && sessions.get(req) === held;
        isUsed = true;
        if (!isCurrent) return;
        appendCookies(res.headers, renewed.getSetCookie());
      };
      return { session, use };
    });
    return held;
  };

  const hold = async (event: H3Event): Promise<HeldSession> => {
    const source = open(event);
    const found = sessions.get(source.req) ?? start(source);
    sessions.set(source.req, found);
    return found;
  };

  const getSession = async (event: H3Event): Promise<Session | null> => {
    keepPrivate(open(event).res.headers);
    const { session, use } = await hold(event);
    use();
    return session;
  };

  const findRequired = async (event: H3Event): Promise<Session> => {
    const { req } = read(event).source;
    if (!isSafeMethod(req.method)) {
      // What changes something is refused also when the browser sends sessions of several users.
      const source = open(event);
      keepPrivate(source.res.headers);
      const session = await auth.requireSession(source);
      sessions.set(req, Promise.resolve({ session, use: () => keepPrivate(source.res.headers) }));
      return session;
    }
    const session = await getSession(event);
    if (session) return session;
    throw new SessionRequired("The request has no session. Sign in first.");
  };

  return {
    hold,
    getSession,
    async requireSession(event) {
      try {
        return await findRequired(event);
      } catch (error) {
        if (error instanceof AuthError && error.status < 500) throw new EventFailure(error);
        throw error;
      }
    },
    forget: (event) => void sessions.delete(read(event).source.req),
  };
}
