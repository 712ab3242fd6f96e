import {
  AmbiguousSession,
  AuthError,
  CallbackRouteError,
  MissingRequest,
  Refused,
  SessionRequired,
} from "../errors/errors.ts";
import { callAround } from "../hooks/around.ts";
import { callHook } from "../hooks/hooks.ts";
import { forbidCaching, keepPrivate } from "../http/caching.ts";
import { isSafeMethod } from "../http/method.ts";
import { isRewritten, withoutEndSlash } from "../http/target.ts";
import { expectOneUser } from "../kernel/strategy.ts";
import { didYouMean } from "../platform/spelling.ts";
import { endContext, NO_STORE } from "../request/context.ts";
import { checkCsrf } from "../request/csrf.ts";
import { logFailure } from "../request/failure.ts";
import { type Handler, isMutation, withCookies } from "../request/handler.ts";
import { pageUrl } from "../request/redirect.ts";
import { getSignInPage, redirectToSignIn } from "../request/sign-in-redirect.ts";
import type {
  AuthorizationParams,
  Connection,
  HeldSession,
  RequestSource,
  ResponseSink,
  SignInOptions,
  SignOutOptions,
} from "../types/auth.ts";
import type { AuthContext, Body, Kernel, Operation } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";
import type { RequestMemory, SessionRead } from "./request-memory.ts";

/**
 * Returns the request of a call.
 * @throws MissingRequest when a server-side method was called without one.
 */
export function getRequest(call: RequestSource | undefined): Request {
  const request = typeof call === "object" && call && "req" in call ? call.req : call;
  if (typeof request?.headers?.get === "function") return request;
  throw new MissingRequest(
    "Pass the Request, or the event that has it, as the first argument. Requests of Node are taken by keyhook/express, " +
      "/fastify and /node.",
  );
}

/** What handles the calls of the application's own server code. */
export interface ActionHandler extends Handler {
  readonly memory: RequestMemory;
}

/** Opens the context of a call that reads. The server's request states the connection. */
export function openRead(
  handler: ActionHandler,
  call: RequestSource,
  operation: Operation,
  path: string,
): AuthContext {
  const given = getRequest(call);
  const request = handler.memory.apply(given);
  return handler.open({ operation, request, path, connection: given as Connection });
}

function openPost(
  handler: ActionHandler,
  call: RequestSource,
  operation: Operation,
  path: string,
  body?: Body,
): AuthContext {
  const given = getRequest(call);
  const request = toPost(handler.memory.apply(given));
  const post = { operation, request, path, connection: given as Connection };
  return handler.open({ ...post, ...(body && { body }) });
}

function getResponse(call: RequestSource): ResponseSink | undefined {
  return "req" in call ? call.res : undefined;
}

/** Sets the cookies of the call's response, if it has one. */
export function deliver({ memory }: ActionHandler, ctx: AuthContext, call: RequestSource): void {
  const response = getResponse(call);
  const cookies = ctx.cookies.pending;
  if (!response || !cookies.length) return;
  memory.deliver(getRequest(call), response, cookies);
  if ("cookies" in response) response.cookies.forbidCaching?.();
  else forbidCaching(response.headers);
}

/** Keeps the call's response, if it has one, out of every cache: it depends on the session. */
export function keepResponsePrivate(call: RequestSource): void {
  const response = getResponse(call);
  if (!response) return;
  if ("cookies" in response) response.cookies.forbidCaching?.();
  else keepPrivate(response.headers);
}

/** Runs a call inside of the taps of `around`. */
export function perform<T>(ctx: AuthContext, run: () => Promise<T>): Promise<T> {
  const { around } = ctx.kernel.hooks;
  if (!around.isUsed()) return run();
  return callAround(around, ctx, { run, recover: (fault) => Promise.reject(fault) });
}

// Runs a call after which the session may be another one, also when it fails.
function change<T>(
  { memory }: ActionHandler,
  call: RequestSource,
  ctx: AuthContext,
  run: () => Promise<T>,
): Promise<T> {
  return perform(ctx, run).finally(() => memory.forgetSession(getRequest(call)));
}

// Returns the POST that the visitor's browser would send, without its body.
function toPost(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type", "x-auth-return-redirect"]) {
    headers.delete(name);
  }
  return new Request(request.url, { method: "POST", headers });
}

function parseOptions(options: SignInOptions | SignOutOptions = {}): {
  redirect: boolean;
  redirectTo?: string;
  fields: Body;
  /** Whether the fields are of a visitor's form, which any site can post to the application's own route. */
  isForm: boolean;
} {
  const isForm = options instanceof FormData;
  const entries: Record<string, unknown> = isForm ? Object.fromEntries(options) : { ...options };
  const { redirect = true, redirectTo, ...fields } = entries;
  return {
    // The application decides whether the method redirects, not the visitor's form.
    redirect: isForm || redirect !== false,
    ...(typeof redirectTo === "string" && redirectTo && { redirectTo }),
    fields,
    isForm,
  };
}

// Returns the page that the visitor is on.
function getCurrentPage(request: Request): string {
  return request.headers.get("referer") ?? "/";
}

/** The response to a post, and whether it was sent instead of the route's. */
interface Posted {
  response: Response;
  isRefusal: boolean;
}

async function post(
  handler: ActionHandler,
  ctx: AuthContext,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<Posted> {
  try {
    await check?.(ctx);
    const refusal = await handler.guard(ctx);
    const response = refusal ?? (await handler.dispatch(ctx));
    return { response, isRefusal: refusal !== undefined || response.status >= 400 };
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown : new CallbackRouteError(thrown as Error);
    // The caller may drop the error: it is logged here.
    logFailure(ctx.log, error);
    deliver(handler, ctx, call);
    throw error;
  } finally {
    endContext(ctx);
  }
}

function refused(response: Response): Refused {
  return new Refused(
    `The call was refused with the status ${response.status}: \`response\` of this error is the refusal. ` +
      "A tap of the `request` hook sent it, or the route.",
    response,
  );
}

function outcome(
  handler: ActionHandler,
  ctx: AuthContext,
  call: RequestSource,
  { response, isRefusal }: Posted,
  redirect: boolean,
): Response | string {
  deliver(handler, ctx, call);
  if (redirect) return getResponse(call) ? response : withCookies(ctx, response);
  if (isRefusal) throw refused(response);
  return response.headers.get("location") ?? ctx.url.href;
}

async function readSession(ctx: AuthContext): Promise<SessionRead> {
  const session = (await ctx.session())?.session ?? null;
  return { session, cookies: [...ctx.cookies.pending], receivers: new WeakSet() };
}

// Makes the call's response depend on a session.
function useSession({ memory }: ActionHandler, call: RequestSource, read: SessionRead): void {
  const response = getResponse(call);
  if (!response) return;
  keepResponsePrivate(call);
  const receiver = "cookies" in response ? response.cookies : response.headers;
  if (!read.cookies.length || read.receivers.has(receiver)) return;
  read.receivers.add(receiver);
  try {
    memory.deliver(getRequest(call), response, read.cookies);
  } catch {
    // A framework may take no cookies any more, or never while it renders: a later response renews the session.
  }
}

// Reads the session of an event once. A Request without a response may be that of a long connection, in which the
// application looks again whether the session has ended.
function readOnce(
  { memory }: ActionHandler,
  call: RequestSource,
  ctx: AuthContext,
): Promise<SessionRead> {
  if (!getResponse(call)) return readSession(ctx);
  const known = memory.openSession(getRequest(call));
  known.read ??= readSession(ctx);
  known.read.catch(() => (known.read = undefined));
  return known.read;
}

async function hold(
  handler: ActionHandler,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<HeldSession> {
  const request = getRequest(call);
  const known = handler.memory.openSession(request);
  const found = check || !getResponse(call) ? undefined : known.read;
  let read = await found;
  if (!read) {
    const ctx = openRead(handler, call, "getSession", "/session");
    await perform(ctx, async () => {
      await check?.(ctx);
      read = await readOnce(handler, call, ctx);
      return read.session;
    });
  }
  const done = read as SessionRead;
  return {
    session: done.session,
    use() {
      // After a sign-in or sign-out of the same request, the cookies are those of the old session.
      const isCurrent = handler.memory.openSession(request) === known;
      useSession(handler, call, isCurrent ? done : { ...done, cookies: [] });
    },
  };
}

/** Resolves to the session of a call, on which its response depends once `use` is called. */
export function holdSession(handler: ActionHandler, call: RequestSource): Promise<HeldSession> {
  return hold(handler, call);
}

async function findUsed(
  handler: ActionHandler,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<Session | null> {
  const { session, use } = await hold(handler, call, check);
  use();
  return session;
}

/** Resolves to the session of a call; its response carries renewed cookies, and no cache stores it. */
export function getSession(handler: ActionHandler, call: RequestSource): Promise<Session | null> {
  return findUsed(handler, call);
}

/**
 * Resolves to the session of a call, like `getSession`.
 * @throws SessionRequired without one; AmbiguousSession for a request that is neither GET nor HEAD, while the browser
 * sends sessions of different users.
 */
export async function requireSession(
  handler: ActionHandler,
  call: RequestSource,
): Promise<Session> {
  const session = await findUsed(handler, call, async (ctx) => {
    if (isMutation(ctx)) await expectOneUser(ctx, ctx.kernel.strategy);
  });
  if (session) return session;
  throw new SessionRequired("The request has no session. Sign in first.");
}

/**
 * Resolves to the CSRF token of a call's browser; a new cookie is appended to the headers of the call's
 * event.
 */
export function csrfToken(
  handler: ActionHandler,
  call: RequestSource,
): Promise<string | undefined> {
  const ctx = openRead(handler, call, "csrfToken", "/csrf");
  return perform(ctx, async () => {
    const token = await ctx.csrfToken();
    deliver(handler, ctx, call);
    return token;
  });
}

/**
 * Returns the response to a request that may not pass: a redirect to the sign-in page, or 401 unless GET or
 * HEAD; `undefined` for the sign-in page itself, and for the Auth's own routes, by which users sign in.
 */
function refusal(
  { hasRoute }: ActionHandler,
  ctx: AuthContext,
  { target = ctx.request.url }: Connection,
): Response | undefined {
  // A router may read the path as it is written: `/admin/../login` is none that may pass.
  const isWritten = !isRewritten(target);
  if (isWritten && hasRoute(withoutEndSlash(new URL(ctx.request.url).pathname))) return undefined;
  const redirect = redirectToSignIn(ctx);
  if (redirect ? isSafeMethod(ctx.request.method) : isWritten) return redirect;
  return ctx.json(
    { error: "SessionRequired", message: "Sign in first." },
    { status: 401, headers: NO_STORE },
  );
}

// What the application's own route would change, it would change for one of several users.
async function refuseAmbiguous(ctx: AuthContext): Promise<Response | undefined> {
  const { strategy, errors, logger } = ctx.kernel;
  if (!isMutation(ctx)) return undefined;
  try {
    await expectOneUser(ctx, strategy);
    return undefined;
  } catch (error) {
    if (!(error instanceof AmbiguousSession)) throw error;
    logFailure(logger, error);
    const { type: name, status } = AmbiguousSession;
    const body = { error: name, message: errors.get(name)?.message };
    return ctx.json(body, { status, headers: NO_STORE });
  }
}

async function guard(
  handler: ActionHandler,
  ctx: AuthContext,
  session: Session | null,
  connection: Connection,
): Promise<Response | undefined> {
  const ambiguous = await refuseAmbiguous(ctx);
  if (ambiguous) return ambiguous;
  const params = { request: ctx.request, auth: session };
  const verdict = await callHook(ctx.kernel.hooks.authorized, params, ctx);
  return verdict === false ? refusal(handler, ctx, connection) : verdict;
}

/** The decision on a request of the application. */
export interface Authorization {
  readonly ctx: AuthContext;
  readonly session: Session | null;
  /** Stops the request. */
  readonly response: Response | undefined;
}

/** Reads the session of a call and calls the `authorized` hook. */
export async function authorize(
  handler: ActionHandler,
  call: RequestSource,
): Promise<Authorization> {
  const ctx = openRead(handler, call, "authorize", "/session");
  const read: { session: Session | null } = { session: null };
  const response = await perform(ctx, async () => {
    const done = await readOnce(handler, call, ctx);
    useSession(handler, call, done);
    read.session = done.session;
    return guard(handler, ctx, done.session, getRequest(call) as Connection);
  });
  return { ctx, session: read.session, response };
}

/**
 * Signs in on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL. A
 * `FormData` with the field `link`, or `link` as text, also needs the visitor's `csrfToken`, as the route does.
 * @throws AuthError as the route would; any other error is wrapped in `CallbackRouteError`. With
 * `redirect: false` also `Refused`.
 */
export async function signIn(
  kernel: Kernel,
  handler: ActionHandler,
  call: RequestSource,
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<Response | string> {
  const { redirect, redirectTo, fields, isForm } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
  if (!provider) {
    const ctx = openPost(handler, call, "signIn", "/signin");
    // The name may come from a form: the log of a production is not for visitors to fill.
    if (providerId && !kernel.config.production) {
      const text = `auth.signIn(): there is no provider "${providerId.slice(0, 64)}".`;
      const hint = didYouMean(providerId, kernel.providers.keys());
      kernel.logger.warn("unknown-provider", text + hint);
    }
    return perform(ctx, async () => {
      const query = { callbackUrl: await ctx.safeRedirect(callbackUrl) };
      const response = ctx.redirect(pageUrl(getSignInPage(ctx), ctx.origin, query));
      return outcome(handler, ctx, call, { response, isRefusal: false }, redirect);
    });
  }
  const action = kernel.flow(provider.type).direct ? "callback" : "signin";
  const query = new URLSearchParams(authorizationParams).toString();
  const path = `/${action}/${provider.id}${query && `?${query}`}`;
  const ctx = openPost(handler, call, "signIn", path, { ...fields, callbackUrl });
  // An attacker's page could post the field to link an account of its own to the visitor (SECURITY.md R13).
  // The fields of a form are texts, also where the application has read them itself.
  const isPosted = isForm || typeof fields.link === "string";
  const check = isPosted && fields.link !== undefined ? checkCsrf : undefined;
  return change(handler, call, ctx, async () =>
    outcome(handler, ctx, call, await post(handler, ctx, call, check), redirect),
  );
}

/**
 * Signs out on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL.
 * @throws AuthError
 */
export async function signOut(
  handler: ActionHandler,
  call: RequestSource,
  options?: SignOutOptions | FormData,
): Promise<Response | string> {
  const { redirect, redirectTo } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const ctx = openPost(handler, call, "signOut", "/signout", { callbackUrl });
  return change(handler, call, ctx, async () =>
    outcome(handler, ctx, call, await post(handler, ctx, call), redirect),
  );
}

/**
 * Changes the session of a call by `data` and resolves to it; `null` without a session.
 * @throws Refused when a tap of the `request` hook sent a Response.
 */
export function update(
  handler: ActionHandler,
  call: RequestSource,
  data: unknown,
): Promise<Session | null> {
  const ctx = openPost(handler, call, "update", "/session", { data });
  return change(handler, call, ctx, async () => {
    const refusal = await handler.guard(ctx);
    const session = refusal ? null : await ctx.kernel.strategy.update(ctx, data);
    deliver(handler, ctx, call);
    if (refusal) throw refused(refusal);
    return session;
  });
}
