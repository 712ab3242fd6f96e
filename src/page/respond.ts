import { joinBytes } from "../platform/join-bytes.ts";
import type { CreateCache } from "../types/cache.ts";
import type { Page, PageData, PageRenderer, PageRenderOptions } from "../types/page.ts";
import { withCsrfField } from "./csrf-field.ts";
import { checkNonce, pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { getPageScripts } from "./scripts.ts";

/** Pages that are cached, and the characters of all of them with their keys. */
const MAX_CACHED = 100;
const MAX_CHARACTERS = 4_000_000;

const encoder = new TextEncoder();
const WIDE = /[\u0100-\uffff]/;

/** A page as text and headers. */
interface RenderedPage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page whose nonce and token differ between responses: what stands before, between and behind them. */
interface CachedPage {
  readonly parts: readonly string[];
  /** The same in UTF-8, all but the placeholders, of a text with other letters than Latin: to encode it takes longer than all the rest. */
  readonly encoded?: readonly (string | Uint8Array)[];
  readonly headers: readonly (readonly [name: string, parts: readonly string[]])[];
  readonly hasToken: boolean;
}

function render(page: Page, options: PageRenderOptions): RenderedPage {
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
  const { language, direction } = options.translator;
  const forms = await withCsrfField(content, options, options.csrfToken);
  const data: PageData = { ...forms, language, direction };
  const headers = DATA_HEADERS;
  return new Response(JSON.stringify(data), { status: status ?? 200, headers });
}

/**
 * Creates what responds with pages. A page that is `reusable` is rendered once for all that it shows, and its responses
 * differ in their nonce and their CSRF token only.
 */
export function createResponder(createCache: CreateCache): PageRenderer {
  const cached = createCache<CachedPage>("pages/renderer pages", {
    max: MAX_CACHED,
    maxWeight: MAX_CHARACTERS,
    weigh: ({ parts }, key) => parts.reduce((sum, part) => sum + part.length, key.length),
  });
  // They stand for the values in the pages that are cached. No response contains them, so no one can put one of
  // them into a page to have the token written there.
  const [noncePlaceholder, tokenPlaceholder] = [crypto.randomUUID(), crypto.randomUUID()];
  const placeholders = new RegExp(`(${noncePlaceholder}|${tokenPlaceholder})`);

  const renderReusable = async (page: Page, options: PageRenderOptions): Promise<CachedPage> => {
    const getPlaceholder = async () =>
      (await options.csrfToken()) === undefined ? undefined : tokenPlaceholder;
    const filled = await withCsrfField(page, options, getPlaceholder);
    const { text, headers } = render(filled, { ...options, nonce: noncePlaceholder });
    const parts = text.split(placeholders);
    const encode = (part: string) => (placeholders.test(part) ? part : encoder.encode(part));
    return {
      parts,
      ...(WIDE.test(text) && { encoded: parts.map(encode) }),
      headers: Object.entries(headers).map(([name, value]) => [name, value.split(placeholders)]),
      hasToken: text.includes(tokenPlaceholder),
    };
  };

  return async (page, given) => {
    const { nonce: own, ...content } = page;
    const options = own === undefined ? given : { ...given, nonce: own };
    const status = page.status ?? 200;
    if (options.asData) return toData(page, options);
    if (!page.reusable) {
      const filled = await withCsrfField(page, options, options.csrfToken);
      const { text, headers } = render(filled, options);
      return new Response(text, { status, headers });
    }
    const { nonce, theme, origin, base, leavesOrigin, translator } = options;
    checkNonce(nonce);
    const { language } = translator;
    const key = JSON.stringify([content, theme, origin, base, leavesOrigin, language]);
    let rendered = cached.get(key);
    if (!rendered) cached.set(key, (rendered = await renderReusable(page, options)));
    const token = rendered.hasToken ? ((await options.csrfToken()) ?? "") : "";
    const fill = (parts: readonly string[]) => {
      if (parts.length === 1) return parts[0] ?? "";
      let text = "";
      for (const part of parts)
        text += part === noncePlaceholder ? nonce : part === tokenPlaceholder ? token : part;
      return text;
    };
    const headers = rendered.headers.map(([name, parts]): [string, string] => [name, fill(parts)]);
    const fillEncoded = (parts: readonly (string | Uint8Array)[]) => {
      const values = {
        [noncePlaceholder]: encoder.encode(nonce),
        [tokenPlaceholder]: encoder.encode(token),
      };
      const toBytes = (part: string | Uint8Array) =>
        typeof part === "string" ? (values[part] as Uint8Array) : part;
      return joinBytes(parts.map(toBytes));
    };
    const { encoded, parts } = rendered;
    return new Response(encoded ? fillEncoded(encoded) : fill(parts), { status, headers });
  };
}
