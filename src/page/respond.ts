import { joinBytes } from "../platform/join-bytes.ts";
import type { CreateCache } from "../types/cache.ts";
import type { Page, PageData, PageRenderer, PageRenderOptions } from "../types/page.ts";
import { withCsrfField } from "./csrf-field.ts";
import { checkNonce, pageHeaders } from "./headers.ts";
import { renderPage } from "./render.ts";
import { getPageScripts } from "./scripts.ts";

/** Maximum number of cached pages, and of characters in all of them, keys included. */
const MAX_CACHED = 100;
const MAX_CHARACTERS = 4_000_000;

const encoder = new TextEncoder();
const WIDE = /[\u0100-\uffff]/;

/** A page as text and headers. */
interface RenderedPage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page whose nonce and token differ between responses: the text before, between and after them. */
interface CachedPage {
  readonly parts: readonly string[];
  /**
   * The same text in UTF-8, except the placeholders. Set for texts with characters beyond Latin-1, since encoding them
   * takes longer than everything else.
   */
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
    // Quotes in texts are escaped, so only an attribute can contain this.
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

// Fields that only a renderer needs are left out.
async function toData(page: Page, options: PageRenderOptions): Promise<Response> {
  const { nonce: _, policy: __, reusable: ___, secretUrl: ____, status, ...content } = page;
  const { language, direction } = options.translator;
  const forms = await withCsrfField(content, options, options.csrfToken);
  const data: PageData = { ...forms, language, direction };
  const headers = DATA_HEADERS;
  return new Response(JSON.stringify(data), { status: status ?? 200, headers });
}

/**
 * Creates the renderer that responds with pages. A `reusable` page is rendered once for the same content, and its
 * responses differ only in their nonce and CSRF token.
 */
export function createResponder(createCache: CreateCache): PageRenderer {
  const cached = createCache<CachedPage>("pages/renderer pages", {
    max: MAX_CACHED,
    maxWeight: MAX_CHARACTERS,
    weigh: ({ parts }, key) => parts.reduce((sum, part) => sum + part.length, key.length),
  });
  // These placeholders stand for the values in cached pages. No response contains them, so no one can put one into a
  // page to have the token written there.
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
