import { processEnv } from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";
import type {
  Auth,
  Binding,
  Connection,
  CookieAttributes,
  RequestSource,
} from "../../src/kernel.ts";
import { readDevelopmentSecret } from "./_development-secret.ts";
import { createVisit, type Visit } from "./_visit.ts";

/** The context of middleware, endpoints and pages of Astro, by the parts that are read. */
export interface AstroContext {
  readonly request: Request;
  readonly url: URL;
  readonly locals: object;
  readonly cookies: { set(name: string, value: string, options: CookieAttributes): void };
  readonly isPrerendered: boolean;
  readonly clientAddress: string;
}

/** A middleware of Astro. */
export type AstroMiddleware = (
  context: AstroContext,
  next: () => Promise<Response>,
) => Promise<Response>;

/** The server functions that take the context of Astro as their first argument. */
type Verb =
  | "authorize"
  | "csrfToken"
  | "getSession"
  | "holdSession"
  | "requireSession"
  | "signIn"
  | "signOut"
  | "unstable_update"
  | "update";

type OnContext<F> = F extends (source: RequestSource, ...rest: infer Rest) => infer Result
  ? (context: AstroContext, ...rest: Rest) => Result
  : never;

/** The members that `createAuth` of `keyhook/astro` adds to an Auth. Its server functions take `Astro`, or a context. */
export interface AstroAuth extends Readonly<{ [V in Verb]: OnContext<Auth[V]> }> {
  /**
   * The middleware of `src/middleware.ts`: handles the routes, gives every page `Astro.locals.auth()`, and turns what
   * `requireSession` throws into a redirect to the sign-in page, or 401.
   */
  readonly onRequest: AstroMiddleware;
  /**
   * A middleware after `onRequest`: asks `callbacks.authorized`, and leads to the sign-in page.
   * @example export const onRequest = sequence(auth.onRequest, auth.guard);
   */
  readonly guard: AstroMiddleware;
}

const isContext = (given: object): given is AstroContext =>
  "request" in given && "locals" in given && "cookies" in given;

function readConnection(context: AstroContext): Connection {
  try {
    return { ip: context.clientAddress };
  } catch {
    // The adapter may not know it.
    return {};
  }
}

const NO_STORE = { "cache-control": "private, no-store" };

function createVisits(): (context: AstroContext) => Visit {
  const visits = new WeakMap<Request, Visit>();
  return (context) => {
    const { request, url, cookies } = context;
    const visit =
      visits.get(request) ??
      createVisit({
        request,
        url,
        connection: readConnection(context),
        setCookie: (name, value, attributes) => cookies.set(name, value, attributes),
      });
    visits.set(request, visit);
    return visit;
  };
}

// What `requireSession` throws. Other errors are the application's.
function isRefusal(error: unknown): error is AuthError {
  return error instanceof AuthError && ["SessionRequired", "AmbiguousSession"].includes(error.type);
}

function extendForAstro(auth: Auth): AstroAuth {
  // The members below take the places of these.
  const { handle, authorize, csrfToken, getSession, holdSession } = auth;
  const { requireSession, signIn, signOut, unstable_update, update } = auth;
  const open = createVisits();

  const onContext =
    <Rest extends unknown[], Result>(
      verb: (source: RequestSource, ...rest: Rest) => Promise<Result>,
    ) =>
    async (given: RequestSource | AstroContext, ...rest: Rest): Promise<Result> => {
      if (!isContext(given)) return verb(given, ...rest);
      if (given.isPrerendered) {
        throw new Error(
          `${given.url.pathname} is prerendered for all visitors, and has no session.`,
        );
      }
      return verb(open(given).source, ...rest);
    };

  const refuse = async (context: AstroContext, { type, status, message }: AuthError) => {
    const { request, url } = context;
    const isSafe = /^(?:GET|HEAD)$/.test(request.method);
    if (status !== 401 || !(request.headers.get("accept") ?? "").includes("text/html")) {
      return Response.json({ error: type, message }, { status, headers: NO_STORE });
    }
    const options = { redirect: false, redirectTo: isSafe ? url.href : url.pathname };
    const location = (await signIn(open(context).source, undefined, options)) as string;
    return new Response(null, { status: isSafe ? 302 : 303, headers: { location, ...NO_STORE } });
  };

  return {
    authorize: onContext(authorize),
    csrfToken: onContext(csrfToken),
    getSession: onContext(getSession),
    holdSession: onContext(holdSession),
    requireSession: onContext(requireSession),
    signIn: onContext(signIn),
    signOut: onContext(signOut),
    unstable_update: onContext(unstable_update),
    update: onContext(update),
    async onRequest(context, next) {
      const { isPrerendered, request, locals } = context;
      const read = async () => (isPrerendered ? null : getSession(open(context).source));
      Object.assign(locals, { auth: read });
      // A page that is rendered for all visitors has no session, and the build no secret.
      if (isPrerendered) return next();
      const { connection, finish } = open(context);
      const response = await handle(request, connection);
      if (response) return response;
      try {
        return finish(await next());
      } catch (error) {
        if (isRefusal(error)) return refuse(context, error);
        throw error;
      }
    },
    async guard(context, next) {
      if (context.isPrerendered) return next();
      return (await authorize(open(context).source)) ?? next();
    },
  };
}

/** The binding for Astro, of which it imports nothing. */
export const astroBinding: Binding<AstroAuth> = {
  name: "bindings/astro",
  // The development server loads the application's files again after each change.
  get developmentSecret() {
    const isDevelopment = processEnv().NODE_ENV === "development";
    return isDevelopment ? readDevelopmentSecret(process.cwd()) : undefined;
  },
  extend: extendForAstro,
};
