import { joinBytes } from "../platform/join-bytes.ts";
import type { CreateCache } from "../types/cache.ts";
import type { Page, PageData, PageRenderer, PageRenderOptions } from "../types/page.ts";
import { withCsrfField } from "./csrf-field.ts";
import { checkNonce, pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { getPageScripts } from "./scripts.ts";

/** Drawings that are kept, and the characters of all of them with their keys. */
const MAX_KEPT = 100;
const MAX_CHARACTERS = 4_000_000;

const encoder = new TextEncoder();
const WIDE = /[\u0100-\uffff]/;

/** A page as text and headers. */
interface Drawing {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A drawing whose nonce and token differ between responses: what stands before, between and behind them. */
interface KeptDrawing {
  readonly parts: readonly string[];
  /** The same in UTF-8, all but the marks, of a text with other letters than Latin: to encode it takes longer than all the rest. */
  readonly encoded?: readonly (string | Uint8Array)[];
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

const DATA_HEADERS = {
  "content-type": "application/json",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
};

// What only a renderer needs is left out.
async function toData(page: Page, options: PageRenderOptions): Promise<Response> {
  const { nonce: _, policy: __, reusable: ___, secretUrl: ____, status, ...content } = page;
  const data: PageData = await withCsrfField(content, options, options.csrfToken);
  const headers = DATA_HEADERS;
  return new Response(JSON.stringify(data), { status: status ?? 200, headers });
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
    const parts = text.split(marks);
    const encode = (part: string) => (marks.test(part) ? part : encoder.encode(part));
    return {
      parts,
      ...(WIDE.test(text) && { encoded: parts.map(encode) }),
      headers: Object.entries(headers).map(([name, value]) => [name, value.split(marks)]),
      hasToken: text.includes(tokenMark),
    };
  };

  return async (page, given) => {
    const { nonce: own, ...content } = page;
    const options = own === undefined ? given : { ...given, nonce: own };
    const status = page.status ?? 200;
    if (options.asData) return toData(page, options);
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
    const fillEncoded = (parts: readonly (string | Uint8Array)[]) => {
      const values = { [nonceMark]: encoder.encode(nonce), [tokenMark]: encoder.encode(token) };
      const toBytes = (part: string | Uint8Array) =>
        typeof part === "string" ? (values[part] as Uint8Array) : part;
      return joinBytes(parts.map(toBytes));
    };
    const { encoded, parts } = drawing;
    return new Response(encoded ? fillEncoded(encoded) : fill(parts), { status, headers });
  };
}
