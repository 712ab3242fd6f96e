import { AuthError, CallbackRouteError, MissingRequest } from "./errors.ts";
import { cookieHeaders, type Handler, withCookies } from "./handler.ts";
import { ask } from "./hooks.ts";
import { pageUrl } from "./redirect.ts";
import type { AuthorizationParams, Call, SignInOptions, SignOutOptions } from "./types/auth.ts";
import type { AuthContext, Body, Kernel } from "./types/kernel.ts";
import type { Session } from "./types/models.ts";

/**
 * The request of a call.
 * @throws MissingRequest when a server verb was called without one.
 */
export function requestOf(call: Call | undefined): Request {
  if (typeof call !== "object" || call === null) {
    throw new MissingRequest("Pass the Request, or the event that has it, as the first argument.");
  }
  return "req" in call ? call.req : call;
}

function sinkOf(call: Call): Headers | undefined {
  return "req" in call ? call.res?.headers : undefined;
}

// Cookies go onto the call's event.
function deliver(ctx: AuthContext, call: Call): void {
  const sink = sinkOf(call);
  const cookies = cookieHeaders(ctx);
  if (!sink || !cookies.length) return;
  for (const cookie of cookies) sink.append("set-cookie", cookie);
  if (!sink.get("cache-control")?.includes("no-store")) {
    sink.set("cache-control", "private, no-store");
  }
}

// What a POST of the visitor's browser would look like, without its body.
function postOf(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type", "x-auth-return-redirect"]) {
    headers.delete(name);
  }
  return new Request(request.url, { method: "POST", headers });
}

function fieldsOf(options: SignInOptions | SignOutOptions = {}): {
  redirect: boolean;
  redirectTo?: string;
  fields: Body;
} {
  const isForm = options instanceof FormData;
  const entries: Record<string, unknown> = isForm ? Object.fromEntries(options) : { ...options };
  const { redirect = true, redirectTo, ...fields } = entries;
  return {
    // What the verb answers is for the application to say, not for the visitor's form.
    redirect: isForm || redirect !== false,
    ...(typeof redirectTo === "string" && redirectTo && { redirectTo }),
    fields,
  };
}

// The page the visitor is on.
function currentPage(request: Request): string {
  return request.headers.get("referer") ?? "/";
}

async function post(
  handler: Handler,
  call: Call,
  path: string,
  body: Body,
): Promise<[AuthContext, Response]> {
  const ctx = handler.open(postOf(requestOf(call)), path, body);
  try {
    return [ctx, await handler.dispatch(ctx)];
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown : new CallbackRouteError(thrown as Error);
    // The caller may show it to nobody.
    ctx.kernel.logger.error(error);
    deliver(ctx, call);
    throw error;
  }
}

function outcome(
  ctx: AuthContext,
  call: Call,
  response: Response,
  redirect: boolean,
): Response | string {
  deliver(ctx, call);
  if (!redirect) return response.headers.get("location") ?? ctx.url.href;
  return sinkOf(call) ? response : withCookies(ctx, response);
}

/** The session of a call; a renewed cookie goes to the call's response. */
export async function readSession(
  kernel: Kernel,
  handler: Handler,
  call: Call,
): Promise<{ session: Session | null; ctx: AuthContext }> {
  const ctx = handler.open(requestOf(call), "/session");
  const session = await kernel.strategy.read(ctx);
  deliver(ctx, call);
  return { session, ctx };
}

/** The CSRF token of a call's browser; its cookie, if new, goes to the call's response. */
export async function csrfToken(handler: Handler, call: Call): Promise<string | undefined> {
  const ctx = handler.open(requestOf(call), "/csrf");
  const token = await ctx.csrfToken();
  deliver(ctx, call);
  return token;
}

/** What a visitor gets who may not pass: the sign-in page, or 401 where no page is asked for. */
function refusal(ctx: AuthContext): Response | undefined {
  const { kernel, request, origin } = ctx;
  const page = kernel.config.pages.signIn ?? `${ctx.base}/signin`;
  const here = new URL(request.url);
  const target = new URL(page, origin);
  // The sign-in page itself must stay reachable; another site's says nothing of a path here.
  if (target.origin === origin && target.pathname === here.pathname) return undefined;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return ctx.json({ message: "Sign in first." }, { status: 401 });
  }
  const callbackUrl = origin + here.pathname + here.search;
  return ctx.redirect(pageUrl(page, origin, { callbackUrl }));
}

/** Asks the `authorized` hook about a request; what it answers stops it. */
export async function guard(
  ctx: AuthContext,
  session: Session | null,
): Promise<Response | undefined> {
  const params = { request: ctx.request, auth: session };
  const verdict = await ask(ctx.kernel.hooks.authorized, params, ctx);
  return verdict === false ? refusal(ctx) : verdict;
}

/**
 * Signs in on behalf of the visitor.
 * @throws AuthError
 */
export async function signIn(
  kernel: Kernel,
  handler: Handler,
  call: Call,
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<Response | string> {
  const { redirect, redirectTo, fields } = fieldsOf(options);
  const callbackUrl = redirectTo ?? currentPage(requestOf(call));
  const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
  if (!provider) {
    const ctx = handler.open(postOf(requestOf(call)), "/signin");
    const page = kernel.config.pages.signIn ?? `${ctx.base}/signin`;
    const target = pageUrl(page, ctx.origin, { callbackUrl: await ctx.safeRedirect(callbackUrl) });
    return outcome(ctx, call, ctx.redirect(target), redirect);
  }
  const action = kernel.flow(provider.type).direct ? "callback" : "signin";
  const query = new URLSearchParams(authorizationParams).toString();
  const path = `/${action}/${provider.id}${query && `?${query}`}`;
  const [ctx, response] = await post(handler, call, path, { ...fields, callbackUrl });
  return outcome(ctx, call, response, redirect);
}

/** Signs out on behalf of the visitor. */
export async function signOut(
  handler: Handler,
  call: Call,
  options?: SignOutOptions | FormData,
): Promise<Response | string> {
  const { redirect, redirectTo } = fieldsOf(options);
  const callbackUrl = redirectTo ?? currentPage(requestOf(call));
  const [ctx, response] = await post(handler, call, "/signout", { callbackUrl });
  return outcome(ctx, call, response, redirect);
}

/** Changes the session of a call. */
export async function update(
  kernel: Kernel,
  handler: Handler,
  call: Call,
  data: unknown,
): Promise<Session | null> {
  const ctx = handler.open(postOf(requestOf(call)), "/session", { data });
  const session = await kernel.strategy.update(ctx, data);
  deliver(ctx, call);
  return session;
}
