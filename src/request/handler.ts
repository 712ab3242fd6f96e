import { MethodNotAllowed, UnknownAction } from "../errors/errors.ts";
import { callAround } from "../hooks/around.ts";
import { callHook } from "../hooks/hooks.ts";
import { buildCookieTable, type CookieTable } from "../http/cookies.ts";
import { findRequestFault } from "../http/request-fault.ts";
import { createUrlReader, type RequestUrl } from "../http/request-url.ts";
import { isRewritten } from "../http/target.ts";
import { warnOfDroppedCookies } from "../kernel/check-transport.ts";
import { andThen, isPromise } from "../platform/awaitable.ts";
import type { AuthContext, Body, Kernel, Operation } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Connection, LazyRequest } from "../types/request-source.ts";
import { callRoute } from "./call-route.ts";
import { createContext, endContext } from "./context.ts";
import { createCsrfCookies } from "./csrf.ts";
import { plainFailure, respondToError } from "./failure.ts";
import { finish, finishFailed } from "./finish.ts";
import { guard } from "./guard.ts";
import { createMissedPathCheck } from "./missed-path.ts";
import { createRouter, type Router, type Target } from "./router.ts";

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
  /** Returns whether a path belongs to a route of any method. */
  hasRoute(pathname: string): boolean;
  /**
   * Runs what precedes the route: its checks and the `request` hook. Returns the Response to send instead of the
   * route's. Throws, or rejects with, the error of a check or a tap.
   */
  guard(ctx: AuthContext): Awaitable<Response | undefined>;
  /** Runs the route. Rejects with the error that it throws. */
  dispatch(ctx: AuthContext): Promise<Response>;
}

// The error for a request that has no route.
function explainMissing({ request, url }: AuthContext, router: Router): UnknownAction {
  const segments = router.parse(url.pathname) ?? [];
  const text = `There is no route for ${request.method} ${url.pathname}`;
  const methods = router.methods(segments);
  // A second spelling of an existing path is treated as an unknown path.
  if (!methods.length || router.find(request.method, segments).route) {
    return new UnknownAction(`${text}.`);
  }
  const allow = methods.join(", ").replace("GET", "GET, HEAD");
  return new MethodNotAllowed(`${text}, only for ${allow}.`, allow);
}

/** Creates the handler of a kernel. */
export function createHandler(kernel: Kernel): Handler {
  const { config, hooks, logger } = kernel;
  const router = createRouter(kernel.routes.values(), config.basePath);
  const checkMissed = createMissedPathCheck(kernel);
  const readUrl = createUrlReader();
  const tables: { secure: CookieTable; plain: CookieTable } = {
    secure: buildCookieTable(kernel.cookies, config.cookies, true),
    plain: buildCookieTable(kernel.cookies, config.cookies, false),
  };
  const csrf = createCsrfCookies(config.secret);
  // Boot has checked a configured origin. In production, a proxy may terminate TLS without announcing it.
  let watchesOrigin = config.useSecureCookies && !config.production && !config.origin;

  const run = (ctx: AuthContext): Awaitable<Response> => {
    const { route } = ctx;
    if (!route) throw explainMissing(ctx, router);
    return andThen(guard(ctx), (refusal) => refusal ?? callRoute(ctx, route));
  };

  const buildContext = (
    target: Target,
    url: RequestUrl,
    { operation, request, body, connection }: Omit<ServerCall, "path">,
  ): AuthContext => {
    const ctx = createContext({
      kernel,
      request,
      url,
      tables,
      csrf,
      target,
      operation,
      connection,
      ...(body && { body }),
    });
    if (watchesOrigin && ctx.origin.startsWith("http:")) {
      watchesOrigin = false;
      warnOfDroppedCookies(logger, ctx.origin);
    }
    return ctx;
  };

  // Handles a request completely and never rejects. With a fault, the route does not run.
  const respond = async (ctx: AuthContext, fault?: Error): Promise<Response> => {
    try {
      let response: Response;
      try {
        if (fault) throw fault;
        const returned = run(ctx);
        response = isPromise(returned) ? await returned : returned;
      } catch (error) {
        response = await respondToError(ctx, error);
      }
      const called = hooks.response.isUsed() ? callHook(hooks.response, response, ctx) : response;
      const changed = isPromise(called) ? await called : called;
      return finish(ctx, changed ?? response);
    } catch (error) {
      // A tap of `error` or `response` threw, and there is no other hook to call.
      ctx.log.error(error as Error);
      return finishFailed(ctx);
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
        // The server may have built the URL from an invalid host header, which is the client's fault.
        if (!fault) return plainFailure(400);
        logger.error(fault);
        return plainFailure(500);
      }
      const segments = router.parse(url.pathname);
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
        return plainFailure(400);
      }
      if (!hooks.around.isUsed()) return respond(ctx);
      return callAround(hooks.around, ctx, {
        run: () => respond(ctx),
        recover: (fault) => respond(ctx, fault),
      });
    },
    open({ operation, request, path, body = {}, connection }) {
      const { origin } = new URL(request.url);
      const url = new URL(origin + config.basePath + path);
      const target = router.find(request.method, router.parse(url.pathname) ?? []);
      return buildContext(target, url, { operation, request, body, connection });
    },
    hasRoute: (pathname) => router.methods(router.parse(pathname) ?? []).length > 0,
    guard,
    async dispatch(ctx) {
      const { route } = ctx;
      if (!route) throw explainMissing(ctx, router);
      return callRoute(ctx, route);
    },
  };
}
