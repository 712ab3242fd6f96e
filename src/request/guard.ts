import { didYouMean } from "../errors/did-you-mean.ts";
import { BadRequest, InvalidProvider } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import { wantsJson } from "../http/accept.ts";
import { isSafeMethod } from "../http/method.ts";
import { expectNoCredentials, expectOneUser } from "../kernel/strategy.ts";
import { isPromise } from "../platform/awaitable.ts";
import type { AuthContext, RegisteredRoute } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import { getMethod, getTarget, isTrusted } from "./context.ts";
import { checkCsrf } from "./csrf.ts";
import { refuseVisitor } from "./refuse-visitor.ts";
import { isSignInPage } from "./sign-in-redirect.ts";

/** Returns whether a request may change something, by its method or because its route writes. */
export function isMutation(ctx: AuthContext): boolean {
  return !isSafeMethod(getMethod(ctx)) || ctx.route?.writes === true;
}

function needsCsrf(ctx: AuthContext, route: RegisteredRoute): boolean {
  if (isSafeMethod(route.method) || route.csrf === false || isTrusted(ctx)) return false;
  if (route.csrf !== "flow" || !ctx.provider) return true;
  return ctx.kernel.flow(ctx.provider.type).csrf !== false;
}

// A GET of a page leads to the sign-in page and back. Every other refusal is an error, which scripts and JSON routes
// receive as JSON, and forms as the sign-in page with its text.
async function requireSession(
  ctx: AuthContext,
  route: RegisteredRoute,
): Promise<Response | undefined> {
  const isVisit = !route.json && isSafeMethod(ctx.request.method) && !wantsJson(ctx.request);
  if (isVisit && !isSignInPage(ctx) && !(await ctx.session())) return refuseVisitor(ctx);
  await (route.auth === "fresh" ? ctx.requireFreshSession() : ctx.requireSession());
  return undefined;
}

// A visitor wrote the path, so the log repeats nothing of it.
function explainProvider(id: string, configured: readonly string[]): string {
  const fault = "The path names a provider that is not configured";
  const similar = didYouMean(id, configured);
  if (similar) return `${fault}.${similar}`;
  return `${fault} (configured: ${configured.join(", ") || "none"}). Add it to \`providers\`, or correct the URL.`;
}

async function runChecks(
  ctx: AuthContext,
  route: RegisteredRoute | undefined,
): Promise<Response | undefined> {
  const { hooks, strategy } = ctx.kernel;
  if (isMutation(ctx)) await expectOneUser(ctx, strategy);
  if (route && needsCsrf(ctx, route)) await checkCsrf(ctx);
  // Comes before the route: a flow may use up a link, and a sign-out revoke tokens, before the strategy refuses the
  // credentials.
  if (route?.csrf !== false && isMutation(ctx)) await expectNoCredentials(ctx);
  if (hooks.request.isUsed()) {
    const called = callHook(hooks.request, ctx);
    const response = isPromise(called) ? await called : called;
    if (response) return response;
  }
  return route?.auth ? requireSession(ctx, route) : undefined;
}

/**
 * Runs what precedes the route: its checks and the `request` hook. Returns the Response to send instead of the
 * route's.
 * @throws the error of a check or a tap; a returned promise rejects with it.
 */
export function guard(ctx: AuthContext): Awaitable<Response | undefined> {
  const { providers, hooks } = ctx.kernel;
  const { route, providerId, isMalformed } = getTarget(ctx);
  if (isMalformed) throw new BadRequest("The percent-encoding of the path is not valid.");
  if (providerId !== undefined && !ctx.provider) {
    throw new InvalidProvider(explainProvider(providerId, [...providers.keys()]));
  }
  // Most requests only read and have nothing to wait for here.
  const isOpen = !route?.auth && !hooks.request.isUsed() && !isMutation(ctx);
  return isOpen ? undefined : runChecks(ctx, route);
}
