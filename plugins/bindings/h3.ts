import { dropCaching, getLineName, isObject, watchWrites, withoutSet } from "../../src/_kit.ts";
import type { Auth, Awaitable, Binding, RequestSource, Session } from "../../src/kernel.ts";
import {
  createEventReader,
  type EventReader,
  type EventSource,
  type H3Event,
  isWebEvent,
  type NodeEvent,
} from "./_event.ts";
import type { ServerFunctions } from "./_server-functions.ts";
import { createSourceReader, toEventError } from "./_session.ts";

declare module "h3" {
  interface H3EventContext {
    /** Resolves to the session of this request. Its response carries renewed cookies. */
    getSession?: () => Promise<Session | null>;
  }
}

/** A handler for h3 1 and 2. */
export interface H3Handler<Result = Response> {
  (event: H3Event): Promise<Result>;
  /** Tells h3 1 that this is an event handler. */
  readonly __is_handler__: true;
}

interface OwnMembers {
  /**
   * Handles the routes below the base path: `app.all("/auth/**", auth.handler)`, or `app.use(auth.handler)` in h3 1.
   */
  readonly handler: H3Handler;
  /**
   * Mounts the routes and adds `event.context.getSession()` to every event: `app.use(auth.middleware)`. Requests for
   * other paths are passed on.
   */
  readonly middleware: H3Handler<Response | undefined>;
  /** The middleware as a plugin of h3 2: `app.register(auth.plugin)`. */
  readonly plugin: (app: { use(middleware: H3Handler<Response | undefined>): unknown }) => void;
  /**
   * Converts an event into the argument that the server functions of an Auth accept. A `RequestSource` is returned
   * unchanged.
   * @throws Error in a cached handler of Nitro, whose response other visitors receive.
   */
  toRequestSource(given: RequestSource | NodeEvent): RequestSource;
}

/** The members that `createAuth` of `keyhook/h3` adds to an Auth. Its server functions also accept h3 1 events. */
export interface H3Members extends ServerFunctions<NodeEvent>, OwnMembers {}

/**
 * The headers of an event that are kept next to the response's own: cookies, and the directive that no cache may store
 * them.
 */
const KEPT = ["set-cookie", "cache-control"];

// A request with headers (`{ req, res }`) has no context. The server function itself refuses a call without a request.
const isEvent = (given: RequestSource | H3Event | undefined): given is H3Event =>
  isObject(given) && "context" in given && ("node" in given || isWebEvent(given));

function yieldTo(response: Response, headers: Headers): void {
  for (const name of response.headers.keys()) if (!KEPT.includes(name)) headers.delete(name);
  dropCaching(headers, response.headers.get("cache-control"));
}

function withOwnCookies(response: Response, headers: Headers): void {
  const lines = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const line of withoutSet(lines, getLineName, response.headers))
    headers.append("set-cookie", line);
}

// h3 2 replaces the headers of a response with what middleware set for the event, and h3 1 adds to them. Then a session
// would be sent as a page, a page would have another policy, caches would store both, and a session that middleware
// renewed would outlive its sign-out.
function withOwnHeaders(
  response: Response,
  event: H3Event,
  { res }: EventSource["source"],
): Response {
  if (!isWebEvent(event)) {
    yieldTo(response, res.headers);
    withOwnCookies(response, res.headers);
    return response;
  }
  const { headers: own, errHeaders = own } = event.res;
  const headers = response.status < 400 ? own : errHeaders;
  // Nearly all events have no headers, and those of the response need not be created.
  if (!headers.keys().next().done) {
    yieldTo(response, headers);
    withOwnCookies(response, headers);
  }
  // Earlier middleware continues to run, and so do the `headers` of route rules. Nuxt passes a path that Keyhook does
  // not have to the application, which then owns these headers.
  if (response.status !== 404) watchWrites(headers, () => yieldTo(response, headers));
  return response;
}

/** Creates the members for events that `read` converts. */
export function extendForEvents(auth: Auth, read: EventReader): H3Members {
  const { handle, fetch, getSession } = auth;
  const open = createSourceReader(read);
  const respond = async <T>(
    event: H3Event,
    elsewhere: (request: Request) => Awaitable<T>,
  ): Promise<Response | T> => {
    const { source, connection } = read(event);
    const response = await handle(source.req, connection);
    return response ? withOwnHeaders(response, event, source) : elsewhere(source.req);
  };
  const handler: H3Handler = Object.assign((event: H3Event) => respond(event, fetch), {
    __is_handler__: true as const,
  });
  const middleware: H3Handler<Response | undefined> = Object.assign(
    (event: H3Event) => {
      Object.assign(event.context, { getSession: async () => getSession(open(event)) });
      return respond(event, () => undefined);
    },
    { __is_handler__: true as const },
  );
  const members: OwnMembers = {
    toRequestSource: (given: RequestSource | H3Event) =>
      isEvent(given) ? open(given) : (given as RequestSource),
    handler,
    middleware,
    plugin: (app) => void app.use(middleware),
  };
  // The Auth has the server functions, and converts their sources with `toRequestSource`.
  return members as OwnMembers & ServerFunctions<NodeEvent>;
}

/** The binding for h3, versions 1 and 2. It imports nothing of h3. Every server function also accepts an event. */
export const h3Binding: Binding<H3Members> = {
  name: "bindings/h3",
  toError: toEventError,
  extend: (auth: Auth) => extendForEvents(auth, createEventReader()),
};
