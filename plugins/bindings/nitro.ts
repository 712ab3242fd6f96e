export * from "./nitro/module.ts";
import { findEnvironment, getLineName, getWrittenPath, listCookies } from "../../src/_kit.ts";
import { BadRequest, SessionRequired } from "../../src/errors.ts";
import {
  type Auth,
  type AuthConfig,
  type Awaitable,
  type Binding,
  type Plugin,
  type Session,
  type StorePlugin,
  type SweepOptions,
  sweepStore,
} from "../../src/kernel.ts";
import { readClientAddresses } from "./_development-client.ts";
import { explainFault } from "./_development-fault.ts";
import type { EventAuth } from "./_event-auth.ts";
import {
  createEventReader,
  dropCredentials,
  type EventReader,
  type EventSource,
  getPathname,
  type H3Event,
} from "./_event.ts";
import { createOwnFetch } from "./_own-fetch.ts";
import { type PathRules, createRuleMatcher } from "./_route-rules.ts";
import { createSourceReader, toEventError } from "./_session.ts";
import { createVariables, type VariableNames, type Variables } from "./_variables.ts";
import { extendForEvents, type H3Members, type H3Handler } from "./h3.ts";

export type { EventAuth };

/** The configuration of a Nitro application: an Auth, a configuration, or a function of the event that returns one. */
export type NitroAuthSource = Auth | AuthConfig | ((event: H3Event) => Awaitable<AuthConfig>);

/** What the module has decided at build time. */
export interface NitroHandlerOptions extends VariableNames {
  /** The `baseURL` of the application. */
  readonly base?: string;
  /** Path below which the routes are mounted. */
  readonly basePath?: string;
  /** The `auth` of the application's route rules. */
  readonly rules?: PathRules;
  /** Paths with `isr`, whose responses are for all visitors. */
  readonly platformCached?: PathRules;
  /** Whether this is the development server. */
  readonly development?: boolean;
  /** The secret of the development server. */
  readonly developmentSecret?: string;
  /** Plugins to add, unless the application has a plugin with the same name. */
  readonly plugins?: readonly Plugin[];
  /** The folder for records if no store is configured. */
  readonly developmentFolder?: string;
  /** The store that the module's options name. */
  readonly store?: StorePlugin;
  /** Whether the code that renders pages calls `follow` of events. */
  readonly rendersPages?: boolean;
  /**
   * Whether the variables are known when the server starts. Faults of the configuration are then logged at start
   * instead of at the first request.
   */
  readonly bootsAtStart?: boolean;
  /** Whether a build renders pages for all visitors. Then no event has a session, and nothing is booted. */
  readonly prerender?: boolean;
}

/** The part of an h3 1 application that decides which WebSockets are opened. */
export interface SocketApp {
  readonly options: { websocket?: { readonly hooks?: SocketHooks } };
}

interface SocketHooks {
  readonly upgrade?: (request: SocketRequest) => unknown;
}

/** The request of an upgrade. */
type SocketRequest = Pick<Request, "url" | "headers">;

/** The middleware of an application, and the functions for its task and its plugin. */
export interface NitroHandler extends H3Handler<Response | undefined> {
  /** Enforces the route rules for an application's WebSockets, for which h3 1 does not call middleware. */
  guardSockets(app: SocketApp): void;
  /**
   * Removes expired records, and resolves to their number.
   * @throws MissingRequest when the configuration is a function and the module's options name no store.
   */
  sweep(options?: SweepOptions): Promise<number>;
}

/** The tools with which an application's Auth reads events. */
export interface EventTools {
  readonly read: EventReader;
  readonly variables: Variables;
  /** Returns the event of a request. */
  readonly find: (request: Request) => H3Event;
}

/** The binding for the events of a Nitro application. */
export function nitroBinding(
  { read, variables }: EventTools,
  options: NitroHandlerOptions,
): Binding<H3Members> {
  return {
    name: "bindings/nitro",
    development: options.development === true,
    developmentSecret: options.developmentSecret,
    env: variables.read,
    toError: toEventError,
    extend: (auth) => extendForEvents(auth, read),
  };
}

function createPrerenderHandler(): NitroHandler {
  // Also refuses an event of a cached handler.
  const open = createSourceReader(createEventReader());
  const respond = async (event: H3Event) => {
    const refuse = async () => {
      open(event);
      throw toEventError(new SessionRequired());
    };
    const read = async () => {
      open(event);
      return null;
    };
    const own: EventAuth = Object.assign(read, {
      require: refuse,
      requireFresh: refuse,
      hold: async () => ({ session: await read(), use() {} }),
      follow() {},
      fetch: async () =>
        Promise.reject(
          new Error("Keyhook's routes do not exist during a build: request them in the browser."),
        ),
    });
    Object.assign(event.context, { auth: own });
    return undefined;
  };
  return Object.assign(respond, {
    __is_handler__: true as const,
    guardSockets() {},
    sweep: async () => 0,
  });
}

// Boots after all modules have run, because the application's modules may add plugins.
function bootAtStart({ inspect }: Pick<Auth, "inspect">): void {
  queueMicrotask(() => {
    try {
      inspect();
    } catch {
      // The error has been logged, or the configuration is a function of the event.
    }
  });
}

type EventFetch = (event: H3Event, ...rest: Parameters<EventAuth["fetch"]>) => Promise<Response>;

// Routers may read the path literally or as the URL parser does. For Nuxt 4.6, the page of `//host/admin` is `/admin`.
function listPaths(url: string, target: string): string[] {
  const written = getWrittenPath(target);
  const paths = [new URL(url).pathname, written];
  const below = /^[/\\]{2,}[^/\\]*([/\\].*)/.exec(written)?.[1];
  return below === undefined ? paths : [...paths, new URL(`http://n${below}`).pathname];
}

// Returns the Cookie header that the browser would send after a response with these lines: an earlier call may have set
// the cookie of a CSRF token, or ended the session.
function applySetCookies(sent: string | null, lines: readonly string[]): string {
  const set = new Map(lines.map((line) => [getLineName(line), line.split(";", 1)[0] ?? ""]));
  const kept = listCookies(sent).filter(([name]) => !set.has(name));
  return [
    // A cleared cookie has no value.
    ...[...set.values()].filter((pair) => pair.indexOf("=") < pair.length - 1),
    ...kept.map(([name, raw]) => `${name}=${raw}`),
  ].join("; ");
}

/**
 * Creates the middleware of a Nitro application. It sets `event.context.auth`, handles the routes below the base path,
 * and enforces the route rules.
 * @param create Creates the Auth.
 */
export function createNitroMiddleware(
  create: (tools: EventTools) => Auth & H3Members,
  options: NitroHandlerOptions,
): NitroHandler {
  const { base, basePath = "/auth", rules = {}, platformCached = {} } = options;
  const { store, development, rendersPages } = options;
  if (options.prerender) return createPrerenderHandler();
  const read = development ? readClientAddresses(createEventReader()) : createEventReader();
  const events = new WeakMap<Request, H3Event>();
  const variables = createVariables(options);
  const ownFetch = createOwnFetch();
  const find = (request: Request) => events.get(request) as H3Event;
  const auth = create({ read, variables, find });
  const isGuarded = createRuleMatcher(rules, base);
  const isPlatformCached = createRuleMatcher(platformCached, base);

  const fetchRoute: EventFetch = async (event, path, given = {}) => {
    // The response depends on the visitor from here on, so a cached handler is refused.
    await auth.getSession(event as never);
    const { source, connection } = read(event);
    const { ip, waitUntil } = connection;
    const own = source.res.headers;
    const headers = new Headers({ ...Object.fromEntries(source.req.headers), ...given });
    headers.set("cookie", applySetCookies(headers.get("cookie"), own.getSetCookie()));
    const request = new Request(new URL(basePath + path, source.req.url), { headers });
    events.set(request, event);
    const response = await auth.handle(request, { ip, waitUntil });
    if (!response) throw new Error(`Keyhook has no route at ${basePath}${path}.`);
    for (const cookie of response.headers.getSetCookie()) own.append("set-cookie", cookie);
    return response;
  };

  // For a thrown error, Nitro 2 would log a stack, and any client can send a malformed Host.
  const open = (event: H3Event): EventSource | Response => {
    try {
      return read(event);
    } catch (error) {
      if (error instanceof BadRequest) return new Response(null, { status: error.status });
      throw error;
    }
  };

  const respond = async (event: H3Event): Promise<Response | undefined> => {
    if (isPlatformCached(getPathname(event))) dropCredentials(event);
    const opened = open(event);
    if (opened instanceof Response) return opened;
    const { source, connection } = opened;
    const { req } = source;
    events.set(req, event);
    variables.see(event);
    const own: EventAuth = Object.assign(async () => auth.getSession(event as never), {
      require: async () => auth.requireSession(event as never),
      requireFresh: async () => auth.requireFreshSession(event as never),
      hold: async () => auth.holdSession(event as never),
      follow: (listener: () => void) => ownFetch.follow(event, listener),
      fetch: async (path: string, headers?: Readonly<Record<string, string>>) =>
        fetchRoute(event, path, headers),
    });
    Object.assign(event.context, { auth: own });
    const response = await auth.middleware(event);
    if (development && response?.status === 500) return (await explainFault(auth, req)) ?? response;
    if (response) return response;
    const { target = req.url } = connection;
    if (!listPaths(req.url, target).some(isGuarded)) return undefined;
    // The request of an h3 2 event does not have it.
    return auth.protect({ ...source, req: Object.assign(req, { target }) });
  };
  // Uses the route, which logs why a session could not be read.
  const refuseSocket = async ({ url, headers }: SocketRequest): Promise<Response | undefined> => {
    if (!URL.canParse(url)) return new Response(null, { status: 400 });
    if (!listPaths(url, url).some(isGuarded)) return undefined;
    const response = await auth.handle(
      new Request(new URL(`${basePath}/session`, url), { headers }),
    );
    if (!response?.ok) return new Response(null, { status: response?.status ?? 401 });
    return (await response.json()) === null ? new Response(null, { status: 401 }) : undefined;
  };
  const guardSockets = ({ options: app }: SocketApp): void => {
    const { websocket } = app;
    const upgrade = async (request: SocketRequest): Promise<unknown> => {
      const refused = await refuseSocket(request);
      // A thrown error stops the upgrade. The handler of the path could replace a returned response.
      if (refused) throw Object.assign(new SessionRequired(), { response: refused });
      return websocket?.hooks?.upgrade?.(request);
    };
    app.websocket = { ...websocket, hooks: { ...websocket?.hooks, upgrade } };
  };
  // Nitro 3 passes `next` only to functions with two parameters. For other functions, a 404 means that the request is
  // passed on.
  const respondAround = async (event: H3Event, next?: () => unknown): Promise<unknown> => {
    if (!next) return respond(event);
    return ownFetch.run(event, async () => {
      const response = await respond(event);
      return response && response.status !== 404 ? response : next();
    });
  };
  const middleware = rendersPages ? respondAround : respond;
  // If nothing specifies the environment, requests decide it.
  if (options.bootsAtStart && findEnvironment(variables.read()).name) bootAtStart(auth);
  return Object.assign(middleware as typeof respond, {
    __is_handler__: true as const,
    guardSockets,
    // A configuration that is a function needs a request, but the store does not.
    sweep: async (options?: SweepOptions) =>
      store ? sweepStore(store.backend, options) : auth.sweep(options),
  });
}

function getEventAuth({ context }: Pick<H3Event, "context">): EventAuth {
  const { auth } = context as { auth?: EventAuth };
  if (auth) return auth;
  throw new Error(
    'The session of this event cannot be read. Add "keyhook/nitro" (in Nuxt "keyhook/nuxt") to the application\'s ' +
      "modules. A cached handler, whose response other visitors receive, has no session.",
  );
}

/**
 * Resolves to the session of an event of Nitro or Nuxt, or to `null`.
 * @throws Error without the module, and in a cached handler of Nitro.
 * @example const session = await getAuthSession(event);
 */
export async function getAuthSession(event: Pick<H3Event, "context">): Promise<Session | null> {
  return getEventAuth(event)();
}

/**
 * Resolves to the session of an event of Nitro or Nuxt.
 * @throws Error without a session, to which h3 responds with 401; also as `getAuthSession`.
 * @example const { user } = await requireAuthSession(event);
 */
export async function requireAuthSession(event: Pick<H3Event, "context">): Promise<Session> {
  return getEventAuth(event).require();
}
