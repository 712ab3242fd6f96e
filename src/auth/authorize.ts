import { AmbiguousSession } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import { isRewritten, withoutEndSlash, withPlainEscapes } from "../http/target.ts";
import { expectOneUser } from "../kernel/strategy.ts";
import { NO_STORE } from "../request/context.ts";
import { describePublicly, logFailure } from "../request/failure.ts";
import { isMutation } from "../request/guard.ts";
import { refuseVisitor } from "../request/refuse-visitor.ts";
import { isSignInPage } from "../request/sign-in-redirect.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";
import type { Connection, RequestSource } from "../types/request-source.ts";
import { type ActionHandler, getRequest, openRead, perform } from "./call.ts";
import { getSession, readOnce, useSession } from "./read-session.ts";

// Users need the sign-in page and the Auth's own routes to sign in. A call such as a server action runs whichever page it
// is posted to, and a router may use a path as it is sent, so these exempt nothing.
function isExempt(
  { hasRoute }: ActionHandler,
  ctx: AuthContext,
  { callsFunction, target = "" }: Connection,
): boolean {
  if (callsFunction || isRewritten(target)) return false;
  return isSignInPage(ctx) || hasRoute(withoutEndSlash(new URL(ctx.request.url).pathname));
}

// Returns the response to a request that may not pass.
function refuse(
  handler: ActionHandler,
  ctx: AuthContext,
  connection: Connection,
): Response | undefined {
  if (isExempt(handler, ctx, connection)) return undefined;
  return refuseVisitor(ctx, connection.isNavigation);
}

// Refuses a change if the browser sends sessions of different users: the application's route would act for an arbitrary
// one of them.
async function refuseAmbiguous(ctx: AuthContext): Promise<Response | undefined> {
  const { strategy, logger } = ctx.kernel;
  if (!isMutation(ctx)) return undefined;
  try {
    await expectOneUser(ctx, strategy);
    return undefined;
  } catch (error) {
    if (!(error instanceof AmbiguousSession)) throw error;
    logFailure(logger, error);
    const { status } = error;
    return ctx.json(describePublicly(ctx.kernel, error), { status, headers: NO_STORE });
  }
}

// The hook, or the wrapped handler, decides by the URL's path. A router may decode that path or use it as sent, so any
// other spelling is redirected to the plain path first.
function leadToPath(ctx: AuthContext, { target }: Connection): Response | undefined {
  const { url } = ctx.request;
  const isOther = target !== undefined && isRewritten(target);
  if (!isOther && !url.includes("%")) return undefined;
  const { pathname, search } = new URL(url);
  const path = withPlainEscapes(pathname);
  return isOther || path !== pathname ? ctx.redirect(ctx.origin + path + search) : undefined;
}

async function guard(
  handler: ActionHandler,
  ctx: AuthContext,
  session: Session | null,
  connection: Connection,
): Promise<Response | undefined> {
  const other = leadToPath(ctx, connection);
  if (other) return other;
  const params = { request: ctx.request, auth: session };
  const verdict = await callHook(ctx.kernel.hooks.authorized, params, ctx);
  return verdict === false ? refuse(handler, ctx, connection) : verdict;
}

/** The decision on a request of the application. */
export interface Authorization {
  readonly ctx: AuthContext;
  readonly session: Session | null;
  /** The response that ends the request, if it may not pass. */
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
    // Comes first: reading the session may set its cookie again, replacing the several that the browser sent.
    const ambiguous = await refuseAmbiguous(ctx);
    if (ambiguous) return ambiguous;
    const done = await readOnce(handler, call, ctx);
    useSession(handler, call, done);
    read.session = done.session;
    return guard(handler, ctx, done.session, handler.findConnection(getRequest(call)));
  });
  return { ctx, session: read.session, response };
}

/**
 * Reads the session of a call. Resolves to the response to a visitor without a session, or to `undefined` if the request
 * may pass.
 */
export async function protect(
  handler: ActionHandler,
  call: RequestSource,
): Promise<Response | undefined> {
  if (await getSession(handler, call)) return undefined;
  const ctx = openRead(handler, call, "authorize", "/session");
  const connection = handler.findConnection(getRequest(call));
  return perform(ctx, async () => refuse(handler, ctx, connection));
}
