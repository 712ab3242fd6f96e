import {
  AUTH,
  getLineName,
  isObject,
  isSafeMethod,
  keepUnshared,
  PRIVATE_HEADERS,
  processEnv,
  wantsPage,
  withoutSet,
} from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";
import type {
  Auth,
  Binding,
  Connection,
  CookieAttributes,
  RequestSource,
} from "../../src/kernel.ts";
import { getSignInUrl } from "./_action.ts";
import { readDevelopmentSecret } from "./_development-secret.ts";
import type { ServerFunctions } from "./_server-functions.ts";
import { createVisit, type Visit, type VisitCache } from "./_visit.ts";

/** The parts that Keyhook reads of the context of Astro's middleware, endpoints and pages. */
export interface AstroContext {
  readonly request: Request;
  readonly url: URL;
  readonly locals: object;
  readonly cookies: { set(name: string, value: string, options: CookieAttributes): void };
  readonly isPrerendered: boolean;
  readonly clientAddress: string;
  /** The cache of routes, if the application has one. */
  readonly cache?: VisitCache & { readonly enabled: boolean };
}

/** A middleware of Astro. */
export type AstroMiddleware = (
  context: AstroContext,
  next: () => Promise<Response>,
) => Promise<Response>;

interface OwnMembers {
  /**
   * The middleware of `src/middleware.ts`. It handles the routes, gives every page `Astro.locals.auth()`, and turns
   * errors of `requireSession` and `requireFreshSession` into a redirect to the sign-in page, or 401.
   */
  readonly onRequest: AstroMiddleware;
  /**
   * A middleware after `onRequest`, which calls `callbacks.authorized` and redirects to the sign-in page.
   * @example export const onRequest = sequence(auth.onRequest, auth.guard);
   */
  readonly guard: AstroMiddleware;
  /**
   * Converts `Astro` or a context into the argument that the server functions of an Auth accept. A `RequestSource` is
   * returned unchanged.
   * @throws Error in a prerendered page.
   */
  toRequestSource(given: RequestSource | AstroContext): RequestSource;
}

/**
 * The members that `createAuth` of `keyhook/astro` adds to an Auth. Its server functions also accept `Astro` or a
 * context.
 */
export interface AstroMembers extends ServerFunctions<AstroContext>, OwnMembers {}

const isContext = (given: unknown): given is AstroContext =>
  isObject(given) && "request" in given && "locals" in given && "cookies" in given;

function readAddress(context: AstroContext): string | undefined {
  try {
    return context.clientAddress;
  } catch {
    // The adapter may not know the address.
    return undefined;
  }
}

function readConnection(context: AstroContext): Connection {
  const { request, url } = context;
  // Astro runs the action that a form names, whatever page receives the post.
  const callsFunction = !isSafeMethod(request.method) && url.searchParams.has("_action");
  return { ip: readAddress(context), callsFunction };
}

/** A request of Astro. */
interface AstroVisit extends Visit {
  /** The names of the cookies that were set for this request. */
  readonly names: ReadonlySet<string>;
  readonly cache: VisitCache | undefined;
}

function createVisits(): (context: AstroContext) => AstroVisit {
  const visits = new WeakMap<Request, AstroVisit>();
  return (context) => {
    const { request, url, cookies } = context;
    const known = visits.get(request);
    if (known) return known;
    const names = new Set<string>();
    const cache = context.cache?.enabled ? context.cache : undefined;
    const parts = {
      cache,
      request,
      url,
      connection: readConnection(context),
      setCookie(name: string, value: string, attributes: CookieAttributes) {
        names.add(name);
        cookies.set(name, value, attributes);
      },
    };
    const visit = { ...createVisit(parts), names, cache };
    visits.set(request, visit);
    return visit;
  };
}

const SAME_SITE = ["strict", "lax", "none"] as const;

// Astro accepts a value and attributes. The line is always the output of `serializeCookie`.
function parseLine(line: string): [value: string, attributes: CookieAttributes] {
  const [pair = "", ...rest] = line.split("; ");
  const given = new Map(
    rest.map((part): [string, string] => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.toLowerCase(), value];
    }),
  );
  const { path, domain, expires, "max-age": maxAge, samesite } = Object.fromEntries(given);
  const sameSite = SAME_SITE.find((one) => one === samesite?.toLowerCase());
  const attributes: CookieAttributes = {
    httpOnly: given.has("httponly"),
    secure: given.has("secure"),
    ...(path && { path }),
    ...(domain && { domain }),
    ...(expires && { expires: new Date(expires) }),
    ...(maxAge && { maxAge: Number(maxAge) }),
    ...(sameSite && { sameSite }),
  };
  return [decodeURIComponent(pair.slice(pair.indexOf("=") + 1)), attributes];
}

// Astro appends the cookies that were set for a request to its response. A session that earlier middleware renewed
// would outlive its sign-out.
function keepOwnCookies(
  { cookies }: AstroContext,
  { names }: AstroVisit,
  { headers }: Response,
): void {
  const lines = headers.getSetCookie();
  for (const name of names) {
    const isOther = withoutSet([name], (one) => one, headers).length > 0;
    if (isOther) continue;
    // A part of a split cookie that the response does not set is left over.
    const line = lines.findLast((one) => getLineName(one) === name);
    cookies.set(name, ...parseLine(line ?? `${name}=; Max-Age=0; Path=/`));
  }
}

// The errors of `requireSession` and `requireFreshSession`. Other errors are the application's.
const REFUSALS = ["SessionRequired", "FreshSessionRequired", "AmbiguousSession"];

function isRefusal(error: unknown): error is AuthError {
  return error instanceof AuthError && REFUSALS.includes(error.type);
}

function extendForAstro(auth: Auth): AstroMembers {
  const { handle, authorize, getSession, signIn } = auth;
  const open = createVisits();

  const toRequestSource = (given: RequestSource | AstroContext): RequestSource => {
    if (!isContext(given)) return given;
    if (given.isPrerendered) {
      throw new Error(
        `${given.url.pathname} is prerendered for all visitors, so it has no session.`,
      );
    }
    return open(given).source;
  };
  const refuse = async (context: AstroContext, { type, status, message }: AuthError) => {
    const { request, url } = context;
    const isSafe = isSafeMethod(request.method);
    if (status !== 401 || !wantsPage(request)) {
      return Response.json({ error: type, message }, { status, headers: PRIVATE_HEADERS });
    }
    const page = isSafe ? url.href : url.pathname;
    const location = await getSignInUrl({ signIn }, open(context).source, page, type);
    return new Response(null, {
      status: isSafe ? 302 : 303,
      headers: { location, ...PRIVATE_HEADERS },
    });
  };

  const onRequest: AstroMiddleware = async (context, next) => {
    const { isPrerendered, request, locals } = context;
    const read = async () => (isPrerendered ? null : getSession(open(context).source));
    Object.assign(locals, { auth: read });
    // A page that is rendered for all visitors has no session, and the build has no secret.
    if (isPrerendered) return next();
    const visit = open(context);
    const response = await handle(request, visit.connection);
    if (response) {
      visit.cache?.set(false);
      keepOwnCookies(context, visit, response);
      keepUnshared(response.headers);
      return response;
    }
    try {
      return visit.finish(await next());
    } catch (error) {
      if (isRefusal(error)) return visit.finish(await refuse(context, error));
      throw error;
    }
  };

  const members: OwnMembers = {
    toRequestSource,
    // Modules export this function instead of the whole Auth. The command line finds the Auth through it.
    onRequest: Object.defineProperty(onRequest, AUTH, { value: auth }),
    async guard(context, next) {
      if (context.isPrerendered) return next();
      return (await authorize(open(context).source)) ?? next();
    },
  };
  // The Auth has the server functions, and converts their sources with `toRequestSource`.
  return members as OwnMembers & ServerFunctions<AstroContext>;
}

/** The binding for Astro. It imports nothing of Astro. */
export const astroBinding: Binding<AstroMembers> = {
  name: "bindings/astro",
  // The development server loads the application's files again after each change.
  get developmentSecret() {
    const isDevelopment = processEnv().NODE_ENV === "development";
    return isDevelopment ? readDevelopmentSecret(process.cwd()) : undefined;
  },
  extend: extendForAstro,
};
