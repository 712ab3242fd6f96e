export * from "./nitro/module.ts";
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
import { createEventReader, type EventReader, type H3Event } from "./_event.ts";
import { type AuthRules, createRuleMatcher } from "./_route-rules.ts";
import { extendForEvents, type H3Auth, type H3Handler } from "./h3.ts";

/** Reads the session of an event: `event.context.auth`. */
export interface EventAuth {
  /** Resolves to the session of the event; `null` without one. Read once per request. */
  (): Promise<Session | null>;
  /**
   * Resolves to the session of the event.
   * @throws Error without one, to which Nitro responds with 401.
   */
  require(): Promise<Session>;
}

/** The configuration of a Nitro application: an Auth, a configuration, or a function of the event that returns one. */
export type NitroAuthSource = Auth | AuthConfig | ((event: H3Event) => Awaitable<AuthConfig>);

/** What the module has decided at build time. */
export interface NitroHandlerOptions {
  /** The `baseURL` of the application. */
  readonly base?: string;
  /** Path below which the routes are mounted. */
  readonly basePath?: string;
  /** The `auth` of its route rules. */
  readonly rules?: AuthRules;
  /** Whether this is the development server. */
  readonly development?: boolean;
  /** The secret that it keeps. */
  readonly developmentSecret?: string;
  /** Plugins to add, unless the application has one of the name. */
  readonly plugins?: readonly Plugin[];
  /** The folder of its records, where no store is set. */
  readonly developmentFolder?: string;
  /** The store that the module's options name. */
  readonly store?: StorePlugin;
}

/** The middleware of an application, and what its task calls. */
export interface NitroHandler extends H3Handler<Response | undefined> {
  /**
   * Removes expired records, and resolves to their number.
   * @throws MissingRequest when the configuration is a function, and the module's options name no store.
   */
  sweep(options?: SweepOptions): Promise<number>;
}

/** The binding for the events of a Nitro application. */
export function nitroBinding(read: EventReader, options: NitroHandlerOptions): Binding<H3Auth> {
  return {
    name: "bindings/nitro",
    development: options.development === true,
    developmentSecret: options.developmentSecret,
    extend: (auth) => extendForEvents(auth, read),
  };
}

// A browser that shows a page; anything else gets the error.
function wantsPage({ method, headers }: Request): boolean {
  return /^(?:GET|HEAD)$/.test(method) && (headers.get("accept") ?? "").includes("text/html");
}

const REDIRECT = { "cache-control": "private, no-store" };

/**
 * Creates the middleware of a Nitro application: it sets `event.context.auth`, handles the routes below the base path,
 * and holds the route rules.
 * @param create Creates the Auth for events that a reader converts; `find` returns the event of a request.
 */
export function createNitroMiddleware(
  create: (read: EventReader, find: (request: Request) => H3Event) => Auth & H3Auth,
  { base, rules = {}, store }: NitroHandlerOptions,
): NitroHandler {
  const read = createEventReader();
  const events = new WeakMap<Request, H3Event>();
  const auth = create(read, (request) => events.get(request) as H3Event);
  const isGuarded = createRuleMatcher(rules, base);

  const guard = async (event: H3Event, request: Request): Promise<Response | undefined> => {
    const { pathname, search } = new URL(request.url);
    if (!isGuarded(pathname)) return undefined;
    if (!wantsPage(request)) {
      await auth.requireSession(event as never);
      return undefined;
    }
    if (await auth.getSession(event as never)) return undefined;
    const options = { redirect: false, redirectTo: pathname + search };
    const page = await auth.signIn(event as never, undefined, options);
    // The sign-in page itself must remain reachable.
    if (new URL(page as string, request.url).pathname === pathname) return undefined;
    return new Response(null, { status: 302, headers: { location: page as string, ...REDIRECT } });
  };

  const middleware = async (event: H3Event): Promise<Response | undefined> => {
    const { req } = read(event).source;
    events.set(req, event);
    const own: EventAuth = Object.assign(async () => auth.getSession(event as never), {
      require: async () => auth.requireSession(event as never),
    });
    Object.assign(event.context, { auth: own });
    return (await auth.middleware(event)) ?? guard(event, req);
  };
  return Object.assign(middleware, {
    __is_handler__: true as const,
    // A configuration that is a function needs a request, and the store does not.
    sweep: async (options?: SweepOptions) =>
      store ? sweepStore(store.backend, options) : auth.sweep(options),
  });
}

function getEventAuth({ context }: Pick<H3Event, "context">): EventAuth {
  const { auth } = context as { auth?: EventAuth };
  if (auth) return auth;
  throw new Error(
    'The session of this event cannot be read. Add "keyhook/nitro" (in Nuxt "keyhook/nuxt") to the modules of the ' +
      "application; in a cached handler, whose response other visitors receive, there is none.",
  );
}

/**
 * Resolves to the session of an event of Nitro or Nuxt; `null` without one.
 * @example const session = await getAuthSession(event);
 */
export async function getAuthSession(event: Pick<H3Event, "context">): Promise<Session | null> {
  return getEventAuth(event)();
}

/**
 * Resolves to the session of an event of Nitro or Nuxt.
 * @throws Error without one, to which h3 responds with 401.
 * @example const { user } = await requireAuthSession(event);
 */
export async function requireAuthSession(event: Pick<H3Event, "context">): Promise<Session> {
  return getEventAuth(event).require();
}
