import { AuthError, CallbackRouteError, MissingRequest } from "../errors/errors.ts";
import { callAround } from "../kernel/around.ts";
import { callHook } from "../kernel/hooks.ts";
import { cookieHeaders, type Handler, withCookies } from "../request/handler.ts";
import { pageUrl } from "../request/redirect.ts";
import type {
  AuthorizationParams,
  RequestSource,
  SignInOptions,
  SignOutOptions,
} from "../types/auth.ts";
import type { AuthContext, Body, Kernel } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";

/**
 * Returns the request of a call.
 * @throws MissingRequest when a server-side method was called without one.
 */
export function getRequest(call: RequestSource | undefined): Request {
  if (typeof call !== "object" || call === null) {
    throw new MissingRequest("Pass the Request, or the event that has it, as the first argument.");
  }
  return "req" in call ? call.req : call;
}

function getResponseHeaders(call: RequestSource): Headers | undefined {
  return "req" in call ? call.res?.headers : undefined;
}

// Appends the cookies to the headers of the call's event, if it has them.
function deliver(ctx: AuthContext, call: RequestSource): void {
  const sink = getResponseHeaders(call);
  const cookies = cookieHeaders(ctx);
  if (!sink || !cookies.length) return;
  for (const cookie of cookies) sink.append("set-cookie", cookie);
  if (!sink.get("cache-control")?.includes("no-store")) {
    sink.set("cache-control", "private, no-store");
  }
}

// Runs a call inside of the taps of `around`.
function perform<T>(ctx: AuthContext, run: () => Promise<T>): Promise<T> {
  const { around } = ctx.kernel.hooks;
  if (!around.isUsed()) return run();
  return callAround(around, ctx, { run, recover: (fault) => Promise.reject(fault) });
}

// Returns the POST that the visitor's browser would send, without its body.
function toPost(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type", "x-auth-return-redirect"]) {
    headers.delete(name);
  }
  const { waitUntil } = request as { waitUntil?: unknown };
  const post = new Request(request.url, { method: "POST", headers });
  return typeof waitUntil === "function"
    ? Object.assign(post, { waitUntil: waitUntil.bind(request) as unknown })
    : post;
}

function parseOptions(options: SignInOptions | SignOutOptions = {}): {
  redirect: boolean;
  redirectTo?: string;
  fields: Body;
} {
  const isForm = options instanceof FormData;
  const entries: Record<string, unknown> = isForm ? Object.fromEntries(options) : { ...options };
  const { redirect = true, redirectTo, ...fields } = entries;
  return {
    // The application decides whether the method redirects, not the visitor's form.
    redirect: isForm || redirect !== false,
    ...(typeof redirectTo === "string" && redirectTo && { redirectTo }),
    fields,
  };
}

// Returns the page that the visitor is on.
function getCurrentPage(request: Request): string {
  return request.headers.get("referer") ?? "/";
}

async function post(handler: Handler, ctx: AuthContext, call: RequestSource): Promise<Response> {
  try {
    return await handler.dispatch(ctx);
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown : new CallbackRouteError(thrown as Error);
    // The caller may drop the error: it is logged here.
    ctx.kernel.logger.error(error);
    deliver(ctx, call);
    throw error;
  }
}

function outcome(
  ctx: AuthContext,
  call: RequestSource,
  response: Response,
  redirect: boolean,
): Response | string {
  deliver(ctx, call);
  if (!redirect) return response.headers.get("location") ?? ctx.url.href;
  return getResponseHeaders(call) ? response : withCookies(ctx, response);
}

async function readSession(ctx: AuthContext, call: RequestSource): Promise<Session | null> {
  const session = await ctx.kernel.strategy.read(ctx);
  deliver(ctx, call);
  return session;
}

/** Resolves to the session of a call; a renewed cookie is appended to the headers of the call's event. */
export function getSession(handler: Handler, call: RequestSource): Promise<Session | null> {
  const ctx = handler.open("getSession", getRequest(call), "/session");
  return perform(ctx, () => readSession(ctx, call));
}

/**
 * Resolves to the CSRF token of a call's browser; a new cookie is appended to the headers of the call's
 * event.
 */
export function csrfToken(handler: Handler, call: RequestSource): Promise<string | undefined> {
  const ctx = handler.open("csrfToken", getRequest(call), "/csrf");
  return perform(ctx, async () => {
    const token = await ctx.csrfToken();
    deliver(ctx, call);
    return token;
  });
}

/**
 * Returns the response to a request that may not pass: a redirect to the sign-in page, or 401 unless GET or
 * HEAD.
 */
function refusal(ctx: AuthContext): Response | undefined {
  const { kernel, request, origin } = ctx;
  const page = kernel.config.pages.signIn ?? `${ctx.base}/signin`;
  const here = new URL(request.url);
  const target = new URL(page, origin);
  // The sign-in page itself must remain reachable, if it has the public origin.
  if (target.origin === origin && target.pathname === here.pathname) return undefined;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return ctx.json({ message: "Sign in first." }, { status: 401 });
  }
  const callbackUrl = origin + here.pathname + here.search;
  return ctx.redirect(pageUrl(page, origin, { callbackUrl }));
}

async function guard(ctx: AuthContext, session: Session | null): Promise<Response | undefined> {
  const params = { request: ctx.request, auth: session };
  const verdict = await callHook(ctx.kernel.hooks.authorized, params, ctx);
  return verdict === false ? refusal(ctx) : verdict;
}

/** The decision on a request of the application. */
export interface Authorization {
  readonly ctx: AuthContext;
  readonly session: Session | null;
  /** Stops the request. */
  readonly response: Response | undefined;
}

/** Reads the session of a call and calls the `authorized` hook. */
export async function authorize(handler: Handler, call: RequestSource): Promise<Authorization> {
  const ctx = handler.open("authorize", getRequest(call), "/session");
  const read: { session: Session | null } = { session: null };
  const response = await perform(ctx, async () => {
    read.session = await readSession(ctx, call);
    return guard(ctx, read.session);
  });
  return { ctx, session: read.session, response };
}

/**
 * Signs in on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL.
 * @throws AuthError as the route would; any other error is wrapped in `CallbackRouteError`.
 */
export async function signIn(
  kernel: Kernel,
  handler: Handler,
  call: RequestSource,
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<Response | string> {
  const { redirect, redirectTo, fields } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
  if (!provider) {
    const ctx = handler.open("signIn", toPost(getRequest(call)), "/signin");
    return perform(ctx, async () => {
      const page = kernel.config.pages.signIn ?? `${ctx.base}/signin`;
      const query = { callbackUrl: await ctx.safeRedirect(callbackUrl) };
      return outcome(ctx, call, ctx.redirect(pageUrl(page, ctx.origin, query)), redirect);
    });
  }
  const action = kernel.flow(provider.type).direct ? "callback" : "signin";
  const query = new URLSearchParams(authorizationParams).toString();
  const path = `/${action}/${provider.id}${query && `?${query}`}`;
  const body = { ...fields, callbackUrl };
  const ctx = handler.open("signIn", toPost(getRequest(call)), path, body);
  return perform(ctx, async () => outcome(ctx, call, await post(handler, ctx, call), redirect));
}

/**
 * Signs out on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL.
 * @throws AuthError
 */
export async function signOut(
  handler: Handler,
  call: RequestSource,
  options?: SignOutOptions | FormData,
): Promise<Response | string> {
  const { redirect, redirectTo } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const ctx = handler.open("signOut", toPost(getRequest(call)), "/signout", { callbackUrl });
  return perform(ctx, async () => outcome(ctx, call, await post(handler, ctx, call), redirect));
}

/** Changes the session of a call by `data` and resolves to it; `null` without a session. */
export function update(
  handler: Handler,
  call: RequestSource,
  data: unknown,
): Promise<Session | null> {
  const ctx = handler.open("update", toPost(getRequest(call)), "/session", { data });
  return perform(ctx, async () => {
    const session = await ctx.kernel.strategy.update(ctx, data);
    deliver(ctx, call);
    return session;
  });
}
