import { pageUrl } from "../../src/index.ts";
import type { AuthContext } from "../../src/index.ts";

function pathOf(url: URL): string {
  return [url.origin, ...url.pathname.split("/").filter(Boolean)].join("/");
}

/** Leads to the application's own page, with query values, when there is one. */
export function toOwnPage(
  ctx: AuthContext,
  page: string | undefined,
  query: Record<string, string | undefined>,
): Response | undefined {
  if (!page) return undefined;
  const target = pageUrl(page, ctx.origin, query);
  // The request has just come from there: who configured our own address meant our own page.
  return pathOf(new URL(target)) === pathOf(ctx.url) ? undefined : ctx.redirect(target);
}
