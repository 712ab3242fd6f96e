import { SessionRequired } from "../errors/errors.ts";
import { wantsPage } from "../http/accept.ts";
import { isSafeMethod } from "../http/method.ts";
import type { AuthContext } from "../types/kernel.ts";
import { NO_STORE } from "./context.ts";
import { describePublicly } from "./failure.ts";
import { pageUrl } from "./redirect.ts";
import { findReferringPage, getSignInPage, isSignInPage } from "./sign-in-redirect.ts";

// After a sign-in, the visitor returns to a page that was requested. The target of a form may not be a page.
function getReturnUrl(ctx: AuthContext): string {
  const { pathname, search } = new URL(ctx.request.url);
  if (isSafeMethod(ctx.request.method)) return ctx.origin + pathname + search;
  return findReferringPage(ctx) ?? ctx.origin + pathname;
}

/**
 * Returns the response to a request that needs a session and has none. A browser that navigates is redirected to the
 * sign-in page and back. Any other request gets 401 as JSON, because a script would follow the redirect and read a page
 * instead of its data. Clients without cookies get the refusal of their session transport.
 * @param isNavigation Whether the response is for a page, also if its request does not say so.
 */
export function refuseVisitor(
  ctx: AuthContext,
  isNavigation: boolean = wantsPage(ctx.request),
): Response {
  const { kernel, origin } = ctx;
  if (kernel.sessionTransport) return kernel.sessionTransport.refuse(ctx);
  // The sign-in page does not redirect to itself.
  if (isNavigation && !isSignInPage(ctx)) {
    return ctx.redirect(pageUrl(getSignInPage(ctx), origin, { callbackUrl: getReturnUrl(ctx) }));
  }
  const error = new SessionRequired();
  return ctx.json(describePublicly(kernel, error), { status: error.status, headers: NO_STORE });
}
