import {
  BadRequest,
  InvalidProvider,
  MethodNotAllowed,
  PluginError,
  UnknownAction,
} from "../errors/errors.ts";
import { callAround } from "../hooks/around.ts";
import { callHook } from "../hooks/hooks.ts";
import { forbidCaching, forbidSharedCaching } from "../http/caching.ts";
import {
  buildCookieTable,
  type CookieTable,
  serializeCookie,
  toWholeName,
  withoutSet,
} from "../http/cookies.ts";
import { isSafeMethod } from "../http/method.ts";
import { findRequestFault } from "../http/request-fault.ts";
import { createUrlReader, type RequestUrl } from "../http/request-url.ts";
import { isRewritten } from "../http/target.ts";
import { expectOneUser } from "../kernel/strategy.ts";
import { andThen, isPromise } from "../platform/awaitable.ts";
import { didYouMean } from "../platform/spelling.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { Connection, LazyRequest } from "../types/auth.ts";
import type { CookieToSet } from "../types/cookie.ts";
import type { AuthContext, Body, Kernel, Operation, RegisteredRoute } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import {
  createContext,
  endContext,
  getMethod,
  hasReadSession,
  isOwn,
  isTrusted,
  isUncached,
  REQUEST_TIMEOUT_MS,
} from "./context.ts";
import { checkCsrf, createCsrfCookies } from "./csrf.ts";
import { failure, plainFailure } from "./failure.ts";
import { createMissedPathCheck } from "./missed-path.ts";
import { createRouter, type Target } from "./router.ts";
import { redirectToSignIn } from "./sign-in-redirect.ts";

/** A call by the application's own server code, which needs no CSRF token. */
export interface ServerCall {
  operation: Operation;
  request: Request | LazyRequest;
  /** Path below the base path, with its query. */
  path: string;
  body?: Body;
  connection?: Connection | undefined;
}

/** Handles requests with a kernel. */
export interface Handler {
  /** Returns the response to a request below the base path, else `undefined`. Neither throws nor rejects. */
  handle(request: Request | LazyRequest, connection?: Connection): Awaitable<Response> | undefined;
  /** Creates the context of a call by the application's own server code. */
  open(call: ServerCall): AuthContext;
  /** Returns whether a path is that of a route, of whatever method. */
  hasRoute(pathname: string): boolean;
  /**
   * Runs what precedes the route: its checks and the `request` hook. Returns the Response to send instead of
   * the route's. Throws, or rejects with, the error of one of them.
   */
  guard(ctx: AuthContext): Awaitable<Response | undefined>;
  /** Runs the route. Rejects with the error that it throws. */
  dispatch(ctx: AuthContext): Promise<Response>;
}

const BAD_REQUEST_STATUS = 400;
/** Milliseconds after a request's time limit in which code that the signal aborted can report its error. */
const GRACE_MS = 1000;

/** Returns whether a request may change something: by its method, or as its route states. */
export function isMutation(ctx: AuthContext): boolean {
  return !isSafeMethod(getMethod(ctx)) || ctx.route?.writes === true;
}

/** Writes cookies into the headers of a response, all that are to be set by default; returns whether there are any. */
function writeCookies(
  { cookies, kernel }: AuthContext,
  headers: Headers,
  pending: readonly CookieToSet[] = cookies.pending,
): boolean {
  const { sessionTransport } = kernel;
  const lines =
    sessionTransport?.send(pending).filter(([name]) => !headers.has(name)) ??
    pending.map((cookie) => ["set-cookie", serializeCookie(cookie)] as const);
  for (const [name, value] of lines) headers.append(name, value);
  return lines.length > 0;
}

// Nothing of what a request has done is sent with a fault but what it has ended: a session that was signed out of, an
// attempt. A cookie that was to be set in another number of parts has not ended.
function plainFault(ctx: AuthContext): Response {
  const response = plainFailure(500);
  const { pending } = ctx.cookies;
  const set = pending.flatMap(({ name, value }) => (value ? [toWholeName(name)] : []));
  const ended = pending.filter(({ name, value }) => !value && !set.includes(toWholeName(name)));
  try {
    writeCookies(ctx, response.headers, ended);
  } catch {
    // It may be the fault: a cookie with an attribute that is not valid.
  }
  return response;
}

// A response of the application may be shared among visitors, or have immutable headers.
function toOwn(ctx: AuthContext, response: Response): Response {
  if (isOwn(ctx, response)) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body, { status, statusText, headers });
}

// For speed: without a tap of `response`, the headers of such a response are as they were made.
function isKeptUncached(ctx: AuthContext, response: Response): boolean {
  return !ctx.kernel.hooks.response.isUsed() && isUncached(ctx, response);
}

/** Returns a response of the application that depends on the session, with the cookies that are to be set. */
export function withSession(ctx: AuthContext, response: Response): Response {
  const own = toOwn(ctx, response);
  // The application may have signed the visitor out, or another one in, since the session was read.
  const { pending } = ctx.cookies;
  const due = own === response ? pending : withoutSet(pending, ({ name }) => name, own.headers);
  // Whatever the route set: no cache may give these cookies to another visitor (SECURITY.md R10).
  const hasCookies = writeCookies(ctx, own.headers, due);
  if (isKeptUncached(ctx, own)) return own;
  if (hasCookies) forbidCaching(own.headers);
  else forbidSharedCaching(own.headers);
  return own;
}

/** Returns a response with the cookies that are to be set; with any, it is not cacheable. */
export function withCookies(ctx: AuthContext, response: Response): Response {
  return ctx.cookies.pending.length ? withSession(ctx, response) : response;
}

// A response that depends on the session is not cacheable, whatever the route or a tap set; any other one is not
// unless it says so: most depend on the request's host.
function withCaching(ctx: AuthContext, response: Response): Response {
  if (isKeptUncached(ctx, response)) return response;
  const isPersonal = ctx.route?.auth || hasReadSession(ctx);
  if (!isPersonal && response.headers.has("cache-control")) return response;
  const own = toOwn(ctx, response);
  forbidCaching(own.headers);
  return own;
}

// A GET leads to the sign-in page and back; every other refusal is an error, which JSON routes report.
async function requireSession(
  ctx: AuthContext,
  route: RegisteredRoute,
): Promise<Response | undefined> {
  const isVisit = !route.json && isSafeMethod(ctx.request.method);
  const response = isVisit && !(await ctx.session()) ? redirectToSignIn(ctx) : undefined;
  if (response) return response;
  await (route.auth === "fresh" ? ctx.requireFreshSession() : ctx.requireSession());
  return undefined;
}

function expectResponse(response: unknown, route: RegisteredRoute): Response {
  if (response instanceof Response) return response;
  throw new PluginError(
    `The route ${route.method} ${route.path} (plugin "${route.plugin}") returned no Response. Return one, ` +
      "such as `ctx.json(value)`.",
  );
}

async function awaitRoute(pending: Promise<Response>, route: RegisteredRoute): Promise<Response> {
  const seconds = (REQUEST_TIMEOUT_MS + GRACE_MS) / 1000;
  const response: unknown = await withTimeout(pending, seconds * 1000, () => {
    const text = `The route ${route.method} ${route.path} (plugin "${route.plugin}") took more than ${seconds} s.`;
    return new PluginError(`${text} End its work when \`ctx.signal\` is aborted.`);
  });
  return expectResponse(response, route);
}

// A route that has its answer at once needs no time limit.
function callRoute(ctx: AuthContext, route: RegisteredRoute): Awaitable<Response> {
  const response = route.handler(ctx);
  return isPromise(response) ? awaitRoute(response, route) : expectResponse(response, route);
}

// A visitor wrote the path: the log repeats nothing of it.
function explainProvider(id: string, configured: readonly string[]): string {
  const fault = "The path names a provider that is not configured";
  const similar = didYouMean(id, configured);
  if (similar) return `${fault}.${similar}`;
  return `${fault} (configured: ${configured.join(", ") || "none"}). Add it to \`providers\`, or correct the URL.`;
}

/** Creates the handler of a kernel. */
export function createHandler(kernel: Kernel): Handler {
  const { config, hooks, logger } = kernel;
  const router = createRouter(kernel.routes.values());
  const checkMissed = createMissedPathCheck(kernel);
  const readUrl = createUrlReader();
  const tables: { secure: CookieTable; plain: CookieTable } = {
    secure: buildCookieTable(kernel.cookies, config.cookies, true),
    plain: buildCookieTable(kernel.cookies, config.cookies, false),
  };
  const csrf = createCsrfCookies(config.secret);

  // Returns the segments below the base path, or `undefined` elsewhere: `/authority` is not below `/auth`.
  // Empty ones stay, and match no route: a second spelling of a path would pass by limits and rules that servers
  // in front have for the first.
  const parsePath = (pathname: string): string[] | undefined => {
    const rest = pathname.slice(config.basePath.length);
    if (!pathname.startsWith(config.basePath) || !rest.startsWith("/")) return undefined;
    return rest === "/" ? [] : rest.slice(1).split("/");
  };

  const findTarget = ({ request, url }: AuthContext): Target =>
    router.find(request.method, parsePath(url.pathname) ?? []);

  const absent = (ctx: AuthContext): UnknownAction => {
    const { pathname } = ctx.url;
    const text = `There is no route for ${ctx.request.method} ${pathname}`;
    const methods = router.methods(parsePath(pathname) ?? []);
    // A second spelling of a path that has the method is no path.
    if (!methods.length || findTarget(ctx).route) return new UnknownAction(`${text}.`);
    const allow = methods.join(", ").replace("GET", "GET, HEAD");
    return new MethodNotAllowed(`${text}, only for ${allow}.`, allow);
  };

  const needsCsrf = (ctx: AuthContext, route: RegisteredRoute): boolean => {
    if (isSafeMethod(route.method) || route.csrf === false || isTrusted(ctx)) return false;
    if (route.csrf !== "flow" || !ctx.provider) return true;
    return kernel.flow(ctx.provider.type).csrf !== false;
  };

  const ask = async (ctx: AuthContext, route: RegisteredRoute | undefined) => {
    if (isMutation(ctx)) await expectOneUser(ctx, kernel.strategy);
    if (route && needsCsrf(ctx, route)) await checkCsrf(ctx);
    if (hooks.request.isUsed()) {
      const called = callHook(hooks.request, ctx);
      const response = isPromise(called) ? await called : called;
      if (response) return response;
    }
    return route?.auth ? requireSession(ctx, route) : undefined;
  };

  // Most requests read, and have nothing to wait for here.
  const check = (ctx: AuthContext, target: Target): Awaitable<Response | undefined> => {
    const { route, providerId, isMalformed } = target;
    if (isMalformed) throw new BadRequest("The percent-encoding of the path is not valid.");
    if (providerId !== undefined && !ctx.provider) {
      throw new InvalidProvider(explainProvider(providerId, [...kernel.providers.keys()]));
    }
    const isOpen = !route?.auth && !hooks.request.isUsed() && !isMutation(ctx);
    return isOpen ? undefined : ask(ctx, route);
  };

  const run = (ctx: AuthContext, target: Target): Awaitable<Response> => {
    const { route } = target;
    if (!route) throw absent(ctx);
    return andThen(check(ctx, target), (refusal) => refusal ?? callRoute(ctx, route));
  };

  const buildContext = (
    target: Target,
    url: RequestUrl,
    { operation, request, body, connection }: Omit<ServerCall, "path">,
  ): AuthContext => {
    const { action, params, providerId, route } = target;
    const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
    const path = { action, params, provider, route };
    return createContext({
      kernel,
      request,
      url,
      tables,
      csrf,
      path,
      operation,
      connection,
      ...(body && { body }),
    });
  };

  const finish = (ctx: AuthContext, response: Response): Response => {
    const final = withCookies(ctx, withCaching(ctx, response));
    if (getMethod(ctx) !== "HEAD") return final;
    return new Response(null, { status: final.status, headers: final.headers });
  };

  // Handles a request to its end. Never rejects. With a fault, the route is not run.
  const respond = async (ctx: AuthContext, target: Target, fault?: Error): Promise<Response> => {
    try {
      let response: Response;
      try {
        if (fault) throw fault;
        const answer = run(ctx, target);
        response = isPromise(answer) ? await answer : answer;
      } catch (error) {
        response = await failure(ctx, error, target.route);
      }
      const called = hooks.response.isUsed() ? callHook(hooks.response, response, ctx) : response;
      const changed = isPromise(called) ? await called : called;
      return finish(ctx, changed ?? response);
    } catch (error) {
      // A tap of `error` or `response` threw: there is no other hook to call.
      ctx.log.error(error as Error);
      return plainFault(ctx);
    } finally {
      endContext(ctx);
    }
  };

  return {
    handle(request, connection) {
      const { url: href } = request;
      let url: RequestUrl;
      try {
        url = readUrl(href);
      } catch {
        const fault = findRequestFault(request);
        // A Request class of the server may contain the host header as the client wrote it.
        if (!fault) return plainFailure(BAD_REQUEST_STATUS);
        logger.error(fault);
        return plainFailure(500);
      }
      const segments = parsePath(url.pathname);
      if (!segments) {
        checkMissed(url.pathname);
        return undefined;
      }
      // With an empty base path, only the paths of routes belong to Keyhook.
      const isShared = config.basePath === "" || connection?.sharesPath;
      const hasOtherPath = isRewritten(connection?.target ?? href);
      const isElsewhere = isShared && (hasOtherPath || !router.methods(segments).length);
      if (isElsewhere) return undefined;
      const target = hasOtherPath ? { action: "" } : router.find(request.method, segments);
      let ctx: AuthContext;
      try {
        ctx = buildContext(target, url, { operation: "request", request, connection });
      } catch (error) {
        logger.error(error as Error);
        return plainFailure(BAD_REQUEST_STATUS);
      }
      if (!hooks.around.isUsed()) return respond(ctx, target);
      return callAround(hooks.around, ctx, {
        run: () => respond(ctx, target),
        recover: (fault) => respond(ctx, target, fault),
      });
    },
    open({ operation, request, path, body = {}, connection }) {
      const { origin } = new URL(request.url);
      const [pathname = "", search = ""] = path.split("?");
      const url = new URL(`${origin}${config.basePath}${pathname}${search && `?${search}`}`);
      const target = router.find(request.method, parsePath(url.pathname) ?? []);
      return buildContext(target, url, { operation, request, body, connection });
    },
    hasRoute: (pathname) => router.methods(parsePath(pathname) ?? []).length > 0,
    guard: (ctx) => check(ctx, findTarget(ctx)),
    async dispatch(ctx) {
      const { route } = findTarget(ctx);
      if (!route) throw absent(ctx);
      return callRoute(ctx, route);
    },
  };
}
