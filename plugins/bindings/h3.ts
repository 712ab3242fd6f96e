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
import { createEventSessions, type EventSessions, toEventError } from "./_session.ts";

declare module "h3" {
  interface H3EventContext {
    /** Resolves to the session of this request; its response carries renewed cookies. */
    getSession?: () => Promise<Session | null>;
  }
}

/** A handler for h3 1 and 2. */
export interface H3Handler<Result = Response> {
  (event: H3Event): Promise<Result>;
  /** Tells h3 1 that this is an event handler. */
  readonly __is_handler__: true;
}

/** The server functions that take the request as their first argument. */
type FunctionName =
  | "holdSession"
  | "getSession"
  | "requireSession"
  | "requireFreshSession"
  | "csrfToken"
  | "verifyCsrfToken"
  | "authorize"
  | "signIn"
  | "signOut"
  | "update";

/** The members that `createAuth` of `keyhook/h3` adds to an Auth. Its server functions take events of h3 1 too. */
export interface H3Auth extends ServerFunctions<NodeEvent, FunctionName> {
  /** Handles the routes below the base path: `app.all("/auth/**", auth.handler)`, in h3 1 `app.use(auth.handler)`. */
  readonly handler: H3Handler;
  /**
   * Mounts the routes and adds `event.context.getSession()` to every event: `app.use(auth.middleware)`. Passes
   * requests on other paths on.
   */
  readonly middleware: H3Handler<Response | undefined>;
  /** The middleware as a plugin of h3 2: `app.register(auth.plugin)`. */
  readonly plugin: (app: { use(middleware: H3Handler<Response | undefined>): unknown }) => void;
  /** Converts an event into the argument that the server functions of an Auth take; returns a `RequestSource` as it is. */
  toRequestSource(given: RequestSource | NodeEvent): RequestSource;
}

/** Headers of an event that stay beside those of a response: its cookies, and that no cache may store them. */
const KEPT = ["set-cookie", "cache-control"];

const SERVER_FUNCTIONS: readonly FunctionName[] = [
  "holdSession",
  "getSession",
  "requireSession",
  "requireFreshSession",
  "csrfToken",
  "verifyCsrfToken",
  "authorize",
  "signIn",
  "signOut",
  "update",
];

// A request with headers (`{ req, res }`) has no context, and a call without a request is refused by the function.
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

// h3 2 puts what middleware has set for an event in place of the headers of its response, and h3 1 beside them: a session
// would be a page, a page would have another policy, caches would store them, and a session that middleware has renewed
// would outlast its sign-out.
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
  // Nearly all events have none, and those of the response need not be made.
  if (!headers.keys().next().done) {
    yieldTo(response, headers);
    withOwnCookies(response, headers);
  }
  // Middleware in front runs on, and so do the `headers` of route rules. Nuxt gives a path that Keyhook has not to the
  // application, whose headers these are then.
  if (response.status !== 404) watchWrites(headers, () => yieldTo(response, headers));
  return response;
}

/** Creates the members for events that `read` converts. */
export function extendForEvents(auth: Auth, read: EventReader): H3Auth {
  const { handle, fetch } = auth;
  const sessions = createEventSessions({ ...auth }, read);
  const toRequestSource = (given: RequestSource | H3Event): RequestSource =>
    isEvent(given) ? read(given).source : (given as RequestSource);
  const functions = SERVER_FUNCTIONS.map((name) => {
    const fn = auth[name] as (source: RequestSource, ...rest: unknown[]) => Promise<unknown>;
    const onEvent = async (given: RequestSource | H3Event, ...rest: unknown[]) =>
      isEvent(given) && name in sessions
        ? sessions[name as keyof EventSessions](given)
        : fn(toRequestSource(given), ...rest);
    return [name, onEvent];
  });
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
      Object.assign(event.context, { getSession: () => sessions.getSession(event) });
      return respond(event, () => undefined);
    },
    { __is_handler__: true as const },
  );
  return {
    ...(Object.fromEntries(functions) as Pick<H3Auth, FunctionName>),
    toRequestSource,
    handler,
    middleware,
    plugin: (app) => void app.use(middleware),
  };
}

/** The binding for h3, versions 1 and 2, of which it imports nothing. Every server function also takes an event. */
export const h3Binding: Binding<H3Auth> = {
  name: "bindings/h3",
  toError: toEventError,
  extend: (auth: Auth) => extendForEvents(auth, createEventReader()),
};
