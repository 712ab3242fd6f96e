import type { Page, PageRenderOptions } from "../types/page.ts";
import { pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { getPageScripts } from "./scripts.ts";

/** Renders a page as a Response with its headers. */
export function respondWithPage(page: Page, given: PageRenderOptions): Response {
  const options = page.nonce === undefined ? given : { ...given, nonce: page.nonce };
  const text = renderPage(page, options);
  return new Response(text, {
    status: page.status ?? 200,
    headers: pageHeaders({
      ...options,
      ...(page.policy && { policy: page.policy }),
      hasScripts: getPageScripts(page, options.base).length > 0,
      // A quote in a text is escaped: only an attribute can contain this.
      hasDataImages: text.includes('src="data:'),
      ...(page.secretUrl && { referrerPolicy: "no-referrer" }),
    }),
  });
}
