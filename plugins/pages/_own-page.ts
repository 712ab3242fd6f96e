import { pageUrl } from "../../src/kernel.ts";
import type { AuthContext } from "../../src/kernel.ts";

function getPath(url: URL): string {
  return [url.origin, ...url.pathname.split("/").filter(Boolean)].join("/");
}

/**
 * Like `redirectToOwnPage`, for a page with a form. Its server may request the CSRF token with the browser's cookies,
 * so the token's cookie is set too.
 */
export async function redirectToOwnForm(
  ...[ctx, ...rest]: Parameters<typeof redirectToOwnPage>
): Promise<Response | undefined> {
  const response = redirectToOwnPage(ctx, ...rest);
  if (response) await ctx.csrfToken();
  return response;
}

/**
 * Redirects to the page that the application configured instead of a built-in one, with query values. Returns
 * `undefined` if none is configured, or if that page is the requested URL itself.
 */
export function redirectToOwnPage(
  ctx: AuthContext,
  page: string | undefined,
  query: Record<string, string | undefined>,
): Response | undefined {
  if (!page) return undefined;
  const target = pageUrl(page, ctx.origin, query);
  // The application configured the URL of the built-in page, so a redirect would loop.
  return getPath(new URL(target)) === getPath(ctx.url) ? undefined : ctx.redirect(target);
}
