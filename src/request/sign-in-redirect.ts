import type { AuthContext } from "../types/kernel.ts";
import { pageUrl } from "./redirect.ts";

/** Returns the URL of the sign-in page: the application's, else the built-in one. */
export function getSignInPage(ctx: AuthContext): string {
  return ctx.kernel.config.pages.signIn ?? `${ctx.base}/signin`;
}

/**
 * Returns the redirect to the sign-in page that leads back to the requested URL; `undefined` when that is the
 * sign-in page itself, which must remain reachable.
 */
export function redirectToSignIn(ctx: AuthContext): Response | undefined {
  const { request, origin } = ctx;
  const page = getSignInPage(ctx);
  const here = new URL(request.url);
  const target = new URL(page, origin);
  if (target.origin === origin && target.pathname === here.pathname) return undefined;
  return ctx.redirect(pageUrl(page, origin, { callbackUrl: origin + here.pathname + here.search }));
}
