import { isSafeMethod } from "../http/method.ts";
import { isSamePage } from "../http/target.ts";
import type { AuthContext } from "../types/kernel.ts";
import { toSameOrigin } from "./redirect.ts";

/** Returns the URL of the sign-in page: the application's, or else the built-in one. */
export function getSignInPage({ kernel, base }: Pick<AuthContext, "kernel" | "base">): string {
  return kernel.config.pages.signIn ?? `${base}/signin`;
}

/** Returns whether a request is for the sign-in page, which must remain reachable. */
export function isSignInPage(ctx: AuthContext): boolean {
  const { request, origin } = ctx;
  const page = new URL(getSignInPage(ctx), origin);
  return page.origin === origin && isSamePage(page, new URL(request.url));
}

/** Parameters by which pages show the result of an earlier change. */
const RESULTS = ["error", "done", "failed"];

/**
 * Returns the page that a request was made from; `undefined` if the browser does not send it, or it has another origin.
 */
export function findReferringPage({ request, origin }: AuthContext): string | undefined {
  const referer = request.headers.get("referer") ?? "";
  if (toSameOrigin(referer, origin) !== referer) return undefined;
  const url = new URL(referer);
  for (const name of RESULTS) url.searchParams.delete(name);
  return url.href;
}

/**
 * Resolves to the URL of the page on which the visitor was doing what this request asks for. In this order: the
 * requested page, the page that the request was made from, the page at the request's own path, the target that the
 * request names. Resolves to `undefined` if there is none.
 */
export async function findPageBefore(ctx: AuthContext): Promise<string | undefined> {
  const { request, url, origin, route } = ctx;
  const isRead = isSafeMethod(request.method);
  if (isRead && !route?.json) return url.href;
  const referring = findReferringPage(ctx);
  if (isRead || referring !== undefined) return referring;
  const { path = "" } = route ?? {};
  if (!path.includes(":") && ctx.kernel.route("GET", path)) return origin + url.pathname;
  const { callbackUrl } = await ctx.body();
  return typeof callbackUrl === "string" ? ctx.safeRedirect(callbackUrl) : undefined;
}
