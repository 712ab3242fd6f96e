import { PRIVATE_HEADERS } from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";
import type { HeldSession } from "../../src/kernel.ts";
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

interface NitroContext {
  readonly cache?: unknown;
  readonly routeRules?: { readonly cache?: unknown };
}

/**
 * Creates the function that converts events into the argument of server functions. It throws for an event of a cached
 * handler of Nitro, whose response other visitors receive.
 */
export function createSourceReader(read: EventReader): (event: H3Event) => EventSource["source"] {
  // Nitro 3 gives the event of a cached handler another request, without cookies.
  const requests = new WeakMap<H3Event, Request>();

  const isCached = (event: H3Event, { req }: EventSource["source"]): boolean => {
    const { cache, routeRules } = event.context as NitroContext;
    const first = requests.get(event) ?? req;
    requests.set(event, first);
    return cache !== undefined || (routeRules?.cache !== undefined && req !== first);
  };

  return (event) => {
    const { source } = read(event);
    if (isCached(event, source)) {
      throw new Error(
        "The session was read in a cached handler, whose response other visitors receive. Remove `cache`, `swr` and `isr` " +
          "from its route rules, or read the session in the browser.",
      );
    }
    return source;
  };
}
