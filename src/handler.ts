import { createContext, isOwn, isTrusted, type PageMaker, REQUEST_TIMEOUT } from "./context.ts";
import { type CookieTable, cookieTable, serializeCookie } from "./cookies.ts";
import { checkCsrf } from "./csrf.ts";
import { InvalidProvider, MethodNotAllowed, UnknownAction } from "./errors.ts";
import { failure, plainFailure } from "./failure.ts";
import { ask } from "./hooks.ts";
import { within } from "./time.ts";
import type { AuthContext, Body, Kernel, Route } from "./types/kernel.ts";

/** A kernel at work: requests in, responses out. */
export interface Handler {
  /** Answers a request below the base path, `undefined` elsewhere. Never rejects. */
  handle(request: Request): Promise<Response | undefined>;
  /** The context of a call by the application's own server code. */
  open(request: Request, path: string, body?: Body): AuthContext;
  /** Takes a context through guard, hook and route. Rejects with what was thrown. */
  dispatch(ctx: AuthContext): Promise<Response>;
}

interface Target {
  action: string;
  providerId?: string;
  route: Route | undefined;
}

const JSON_BAD_HOST = 400;
/** Milliseconds beyond the request's time for those who heard the signal to say what went wrong. */
const GRACE = 1000;

/** The cookies to be set, as header values. */
export function cookieHeaders(ctx: AuthContext): string[] {
  return ctx.cookies.pending.map(serializeCookie);
}

/** A response with the cookies that are to be set. */
export function withCookies(ctx: AuthContext, response: Response): Response {
  const cookies = cookieHeaders(ctx);
  if (!cookies.length) return response;
  // One that came from elsewhere may serve other visitors too, or have headers that cannot change.
  const own = isOwn(ctx, response);
  const headers = own ? response.headers : new Headers(response.headers);
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  // Whatever a route said: nobody else may get these (SECURITY.md R10).
  if (!headers.get("cache-control")?.includes("no-store")) {
    headers.set("cache-control", "private, no-store");
  }
  return own ? response : new Response(response.body, { status: response.status, headers });
}

/** Puts a kernel to work. */
export function createHandler(kernel: Kernel): Handler {
  const { config, hooks, logger } = kernel;
  const tables: { secure: CookieTable; plain: CookieTable } = {
    secure: cookieTable(config.cookies, true),
    plain: cookieTable(config.cookies, false),
  };

  let maker: Promise<PageMaker> | undefined;
  const pages = () => (maker ??= import("./page/respond.ts"));

  // Segments below the base path, or nothing when the path is not ours: `/authority` is not `/auth`.
  const segmentsOf = (pathname: string): string[] | undefined => {
    const rest = pathname.slice(config.basePath.length);
    if (!pathname.startsWith(config.basePath) || !rest.startsWith("/")) return undefined;
    return rest.split("/").filter(Boolean);
  };

  const find = (method: string, segments: readonly string[]): Target => {
    const verb = method === "HEAD" ? "GET" : method;
    const [action = ""] = segments;
    const providerId = segments.at(-1);
    // The pattern itself is no path.
    const exact =
      providerId === ":provider" ? undefined : kernel.route(verb, `/${segments.join("/")}`);
    if (exact || segments.length < 2 || providerId === undefined) return { action, route: exact };
    const rest = `/${segments.slice(0, -1).join("/")}`;
    // Clients that know no provider write the word.
    if (providerId === "undefined") return { action, route: kernel.route(verb, rest) };
    return { action, route: kernel.route(verb, `${rest}/:provider`), providerId };
  };

  const allowed = (segments: readonly string[]): string[] =>
    ["GET", "POST"].filter((method) => find(method, segments).route);

  const absent = (ctx: AuthContext): UnknownAction => {
    const text = `No route answers ${ctx.request.method} ${ctx.url.pathname}.`;
    const methods = allowed(segmentsOf(ctx.url.pathname) ?? []);
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
      throw new InvalidProvider("The path names a provider that is not configured.");
    }
    if (needsCsrf(ctx, route)) await checkCsrf(ctx);
    if (hooks.request.isUsed()) {
      const answer = await ask(hooks.request, ctx);
      if (answer instanceof Response) return answer;
    }
    return within(route.handler(ctx), REQUEST_TIMEOUT + GRACE);
  };

  const contextOf = (request: Request, url: URL, target: Target, call?: { body?: Body }) => {
    const provider =
      target.providerId === undefined ? undefined : kernel.providers.get(target.providerId);
    return createContext({
      kernel,
      request,
      url,
      tables,
      pages,
      place: { action: target.action, ...(provider && { provider }) },
      ...(call && { trusted: true, ...(call.body && { body: call.body }) }),
    });
  };

  const finish = async (ctx: AuthContext, response: Response): Promise<Response> => {
    const shaped = hooks.response.isUsed() ? await ask(hooks.response, response, ctx) : response;
    const final = withCookies(ctx, shaped ?? response);
    if (ctx.request.method !== "HEAD") return final;
    return new Response(null, { status: final.status, headers: final.headers });
  };

  const answer = async (request: Request, url: URL, segments: string[]): Promise<Response> => {
    const target = find(request.method, segments);
    let ctx: AuthContext;
    try {
      ctx = contextOf(request, url, target);
    } catch (error) {
      logger.error(error as Error);
      return plainFailure(JSON_BAD_HOST);
    }
    let response: Response;
    try {
      response = await run(ctx, target);
    } catch (error) {
      response = await failure(ctx, error, target.route);
    }
    return finish(ctx, response);
  };

  return {
    async handle(request) {
      let url: URL;
      try {
        url = new URL(request.url);
      } catch {
        // A server's own kind of Request may hold what its client wrote for a host.
        return plainFailure(JSON_BAD_HOST);
      }
      const segments = segmentsOf(url.pathname);
      if (!segments) return undefined;
      // At the root only our own paths are ours.
      const isElsewhere = config.basePath === "" && !allowed(segments).length;
      if (isElsewhere) return undefined;
      try {
        return await answer(request, url, segments);
      } catch (error) {
        // A tap of `error` or `response` threw: there is nobody left to ask.
        logger.error(error as Error);
        return plainFailure(500);
      }
    },
    open(request, path, body = {}) {
      const url = new URL(request.url);
      const [pathname = "", search = ""] = path.split("?");
      const here = new URL(`${url.origin}${config.basePath}${pathname}${search && `?${search}`}`);
      const target = find(request.method, segmentsOf(here.pathname) ?? []);
      return contextOf(request, here, target, { body });
    },
    dispatch(ctx) {
      const segments = segmentsOf(ctx.url.pathname) ?? [];
      return run(ctx, find(ctx.request.method, segments));
    },
  };
}
