import type { CreateCache } from "../types/cache.ts";
import type { Page, PageRenderer, PageRenderOptions } from "../types/page.ts";
import { withCsrfField } from "./csrf-field.ts";
import { checkNonce, pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { getPageScripts } from "./scripts.ts";

/** Drawings that are kept, and the characters of all of them with their keys. */
const MAX_KEPT = 100;
const MAX_CHARACTERS = 4_000_000;

/** A page as text and headers. */
interface Drawing {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A drawing whose nonce and token differ between responses: what stands before, between and behind them. */
interface KeptDrawing {
  readonly parts: readonly string[];
  readonly headers: readonly (readonly [name: string, parts: readonly string[]])[];
  readonly hasToken: boolean;
}

function draw(page: Page, options: PageRenderOptions): Drawing {
  const text = renderPage(page, options);
  const headers = pageHeaders({
    ...options,
    ...(page.policy && { policy: page.policy }),
    hasScripts: getPageScripts(page, options.base).length > 0,
    // A quote in a text is escaped: only an attribute can contain this.
    hasDataImages: text.includes('src="data:'),
    ...(page.secretUrl && { referrerPolicy: "no-referrer" }),
  });
  return { text, headers };
}

/**
 * Creates what responds with pages. A page that is `reusable` is drawn once for all that it shows, and its responses
 * differ in their nonce and their CSRF token only.
 */
export function createResponder(createCache: CreateCache): PageRenderer {
  const kept = createCache<KeptDrawing>("pages/renderer drawings", {
    max: MAX_KEPT,
    maxWeight: MAX_CHARACTERS,
    weigh: ({ parts }, key) => parts.reduce((sum, part) => sum + part.length, key.length),
  });
  // They stand for the values in the drawings that are kept. No response contains them, so no one can put one of
  // them into a page to have the token written there.
  const [nonceMark, tokenMark] = [crypto.randomUUID(), crypto.randomUUID()];
  const marks = new RegExp(`(${nonceMark}|${tokenMark})`);

  const keep = async (page: Page, options: PageRenderOptions): Promise<KeptDrawing> => {
    const getMark = async () => ((await options.csrfToken()) === undefined ? undefined : tokenMark);
    const filled = await withCsrfField(page, options, getMark);
    const { text, headers } = draw(filled, { ...options, nonce: nonceMark });
    return {
      parts: text.split(marks),
      headers: Object.entries(headers).map(([name, value]) => [name, value.split(marks)]),
      hasToken: text.includes(tokenMark),
    };
  };

  return async (page, given) => {
    const { nonce: own, ...content } = page;
    const options = own === undefined ? given : { ...given, nonce: own };
    const status = page.status ?? 200;
    if (!page.reusable) {
      const filled = await withCsrfField(page, options, options.csrfToken);
      const { text, headers } = draw(filled, options);
      return new Response(text, { status, headers });
    }
    const { nonce, theme, origin, base, leavesOrigin, translator } = options;
    checkNonce(nonce);
    const { language } = translator;
    const key = JSON.stringify([content, theme, origin, base, leavesOrigin, language]);
    let drawing = kept.get(key);
    if (!drawing) kept.set(key, (drawing = await keep(page, options)));
    const token = drawing.hasToken ? ((await options.csrfToken()) ?? "") : "";
    const fill = (parts: readonly string[]) => {
      if (parts.length === 1) return parts[0] ?? "";
      let text = "";
      for (const part of parts)
        text += part === nonceMark ? nonce : part === tokenMark ? token : part;
      return text;
    };
    const headers = drawing.headers.map(([name, parts]): [string, string] => [name, fill(parts)]);
    return new Response(fill(drawing.parts), { status, headers });
  };
}
