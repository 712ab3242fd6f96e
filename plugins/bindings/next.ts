import type { NextRequest } from "next/server";
import { AUTH, isForOneVisitor, processEnv } from "../../src/_kit.ts";
import type {
  Auth,
  Awaitable,
  Binding,
  RequestEvent,
  RequestSource,
  Session,
} from "../../src/kernel.ts";
import { getSignInUrl, startSignIn, startSignOut, type Target } from "./_action.ts";
import { readDevelopmentSecret } from "./_development-secret.ts";
import { type AppEvent, createAppEvents } from "./next/app-events.ts";
import { keepFromCaches } from "./next/caching.ts";
import { createPageEvents } from "./next/page-events.ts";
import { openProxy } from "./next/proxy.ts";
import type {
  NextAuthFunction,
  NextAuthRequest,
  NextMembers,
  NextPageContext,
  NextProxyEvent,
  PageRequest,
  PageResponse,
} from "./next/types.ts";
import { toPublicRequest, toRouteUrl } from "./next/url.ts";
import { createWaitUntil } from "./next/wait-until.ts";

export type * from "./next/types.ts";
export { getNextBase } from "./next/url.ts";

type Handler = (
  request: NextAuthRequest,
  context: unknown,
) => Awaitable<Response | void | null | undefined>;

type Guard = (
  next: (event: RequestEvent & { auth: Session | null }) => Awaitable<Response>,
) => (event: RequestEvent) => Promise<Response>;

const isRequest = (given: object): given is NextRequest =>
  typeof (given as Partial<Request>).headers?.get === "function";

// A route handler receives the parameters of its path, a proxy the event of its request.
const isRoute = (context: unknown): boolean =>
  typeof context === "object" && context !== null && "params" in context;

function withoutCaching(response: Response): Response {
  // The headers of a `fetch` response or a redirect are immutable.
  const copy = new Response(response.body, response);
  keepFromCaches(copy.headers);
  return copy;
}

async function follow({ url, redirect }: Target): Promise<string> {
  if (!redirect) return url;
  // Without the file extension: Next.js's bundlers know this name, and give route handlers another file than
  // components.
  const navigation = await import("next/navigation");
  return navigation.redirect(url);
}

/** Creates the members for Next.js. */
export function extendForNext(auth: Auth): NextMembers {
  const { handle, fetch, getSession, signIn, signOut, update } = auth;
  const guard = auth.auth as unknown as Guard;
  const openApp = createAppEvents();
  const openPage = createPageEvents();

  const respond = async (request: Request): Promise<Response> => {
    const url = toRouteUrl(request);
    const own = url === request.url ? request : new Request(url, request);
    const response = (await handle(own, { waitUntil: createWaitUntil() })) ?? (await fetch(own));
    const isStored = !isForOneVisitor(response.headers.get("cache-control"));
    return isStored ? response : withoutCaching(response);
  };

  // The sign-in page leads back to the page of a refused action.
  const leadToSignIn = async (
    request: NextRequest,
    refused: Response,
    event: RequestEvent,
  ): Promise<Response> => {
    const isAction = request.headers.has("next-action");
    if (refused.status !== 401 || !isAction) return refused;
    const { pathname, search } = new URL(request.url);
    const location = await getSignInUrl({ signIn }, event, pathname + search);
    // Next.js in the browser follows this response. Any other response to an action is an error there.
    const headers = new Headers(refused.headers);
    headers.set("x-action-redirect", `${location};push`);
    return new Response(refused.body, { status: refused.status, headers });
  };

  const runProxy = async (given: NextRequest, context: unknown, handler?: Handler) => {
    const request = await toPublicRequest(given);
    const { event, respond: send } = openProxy(request, given, context as Partial<NextProxyEvent>);
    const passed = new Response();
    let response: Response | void | null | undefined;
    const verdict = await guard(async (authed) => {
      response = await handler?.(Object.assign(request, { auth: authed.auth }), context);
      return passed;
    })(event);
    return send(verdict === passed ? response : await leadToSignIn(request, verdict, event));
  };

  const runRoute = async (given: NextRequest, context: unknown, handler: Handler) => {
    const request = await toPublicRequest(given);
    const { read } = await openApp(request);
    const response = await guard(async (authed) => {
      const own = await handler(Object.assign(request, { auth: authed.auth }), context);
      // Next.js reports a route handler that returns nothing.
      return own as Response;
    })(read);
    return response && withoutCaching(response);
  };

  const wrap = (handler: Handler) => (request: NextRequest, context: unknown) =>
    isRoute(context) ? runRoute(request, context, handler) : runProxy(request, context, handler);

  const change = async <T>(run: (event: AppEvent["change"]) => Promise<T>): Promise<T> =>
    run((await openApp()).change);

  const ask = (
    given?: Handler | NextRequest | PageRequest | NextPageContext,
    other?: unknown,
  ): unknown => {
    if (given === undefined) return openApp().then(({ read }) => getSession(read));
    if (typeof given === "function") return wrap(given);
    if (isRequest(given)) return runProxy(given, other);
    const { req, res } = "req" in given ? given : { req: given, res: other as PageResponse };
    return getSession(openPage(req, res));
  };

  const toRequestSource = async (
    given?: NextRequest | RequestSource | PageRequest | NextPageContext,
    res?: PageResponse,
  ): Promise<RequestSource> => {
    if (given === undefined || "nextUrl" in given) return (await openApp(given)).call;
    if (isRequest(given)) return given;
    if (!("req" in given)) return openPage(given as PageRequest, res as PageResponse);
    if (isRequest(given.req)) return given as RequestEvent;
    const page = given as NextPageContext;
    return openPage(page.req, page.res);
  };

  return {
    toRequestSource,
    handlers: { GET: respond, POST: respond, PUT: respond, PATCH: respond, DELETE: respond },
    // Modules export this function instead of the whole Auth. The command line finds the Auth through it.
    auth: Object.defineProperty(ask as NextAuthFunction, AUTH, { value: auth }),
    signIn: (async (provider, options, authorizationParams) => {
      return follow(
        await change((event) =>
          startSignIn({ signIn }, event, provider, options, authorizationParams),
        ),
      );
    }) as NextMembers["signIn"],
    signOut: (async (options) =>
      follow(
        await change((event) => startSignOut({ signOut }, event, options)),
      )) as NextMembers["signOut"],
    update: (data) => change((event) => update(event, data)),
    unstable_update: (data) => change((event) => update(event, data)),
  };
}

/** The binding for Next.js 15 and 16: both routers, server actions, and the proxy. */
export const nextBinding: Binding<NextMembers> = {
  name: "bindings/next",
  // `next dev` bundles the proxy and the routes separately, and again after each change. They share the secret.
  get developmentSecret() {
    if (process.env.NODE_ENV !== "development" || process.env.AUTH_SECRET) return undefined;
    return readDevelopmentSecret(".");
  },
  // The routes, the pages and their actions are bundled separately, each with its own Auth. Next.js sets the variable
  // in its bundles.
  get sharedMemory() {
    return process.env.NEXT_RUNTIME ? "next" : undefined;
  },
  // The form in which next-auth passes it on.
  textSecret: true,
  // Also on Workers, where Next.js adds the contents of its env files to `process`.
  env: processEnv,
  extend: extendForNext,
};
