import { InvalidProvider, MethodNotAllowed, UnknownAction } from "../errors/errors.ts";
import { buildCookieTable, type CookieTable, serializeCookie } from "../http/cookies.ts";
import { callAround } from "../kernel/around.ts";
import { callHook } from "../kernel/hooks.ts";
import { isPromise } from "../platform/awaitable.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { AuthContext, Body, Kernel, Operation, Route } from "../types/kernel.ts";
import { createContext, isOwn, isTrusted, REQUEST_TIMEOUT_MS } from "./context.ts";
import { checkCsrf } from "./csrf.ts";
import { failure, plainFailure } from "./failure.ts";

/** Handles requests with a kernel. */
export interface Handler {
  /** Resolves to the response to a request below the base path, else to `undefined`. Never rejects. */
  handle(request: Request): Promise<Response | undefined>;
  /** Creates the context of a call by the application's own server code, which needs no CSRF token. */
  open(operation: Operation, request: Request, path: string, body?: Body): AuthContext;
  /**
   * Runs the CSRF check, the `request` hook and the route. Rejects with the error that one of them throws.
   */
  dispatch(ctx: AuthContext): Promise<Response>;
}

interface Target {
  action: string;
  providerId?: string;
  route: Route | undefined;
}

const BAD_REQUEST_STATUS = 400;
/** Milliseconds after a request's time limit in which code that the signal aborted can report its error. */
const GRACE_MS = 1000;

/** Returns the cookies to be set as values of `Set-Cookie` headers. */
export function cookieHeaders(ctx: AuthContext): string[] {
  return ctx.cookies.pending.map(serializeCookie);
}

/**
 * Returns a response with the cookies that are to be set; with any, it is not cacheable (SECURITY.md R10).
 */
export function withCookies(ctx: AuthContext, response: Response): Response {
  const cookies = cookieHeaders(ctx);
  if (!cookies.length) return response;
  // A response of the application may be shared among visitors, or have immutable headers.
  const own = isOwn(ctx, response);
  const headers = own ? response.headers : new Headers(response.headers);
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  // Whatever the route set: no cache may give these cookies to another visitor (SECURITY.md R10).
  if (!headers.get("cache-control")?.includes("no-store")) {
    headers.set("cache-control", "private, no-store");
  }
  return own ? response : new Response(response.body, { status: response.status, headers });
}

/** Creates the handler of a kernel. */
export function createHandler(kernel: Kernel): Handler {
  const { config, hooks, logger } = kernel;
  const tables: { secure: CookieTable; plain: CookieTable } = {
    secure: buildCookieTable(kernel.cookies, config.cookies, true),
    plain: buildCookieTable(kernel.cookies, config.cookies, false),
  };

  // Returns the segments below the base path, or `undefined` elsewhere: `/authority` is not below `/auth`.
  const parsePath = (pathname: string): string[] | undefined => {
    const rest = pathname.slice(config.basePath.length);
    if (!pathname.startsWith(config.basePath) || !rest.startsWith("/")) return undefined;
    return rest.split("/").filter(Boolean);
  };

  const find = (method: string, segments: readonly string[]): Target => {
    const verb = method === "HEAD" ? "GET" : method;
    const [action = ""] = segments;
    const providerId = segments.at(-1);
    // The literal `:provider` of a route's pattern must not match.
    const exact =
      providerId === ":provider" ? undefined : kernel.route(verb, `/${segments.join("/")}`);
    if (exact || segments.length < 2 || providerId === undefined) return { action, route: exact };
    const rest = `/${segments.slice(0, -1).join("/")}`;
    // Clients without a provider write "undefined" into the path.
    if (providerId === "undefined") return { action, route: kernel.route(verb, rest) };
    return { action, route: kernel.route(verb, `${rest}/:provider`), providerId };
  };

  const allowed = (segments: readonly string[]): string[] =>
    ["GET", "POST"].filter((method) => find(method, segments).route);

  const absent = (ctx: AuthContext): UnknownAction => {
    const text = `There is no route for ${ctx.request.method} ${ctx.url.pathname}.`;
    const methods = allowed(parsePath(ctx.url.pathname) ?? []);
    return methods.length
      ? new MethodNotAllowed(text, methods.join(", ").replace("GET", "GET, HEAD"))
      : new UnknownAction(text);
  };

  const needsCsrf = (ctx: AuthContext, route: Route): boolean => {
    if (route.method !== "POST" || route.csrf === false || isTrusted(ctx)) return false;
    if (route.csrf !== "flow" || !ctx.provider) return true;
    return kernel.flow(ctx.provider.type).csrf !== false;
  };

  const run = async (ctx: AuthContext, target: Target): Promise<Response> => {
    const { route, providerId } = target;
    if (!route) throw absent(ctx);
    if (providerId !== undefined && !ctx.provider) {
      throw new InvalidProvider(
        "The path names a provider that is not configured. Add it to `providers`, or correct the URL.",
      );
    }
    if (needsCsrf(ctx, route)) await checkCsrf(ctx);
    if (hooks.request.isUsed()) {
      const called = callHook(hooks.request, ctx);
      const response = isPromise(called) ? await called : called;
      if (response) return response;
    }
    return withTimeout(route.handler(ctx), REQUEST_TIMEOUT_MS + GRACE_MS);
  };

  const buildContext = (
    request: Request,
    url: URL,
    target: Target,
    call?: { operation: Operation; body: Body },
  ) => {
    const provider =
      target.providerId === undefined ? undefined : kernel.providers.get(target.providerId);
    return createContext({
      kernel,
      request,
      url,
      tables,
      path: { action: target.action, ...(provider && { provider }) },
      ...call,
    });
  };

  const finish = async (ctx: AuthContext, response: Response): Promise<Response> => {
    const called = hooks.response.isUsed() ? callHook(hooks.response, response, ctx) : response;
    const changed = isPromise(called) ? await called : called;
    const final = withCookies(ctx, changed ?? response);
    if (ctx.request.method !== "HEAD") return final;
    return new Response(null, { status: final.status, headers: final.headers });
  };

  // Handles a request to its end. Never rejects. With a fault, the route is not run.
  const respond = async (ctx: AuthContext, target: Target, fault?: Error): Promise<Response> => {
    try {
      let response: Response;
      try {
        if (fault) throw fault;
        response = await run(ctx, target);
      } catch (error) {
        response = await failure(ctx, error, target.route);
      }
      return await finish(ctx, response);
    } catch (error) {
      // A tap of `error` or `response` threw: there is no other hook to call.
      logger.error(error as Error);
      return plainFailure(500);
    }
  };

  return {
    async handle(request) {
      let url: URL;
      try {
        url = new URL(request.url);
      } catch {
        // A Request class of the server may contain the host header as the client wrote it.
        return plainFailure(BAD_REQUEST_STATUS);
      }
      const segments = parsePath(url.pathname);
      if (!segments) return undefined;
      // With an empty base path, only the paths of routes belong to Keyhook.
      const isElsewhere = config.basePath === "" && !allowed(segments).length;
      if (isElsewhere) return undefined;
      const target = find(request.method, segments);
      let ctx: AuthContext;
      try {
        ctx = buildContext(request, url, target);
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
    open(operation, request, path, body = {}) {
      const url = new URL(request.url);
      const [pathname = "", search = ""] = path.split("?");
      const here = new URL(`${url.origin}${config.basePath}${pathname}${search && `?${search}`}`);
      const target = find(request.method, parsePath(here.pathname) ?? []);
      return buildContext(request, here, target, { operation, body });
    },
    dispatch(ctx) {
      const segments = parsePath(ctx.url.pathname) ?? [];
      return run(ctx, find(ctx.request.method, segments));
    },
  };
}
