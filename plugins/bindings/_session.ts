import { PRIVATE_HEADERS } from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";
import type { Auth, HeldSession, Session } from "../../src/kernel.ts";
import type { EventReader, EventSource, H3Event } from "./_event.ts";

export type { HeldSession };

// Version 1 of h3 recognizes its errors by this mark of their class.
const MARK = { __h3_error__: { value: true } };

/**
 * Returns a refusal as an error that h3 1 and 2 respond to with its status, without importing either of them. The error
 * is still an instance of its class. Any other error is returned unchanged. h3 and Nitro send the message to the
 * client, so it is a fixed text. The message for the developer stays with the original error, in `cause.err`.
 */
export function toEventError(error: unknown): unknown {
  if (!(error instanceof AuthError) || error.status >= 500) return error;
  const { status } = error;
  const text = status === 401 ? "Unauthorized" : "Refused";
  const facts = {
    status,
    statusCode: status,
    statusText: text,
    statusMessage: text,
    data: { error: error.type },
  };
  const failure: object = Object.create(error) as object;
  return Object.assign(failure, facts, {
    message: text,
    cause: { err: error },
    // Static members of the class, such as whether its errors are public, remain.
    constructor: Object.create(error.constructor, MARK) as object,
    // Version 2 recognizes errors by this name.
    name: "HTTPError",
    // Otherwise Nitro logs a stack for each refused visitor.
    unhandled: false,
    fatal: false,
    // Version 2 sends these instead of the headers of the event.
    headers: new Headers(PRIVATE_HEADERS),
    toJSON: () => ({ ...facts, message: text }),
  });
}

/** The sessions of events, each read once. */
export interface EventSessions {
  /** Resolves to the session of an event, for a page that may or may not show the session. */
  holdSession(event: H3Event): Promise<HeldSession>;
  /**
   * Resolves to the session of an event, or to `null`. From then on, no shared cache stores the response.
   * @throws Error in a cached handler of Nitro, whose response other visitors receive.
   */
  getSession(event: H3Event): Promise<Session | null>;
  /**
   * Resolves to the session of an event.
   * @throws Error without a session. h3 responds with 401.
   */
  requireSession(event: H3Event): Promise<Session>;
  /**
   * Resolves to the session of an event whose user has signed in within `session.freshAge`.
   * @throws Error otherwise. h3 responds with 401.
   */
  requireFreshSession(event: H3Event): Promise<Session>;
}

interface NitroContext {
  readonly cache?: unknown;
  readonly routeRules?: { readonly cache?: unknown };
}

/** Creates the reader of sessions for the events of an Auth. */
export function createEventSessions(
  auth: Pick<Auth, keyof EventSessions>,
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
    requireSession: async (event) => auth.requireSession(open(event)),
    requireFreshSession: async (event) => auth.requireFreshSession(open(event)),
  };
}
