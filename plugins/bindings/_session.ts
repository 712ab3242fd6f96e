import { PRIVATE_HEADERS } from "../../src/_kit.ts";
import type { AuthError } from "../../src/errors.ts";
import type { Auth, HeldSession, Session } from "../../src/kernel.ts";
import type { EventReader, EventSource, H3Event } from "./_event.ts";

export type { HeldSession };

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
  readonly headers: Headers = new Headers(PRIVATE_HEADERS);

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

/** The sessions of events, each read once. */
export interface EventSessions {
  /** Resolves to the session of an event, for a page of which it is not known yet whether it shows the session. */
  holdSession(event: H3Event): Promise<HeldSession>;
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
}

interface NitroContext {
  readonly cache?: unknown;
  readonly routeRules?: { readonly cache?: unknown };
}

// By its names: layers of Nuxt that lie apart bring another copy of Keyhook, with errors of its own.
function isRefusal(error: unknown): error is AuthError {
  const { kind, status = 500 } = error as Partial<AuthError>;
  return kind !== undefined && status < 500;
}

/** Creates the reader of sessions for the events of an Auth. */
export function createEventSessions(
  auth: Pick<Auth, "holdSession" | "getSession" | "requireSession">,
  read: EventReader,
): EventSessions {
  // Nitro 3 gives the event of a cached handler another request, without cookies.
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

  return {
    holdSession: async (event) => auth.holdSession(open(event)),
    getSession: async (event) => auth.getSession(open(event)),
    async requireSession(event) {
      try {
        return await auth.requireSession(open(event));
      } catch (error) {
        if (isRefusal(error)) throw new EventFailure(error);
        throw error;
      }
    },
  };
}
