import { pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { scriptsOf } from "./scripts.ts";
import type { Reading } from "../types/message.ts";
import type { Theme } from "../types/options.ts";
import type { Page } from "../types/page.ts";

/** What a page's answer depends on beside the page. */
export interface RespondOptions {
  theme: Theme;
  /** Unguessable, one for each answer. */
  nonce: string;
  /** Public origin. */
  origin: string;
  /** Origin and base path of the routes. */
  base: string;
  reading: Pick<Reading, "language" | "direction">;
}

/** A page as an answer, with the headers that belong to it. */
export function respondWithPage(page: Page, given: RespondOptions): Response {
  const options = page.nonce === undefined ? given : { ...given, nonce: page.nonce };
  return new Response(renderPage(page, options), {
    status: page.status ?? 200,
    headers: pageHeaders({
      ...options,
      ...(page.policy && { policy: page.policy }),
      hasScripts: scriptsOf(page, options.base).length > 0,
      ...(page.secretUrl && { referrerPolicy: "no-referrer" }),
    }),
  });
}
